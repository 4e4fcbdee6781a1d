"""Concept suggestions from the UMLS or the synthetic hospital's vocabulary."""

from __future__ import annotations

from auscult.codes.sources import SourceOptions
from auscult.codes.suggest import Suggester
from auscult.codes.vocabulary import Vocabulary
from auscult.reproduce import hospital
from auscult.reproduce.contract import UsedData
from auscult.reproduce.entities.concepts import built, umls
from auscult.reproduce.work import Workspace

NEEDS = "the UMLS with SNOMED CT and RxNorm (licensed)"
STAND_IN = "the vocabulary of the synthetic hospital, which uses UMLS identifiers"


def names(work: Workspace) -> tuple[Suggester, UsedData]:
    """A source of concept suggestions."""
    real = umls(work)
    if real is not None:
        place, used = real
    else:
        used = hospital.used(work, "vocabulary")
        place = built(work, used, hospital.hospital(work) / "vocabulary", SourceOptions())
    return Suggester(Vocabulary.open(place)), used


def is_name(vocabulary: Vocabulary, text: str) -> bool:
    """Whether the text is exactly a name of a concept, in whatever case and spacing.

    Sharing all words with a name in another order, or being a name once an abbreviation is spelled
    out, is not enough.
    """
    return len(vocabulary.terms_called(text)) > 0


def is_suggested(suggester: Suggester, text: str, concept: str, *, note: str | None = None) -> bool:
    """Whether a concept is among the first ten suggestions for a text."""
    found = suggester.suggest(text, note=note, limit=10)
    return any(one.code.value == concept for one in found)
