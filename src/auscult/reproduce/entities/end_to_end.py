"""The authors' annotations with MetaMap and cTAKES, and two systems that stand in for these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from auscult.core import OptionError
from auscult.corpus import Corpus
from auscult.corpus.annotators import annotators_of
from auscult.evaluate.entities import as_one
from auscult.models.fitting import fit
from auscult.models.span_annotation import places_of
from auscult.reproduce.contract import Basis, UsedData
from auscult.reproduce.entities.concepts import EntityTask, quietly, umls
from auscult.reproduce.work import Workspace

SYSTEMS = ("MetaMap", "cTAKES")
BY: Mapping[str, str] = {
    "MetaMap": "a dictionary of names and training strings",
    "cTAKES": "an NER model with a linker",
}
"""What is run where the output of the systems is not given."""
STAND_IN = f"instead of MetaMap {BY['MetaMap']}, instead of cTAKES {BY['cTAKES']}, both Auscult's"
AUTHORS = ("annotator_1", "annotator_2")
CONCEPTS = (
    "the eleven sections annotated by the authors (MIMIC-III, credentialed), as a corpus "
    "(--concepts) with the annotators annotator_1 and annotator_2"
)


@dataclass(frozen=True, slots=True)
class AuthorsConcepts:
    """The authors' corpus: what each of them annotated, and the output of both systems."""

    corpus: Corpus = field(repr=False)
    place: Path
    used: tuple[UsedData, ...]
    vocabulary: Path | None
    """The user's UMLS, whose semantic types are the paper's."""

    @property
    def gold(self) -> Corpus:
        """What either of them annotated."""
        return as_one(self.corpus, AUTHORS)

    @property
    def systems(self) -> dict[str, Corpus]:
        """What each system annotated."""
        return {who: self.corpus.select(annotators=[who.lower()]) for who in SYSTEMS}


def authors(work: Workspace, *, also: tuple[str, ...] = ()) -> AuthorsConcepts | None:
    """The corpus of --concepts, if it is given; it must have the annotators that are asked for."""
    place = work.sources.get("concepts")
    if place is None:
        return None
    corpus = Corpus.open(place)
    there = annotators_of(corpus)
    if missing := [who for who in (*AUTHORS, *also) if who not in there]:
        raise OptionError(
            f"--concepts {place} has no annotations by {', '.join(missing)}. It has those of "
            f"{', '.join(there) or 'nobody'}. Expected: {', '.join((*AUTHORS, *also))}."
        )
    used = work.used("concepts", Basis.REAL, "the given corpus of concepts", place)
    names = umls(work)
    every = (used,) if names is None else (used, names[1])
    return AuthorsConcepts(corpus, place, every, None if names is None else names[0])


def ours(work: Workspace, given: EntityTask) -> dict[str, Corpus]:
    """The two systems that stand in, end to end on the test notes."""
    return work.once("two systems end to end", lambda: _ours(given))


def _ours(given: EntityTask) -> dict[str, Corpus]:
    notes = list(given.test.iter_notes())
    config = {"vocabulary": str(given.vocabulary)}
    with quietly():
        finder = fit(given.train, "dictionary", config)
        tagger = fit(given.train, "tagger", {**config, "evaluate": False})
        linker = fit(given.train, "linker", config)
        spans = places_of(tagger.predict(notes))
        return {
            "MetaMap": Corpus.of(notes, finder.predict(notes)),
            "cTAKES": Corpus.of(notes, linker.predict(notes, spans=spans)),
        }
