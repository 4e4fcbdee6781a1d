"""Entities, Table 3: two systems end to end, by semantic type."""

from __future__ import annotations

from collections.abc import Mapping

from auscult.codes.vocabulary import Vocabulary
from auscult.corpus import Corpus
from auscult.evaluate.entities import EntitiesResult, EntitySettings, evaluate_entities
from auscult.reproduce.contract import (
    Basis,
    Measured,
    Reproduction,
    ReproductionOutcome,
    UsedData,
    above,
    grid,
)
from auscult.reproduce.entities.concepts import TASK_STAND_IN, quietly, task
from auscult.reproduce.entities.end_to_end import (
    BY,
    CONCEPTS,
    STAND_IN,
    SYSTEMS,
    authors,
    ours,
)
from auscult.reproduce.work import Workspace

_PARTS = {"% Spans": "spans", "% CUIs": "concepts", "CUI precision": "precision"}
_COLUMNS = ("# in data", *(f"{who} {part}" for who in SYSTEMS for part in _PARTS))
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
_SMALLEST = 1
"""Spans of a type that is shown: two of the paper's types have fewer than fifty."""
_COMPOUNDS = "Compounds"
_NO_TYPES = "no concept of this type; without --umls the types are those of the corpus"


def run(work: Workspace) -> ReproductionOutcome:
    """Run both systems on the notes, and evaluate their spans and concepts."""
    real = authors(work, also=tuple(who.lower() for who in SYSTEMS))
    if real is None:
        given = task(work)
        names = Vocabulary.open(given.vocabulary)
        found = _measured(work, given.test, ours(work, given), names)
        return _outcome(found, Basis.STAND_IN, given.used, BY)
    # Whose vocabulary it is decides which types a concept has.
    user_s = None if real.vocabulary is None else Vocabulary.open(real.vocabulary)
    return _outcome(_measured(work, real.gold, real.systems, user_s), Basis.REAL, real.used, {})


def _measured(
    work: Workspace, gold: Corpus, systems: Mapping[str, Corpus], names: Vocabulary | None
) -> EntitiesResult:
    with quietly():
        return evaluate_entities(
            gold,
            systems,
            vocabulary=names,
            settings=EntitySettings(least=_SMALLEST),
            times=work.scale.resamples,
        )


def _outcome(
    found: EntitiesResult, basis: Basis, used: tuple[UsedData, ...], by: Mapping[str, str]
) -> ReproductionOutcome:
    numbers: dict[str, Measured] = {}
    for row in _ROWS:
        name = "all" if row == "All types" else row
        if name not in found.systems[SYSTEMS[0]].recognized:
            for column in _COLUMNS:
                numbers[f"{row} · {column}"] = Measured(None, basis, undefined=_NO_TYPES)
            continue
        for who in SYSTEMS:
            one = found.systems[who].recognized[name]
            numbers[f"{row} · # in data"] = Measured.counted(one.spans.n or 0, basis)
            for part, attribute in _PARTS.items():
                numbers[f"{row} · {who} {part}"] = Measured.of(
                    getattr(one, attribute), basis, times=100, by=by.get(who)
                )
    whole = found.systems["cTAKES"].compounds
    for column, value in (
        ("all", whole.compounds), ("recovered", whole.recovered), ("missed", whole.missed),
        ("missed, with a part right", whole.missed_with_a_part_right),
    ):  # fmt: skip
        reader = None if column == "all" else by.get("cTAKES")
        numbers[f"{_COMPOUNDS} · {column}"] = Measured(value, basis, exact=True, by=reader)
    return ReproductionOutcome(numbers, used, seeds=(0,))


_META, _CTAKES = SYSTEMS
REPRODUCTION = Reproduction(
    name="entities-table-3",
    paper="entities",
    label="Table 3",
    title="Two systems end to end, by semantic type",
    needs=f"{CONCEPTS}, and the output of MetaMap and cTAKES on them in the same corpus as the "
        "annotators metamap and ctakes; the UMLS (licensed) for the semantic types",
    stand_in=f"{TASK_STAND_IN}; {STAND_IN}",
    options=("concepts", "umls"),
    calls=(
        "auscult external ctakes output/xmi concepts with-ctakes",
        "auscult external metamap output.mmi with-ctakes with-both",
        "auscult evaluate entities with-both with-both --annotator annotator_1 "
        "--annotator annotator_2 --system-annotator metamap --system-annotator ctakes "
        "--vocabulary umls --min-type-spans 1 --json",
    ),
    run=run,
    published=(
        *grid(_COLUMNS, _ROWS, within=(0, *[0.6] * 6), style=",.0f"),
        *grid(("all", "recovered", "missed", "missed, with a part right"),
              {_COMPOUNDS: (174, 74, 100, 54)}, style=",.0f"),
    ),
    claims=(
        above(f"All types · {_META} % Spans", f"All types · {_CTAKES} % Spans",
              "The rule-based system (MetaMap) recovers more of the spans than the hybrid one "
              "(cTAKES)…"),
        above(f"All types · {_CTAKES} CUI precision", f"All types · {_META} CUI precision",
              "…whose concepts are more often right."),
    ),
    remark="Gold is the union of both annotators. The numbers on compounds are those of cTAKES in "
        "section 5.3.",
)  # fmt: skip
