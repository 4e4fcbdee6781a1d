"""Entities, section 4.3: one note under the authors' schema and under that of MCN."""

from __future__ import annotations

from auscult.corpus import Corpus
from auscult.reproduce import hospital
from auscult.reproduce.contract import (
    Basis,
    Measured,
    Reproduction,
    ReproductionOutcome,
    above,
    grid,
)
from auscult.reproduce.entities.concepts import GOLD, both_annotators
from auscult.reproduce.work import Workspace

_NEW, _OLD = "The authors' schema", "MCN's schema"
_NOT_ANNOTATED = "the notes of the stand-in were not annotated by this schema"


def run(work: Workspace) -> ReproductionOutcome:
    """The mean number of spans and of concepts in a note of the hospital, all concepts marked."""
    basis = Basis.STAND_IN
    spans, concepts, notes = _per_note(both_annotators(work).select(annotators=[GOLD]))
    numbers = {
        f"{_NEW} · spans": Measured(spans, basis, n=notes),
        f"{_NEW} · unique CUIs": Measured(concepts, basis, n=notes),
        f"{_OLD} · spans": Measured(None, basis, undefined=_NOT_ANNOTATED),
        f"{_OLD} · unique CUIs": Measured(None, basis, undefined=_NOT_ANNOTATED),
    }
    return ReproductionOutcome(numbers, (hospital.used(work, "concepts", "mimic3"),))


def _per_note(marked: Corpus) -> tuple[float, float, int]:
    places: dict[str, set[object]] = {}
    concepts: dict[str, set[object]] = {}
    for one in marked.iter_annotations():
        if one.note_id is not None:
            places.setdefault(one.note_id, set()).add(one.spans)
            concepts.setdefault(one.note_id, set()).add(one.code)
    notes = len(places)
    return (
        sum(map(len, places.values())) / notes,
        sum(map(len, concepts.values())) / notes,
        notes,
    )


REPRODUCTION = Reproduction(
    name="entities-section-4-3",
    paper="entities",
    label="Section 4.3",
    title="One note under two annotation schemas",
    needs="the note and its annotations by both schemas, which were not published",
    stand_in="notes of the synthetic hospital with every concept marked; the mean of a note",
    calls=("auscult corpus info concepts --json",),
    run=run,
    published=grid(
        ("spans", "unique CUIs"), {_NEW: (170, 123), _OLD: (72, 63)}, style=",.0f"
    ),
    claims=(
        above(f"{_NEW} · spans", f"{_OLD} · spans", "The new schema marks more spans…"),
        above(f"{_NEW} · unique CUIs", f"{_OLD} · unique CUIs", "…of more concepts."),
    ),
)  # fmt: skip
