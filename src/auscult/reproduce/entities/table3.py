"""Entities, Table 3: two systems end to end, by semantic type."""

from __future__ import annotations

import warnings

from auscult.corpus import Corpus
from auscult.evaluate.entities import EntitiesResult, as_one
from auscult.models.fitting import fit
from auscult.models.span_annotation import places_of
from auscult.reproduce.contract import (
    Basis,
    Measured,
    Reproduction,
    ReproductionOutcome,
    above,
    grid,
)
from auscult.reproduce.entities.concepts import EntityTask, measured, task
from auscult.reproduce.work import Workspace

_SYSTEMS = ("MetaMap", "cTAKES")
_PARTS = {"% Spans": "spans", "% CUIs": "concepts", "CUI precision": "precision"}
_COLUMNS = ("# in data", *(f"{who} {part}" for who in _SYSTEMS for part in _PARTS))
_ROWS: dict[str, tuple[float | None, ...]] = {
    "All types": (1271, 64, 48, 75, 52, 46, 89),
    "Sign or Symptom": (168, 68, 62, 92, 83, 82, 99),
    "Disease or Syndrome": (164, 68, 52, 77, 64, 62, 97),
    "Finding": (130, 57, 43, 76, 41, 31, 74),
    "Pharmacologic Substance": (113, 80, 75, 94, 86, 84, 98),
    "Organic Chemical": (102, 79, 77, 98, 88, 88, 100),
    "Body Part, Organ, or Organ Component": (84, 40, 22, 55, 72, 66, 92),
    "Therapeutic or Preventive Procedure": (71, 58, 30, 51, 38, 24, 63),
    "Pathologic Function": (53, 62, 49, 79, 83, 68, 82),
    "Diagnostic Procedure": (43, 70, 47, 67, 51, 44, 86),
    "Temporal Concept": (41, 54, 46, 86, 0, 0, None),
}
_COMPOUNDS = "Compounds"


def run(work: Workspace) -> ReproductionOutcome:
    """Run both systems on the notes, and evaluate their spans and concepts."""
    given, systems, basis = _read(work)
    found = measured(work, given, systems, rule="any")
    counts = _counts(found)
    numbers: dict[str, Measured] = {}
    for row in _ROWS:
        name = "all" if row == "All types" else row
        if name not in found.systems[_SYSTEMS[0]].recognized:
            continue
        numbers[f"{row} · # in data"] = Measured(counts[name], basis)
        for who in _SYSTEMS:
            one = found.systems[who].recognized[name]
            for part, attribute in _PARTS.items():
                metric = getattr(one, attribute)
                numbers[f"{row} · {who} {part}"] = Measured.of(metric, basis, times=100)
    whole = found.systems["cTAKES"].compounds
    for column, value in (
        ("all", whole.compounds), ("recovered", whole.recovered), ("missed", whole.missed),
        ("missed, with a part right", whole.missed_with_a_part_right),
    ):  # fmt: skip
        numbers[f"{_COMPOUNDS} · {column}"] = Measured(value, basis)
    return ReproductionOutcome(numbers, given.used, seeds=(0,))


def _counts(found: EntitiesResult) -> dict[str, int]:
    recognized = found.systems[_SYSTEMS[0]].recognized
    return {name: one.spans.n or 0 for name, one in recognized.items()}


def _read(work: Workspace) -> tuple[EntityTask, dict[str, Corpus], Basis]:
    """The paper's corpus with both systems' output, or two of Auscult's models."""
    given = task(work)
    place = work.sources.get("concepts")
    if place is not None:
        corpus = Corpus.open(place)
        gold = as_one(corpus, ["annotator_1", "annotator_2"])
        used = work.used("concepts", Basis.REAL, "the given corpus of concepts", place)
        real = EntityTask(given.train, gold, given.vocabulary, (used, *given.used))
        return real, {who: corpus.select(annotators=[who.lower()]) for who in _SYSTEMS}, Basis.REAL
    notes = list(given.test.iter_notes())
    config = {"vocabulary": str(given.vocabulary)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        finder = fit(given.train, "dictionary", config)
        tagger = fit(given.train, "tagger", {**config, "evaluate": False})
        reader = fit(given.train, "linker", config)
        spans = places_of(tagger.predict(notes))
        systems = {
            "MetaMap": Corpus.of(notes, finder.predict(notes)),
            "cTAKES": Corpus.of(notes, reader.predict(notes, spans=spans)),
        }
    return given, systems, Basis.STAND_IN


REPRODUCTION = Reproduction(
    name="entities-table-3",
    paper="entities",
    label="Table 3",
    title="Two systems end to end, by semantic type",
    needs="the eleven sections annotated by the authors (MIMIC-III, credentialed), and "
        "the output of MetaMap and cTAKES on them, as one corpus (--concepts) with the "
        "annotators annotator_1, annotator_2, metamap and ctakes",
    stand_in="notes of the synthetic hospital; instead of MetaMap a dictionary of names and "
        "training strings, instead of cTAKES an NER model with a linker",
    options=("concepts",),
    calls=(
        "auscult external ctakes output/xmi concepts with-ctakes",
        "auscult external metamap output.mmi with-ctakes with-both",
        "auscult evaluate entities gold metamap ctakes --vocabulary umls --json",
    ),
    run=run,
    published=(
        *grid(_COLUMNS, _ROWS, within=(0, *[0.6] * 6), style=",.0f"),
        *grid(("all", "recovered", "missed", "missed, with a part right"),
              {_COMPOUNDS: (174, 74, 100, 54)}, style=",.0f"),
    ),
    claims=tuple(
        above(f"All types · {who} % Spans", f"All types · {who} % CUIs",
              f"{who}: some of the spans found have a wrong concept.")
        for who in _SYSTEMS
    ),
    remark="The numbers on compounds are those of cTAKES in section 5.3.",
)  # fmt: skip
