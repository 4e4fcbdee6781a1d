"""Entities, Table 2: three changes to the annotation schema, and their effect on a note."""

from __future__ import annotations

from collections.abc import Sequence

from auscult.core import Annotation, Code, Note, Span
from auscult.corpus import Corpus
from auscult.evaluate.entities import evaluate_entities
from auscult.reproduce import hospital
from auscult.reproduce.contract import (
    Basis,
    Measured,
    Printed,
    Reproduction,
    ReproductionOutcome,
    above,
)
from auscult.reproduce.entities.concepts import GOLD, both_annotators
from auscult.reproduce.work import Workspace

_SEVERE = "Severe Asthma Exacerbation"
_NESTED = {
    "Severe Asthma Exacerbation": "C00038218", "Severe": "C0205082", "Asthma": "C0004096",
    "Asthma Exacerbation": "C0349790",
}  # fmt: skip
_SPUTUM = ("C0444159", "C0038056")
_ROW = "One note"
_OURS, _LONGEST = f"{_ROW} · spans, all concepts", f"{_ROW} · spans, as before"


def run(work: Workspace) -> ReproductionOutcome:
    """Annotate the table's examples, and count a note's spans with and without nested ones."""
    text = f"{_SEVERE}. Sputum."
    note = Note("n", "n", text=text)
    rows = [(value, text.index(name), len(name)) for name, value in _NESTED.items()]
    rows += [(value, text.index("Sputum"), len("Sputum")) for value in _SPUTUM]
    gold = Corpus.of([note], [_mark(*row) for row in rows])
    partial = Corpus.of([note], [_mark(*row, who="system") for row in rows[2:3]])
    found = evaluate_entities(gold, {"system": partial}, times=0)
    basis = Basis.PAPER
    right = round((found.subsets["all"].systems["system"].value or 0) * found.spans)
    numbers = {
        "Examples · spans": Measured(found.spans, basis),
        "Examples · concepts on ‘Sputum’": Measured(
            len(_SPUTUM) if found.several == 1 else 0, basis
        ),
        "Examples · spans credited for finding ‘Asthma’ alone": Measured(right, basis),
    }
    marked = both_annotators(work).select(annotators=[GOLD])
    every = longest = notes = 0
    for chart in marked.charts():
        for one in chart.notes:
            places = {a.spans[0] for a in chart.annotations if a.note_id == one.note_id and a.spans}
            every, longest = every + len(places), longest + len(_outermost(list(places)))
            notes += 1
    numbers[_OURS] = Measured(every / notes, Basis.STAND_IN, n=notes)
    numbers[_LONGEST] = Measured(longest / notes, Basis.STAND_IN, n=notes)
    return ReproductionOutcome(numbers, (hospital.used(work, "concepts", "mimic3"),))


def _mark(value: str, begin: int, size: int, who: str = GOLD) -> Annotation:
    return Annotation(who, Code("UMLS", value), "n", "n", (Span(begin, begin + size),))


def _outermost(places: Sequence[Span]) -> list[Span]:
    """The outermost spans, as in schemas that only annotate the longest."""
    kept: list[Span] = []
    for span in sorted(places, key=lambda one: (one.begin, -one.end)):
        if not kept or span.end > kept[-1].end:
            kept.append(span)
    return kept


REPRODUCTION = Reproduction(
    name="entities-table-2",
    paper="entities",
    label="Table 2",
    title="Three changes to the annotation schema",
    needs="nothing for the examples; the note of section 4.3 under both schemas is not published",
    stand_in="notes of the synthetic hospital, with every concept and with the longest only",
    calls=("auscult corpus doctor concepts --entity-guidelines", "docs/guidelines-concepts.md"),
    run=run,
    published=(
        Printed("Examples", "spans", 5, 0.0, ".0f"),
        Printed("Examples", "concepts on ‘Sputum’", 2, 0.0, ".0f"),
        Printed("Examples", "spans credited for finding ‘Asthma’ alone", 1, 0.0, ".0f"),
        Printed(_ROW, "spans, all concepts", 170, 0.0, ".0f"),
        Printed(_ROW, "spans, as before", 72, 0.0, ".0f"),
    ),
    claims=(
        above(_OURS, _LONGEST, "Annotating all concepts, including nested ones, gives more spans."),
    ),
    remark="The rules are those of Auscult's concept guidelines, which `auscult corpus "
        "doctor` checks.",
)  # fmt: skip
