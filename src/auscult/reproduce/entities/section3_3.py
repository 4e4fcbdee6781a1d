"""Entities, section 3.3: MetaMap and cTAKES on the spans of the task."""

from __future__ import annotations

from pathlib import Path

from auscult.corpus import Corpus, formats
from auscult.evaluate.entities import evaluate_entities
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
from auscult.reproduce.entities.end_to_end import BY, STAND_IN, SYSTEMS, ours
from auscult.reproduce.work import Workspace

_COLUMN = "Accuracy, %"
_POOLED = "Both pooled"


def run(work: Workspace) -> ReproductionOutcome:
    """The share of gold spans overlapped by the right concept, of each system and of either."""
    real = _real(work)
    if real is None:
        given = task(work)
        gold, systems, used = given.test, ours(work, given), given.used
        basis, by = Basis.STAND_IN, {**BY, _POOLED: " and ".join(BY.values())}
    else:
        gold, systems, used = real
        basis, by = Basis.REAL, {}
    with quietly():
        found = evaluate_entities(gold, systems, rule="lenient", times=work.scale.resamples)
    every = found.rules["lenient"]
    metrics = {**every.systems, _POOLED: every.pooled}
    numbers = {
        f"{row} · {_COLUMN}": Measured.of(metric, basis, times=100, by=by.get(row))
        for row, metric in metrics.items()
    }
    return ReproductionOutcome(numbers, used, seeds=(0,))


def _real(work: Workspace) -> tuple[Corpus, dict[str, Corpus], tuple[UsedData, ...]] | None:
    """MCN's test notes with the output of both systems, if it is given."""
    place, folder = work.sources.get("mcn"), work.sources.get("mcn-systems")
    if place is None or folder is None:
        return None
    outputs: dict[str, Path] = {who: folder / who.lower() for who in SYSTEMS}
    if not all(output.is_dir() for output in outputs.values()):
        return None
    gold = formats.read("mcn", place).select(splits=["test"])
    texts = gold.select(annotators=[])
    systems = {
        who: texts.with_annotations(formats.read("mcn", output).iter_annotations())
        for who, output in outputs.items()
    }
    used = (
        work.used("MCN", Basis.REAL, "MCN as released for n2c2 2019 track 3", place),
        work.used("MetaMap and cTAKES", Basis.REAL, "the given output of both", *outputs.values()),
    )
    return gold, systems, used


_META, _CTAKES = SYSTEMS
REPRODUCTION = Reproduction(
    name="entities-section-3-3",
    paper="entities",
    label="Section 3.3",
    title="MetaMap and cTAKES on the task's spans, leniently",
    needs="MCN, the corpus of n2c2 2019 track 3 (credentialed), and the output of MetaMap and "
        "cTAKES on its test notes as .norm files, in the folders metamap and ctakes of "
        "--mcn-systems",
    stand_in=f"{TASK_STAND_IN}; {STAND_IN}",
    options=("mcn", "mcn-systems", "ncbi"),
    calls=("auscult evaluate entities concepts metamap ctakes --split test --rule lenient --json",),
    run=run,
    published=grid(
        (_COLUMN,),
        {_META: (59.0,), _CTAKES: (47.1,), _POOLED: (64.6,)},
        within=0.1,
        style=".1f",
    ),
    claims=(
        above(f"{_META} · {_COLUMN}", f"{_CTAKES} · {_COLUMN}",
              "The rule-based system (MetaMap) finds more of the concepts than the hybrid one "
              "(cTAKES)."),
    ),
    remark="A span is right if any span with the right concept overlaps it; a span without a CUI "
        "is right unless the system has a concept on exactly that span.",
)  # fmt: skip
