"""Concept suggestions from the UMLS or the synthetic hospital's vocabulary."""

from __future__ import annotations

from auscult.codes.sources import SourceOptions
from auscult.codes.suggest import Suggester, Suggestion
from auscult.codes.vocabulary import Vocabulary
from auscult.reproduce import hospital
from auscult.reproduce.contract import Basis, UsedData
from auscult.reproduce.entities.concepts import SABS, built
from auscult.reproduce.work import Workspace

NEEDS = "the UMLS with SNOMED CT and RxNorm (licensed)"
STAND_IN = "the vocabulary of the synthetic hospital, which uses UMLS identifiers"


def names(work: Workspace) -> tuple[Suggester, UsedData]:
    """A source of concept suggestions."""
    given = work.sources.get("umls")
    if given is not None:
        used = work.used("UMLS", Basis.REAL, "SNOMED CT and RxNorm in the UMLS", given)
        place = built(work, used, given, SourceOptions(sources=SABS))
    else:
        used = hospital.used(work, "vocabulary")
        place = built(work, used, hospital.hospital(work) / "vocabulary", SourceOptions())
    return Suggester(Vocabulary.open(place)), used


def is_name(found: list[Suggestion]) -> bool:
    """Whether the text is a name of a concept, word for word."""
    return bool(found) and found[0].score == 1
