"""MDACE's released predictions, scored again with Auscult's metrics.

The authors published the evidence that three of their networks predicted, and what their own
script says of it (`predictions/` and `results/` of their repository). With the text of the notes,
Auscult's metrics must give the same counts: no training is between the two.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from auscult.core import Annotation, OptionError
from auscult.corpus import Corpus, formats
from auscult.corpus.selecting import matching
from auscult.evaluate import EvidenceResult, evidence_metrics, pair
from auscult.models.chart_inputs import codes_by_chart
from auscult.models.model import Model
from auscult.reproduce.contract import (
    Basis,
    Measured,
    Printed,
    Reproduction,
    ReproductionOutcome,
    UsedData,
    above,
)
from auscult.reproduce.mdace.files import SUMMARY, ChartFiles, charts
from auscult.reproduce.mdace.training import (
    CODEABLE,
    STAND_IN,
    codeable,
    learned,
    settings_used,
    summaries,
)
from auscult.reproduce.work import Workspace

_MEASURES = {
    "token": "token", "exact span": "span", "P.I. token": "token_pi", "P.I. exact span": "span_pi",
}  # fmt: skip
_COLUMNS = ("Predicted", "Gold", "True positives", "P", "R", "F1")


@dataclass(frozen=True, slots=True)
class _Run:
    """A network's predictions, and what the authors' script printed for each measure."""

    network: str
    folder: str
    categories: tuple[str, ...]
    merge_adjacent: bool
    printed: tuple[tuple[float, ...], ...]


_RUNS = {
    "Supervised": _Run(
        "supervised_attn", "Discharge", (SUMMARY,), merge_adjacent=False,
        printed=(
            (2040, 1474, 748, 36.7, 50.7, 42.6), (1636, 645, 303, 18.5, 47.0, 26.6),
            (1303, 1407, 778, 59.7, 55.3, 57.4), (1084, 634, 322, 29.7, 50.8, 37.5),
        ),
    ),
    "Unsupervised": _Run(
        "unsupervised_attn", "Discharge", (SUMMARY,), merge_adjacent=False,
        printed=(
            (1161, 1474, 479, 41.3, 32.5, 36.4), (1085, 645, 220, 20.3, 34.1, 25.4),
            (759, 1407, 515, 67.9, 36.6, 47.6), (718, 634, 237, 33.0, 37.4, 35.1),
        ),
    ),
    "Supervised, code-able notes": _Run(
        "supervised_attn", "Codeable", CODEABLE, merge_adjacent=True,
        printed=(
            (1213, 1741, 472, 38.9, 27.1, 32.0), (1144, 742, 215, 18.8, 29.0, 22.8),
            (723, 1628, 532, 73.6, 32.7, 45.3), (682, 723, 252, 37.0, 34.9, 35.9),
        ),
    ),
}  # fmt: skip


def run(work: Workspace) -> ReproductionOutcome:
    """Score each network's predictions for the test charts against the gold evidence."""
    numbers: dict[str, Measured] = {}
    used: list[UsedData] = []
    remarks: tuple[str, ...] = ()
    for name, one in _RUNS.items():
        whole = charts(work, "Inpatient", categories=one.categories)
        used += whole.used
        if whole.basis is Basis.STAND_IN:
            gold, predictions = _stand_in(work, one)
            remarks = settings_used(work)
        else:
            gold, predictions = _released(whole, one)
            used.append(work.used("released predictions", Basis.REAL, one.network, predictions))
        found = scored(
            gold, predictions, one.categories, merge_adjacent=one.merge_adjacent,
            times=work.scale.resamples,
        )  # fmt: skip
        numbers |= _numbers(name, found, whole.basis)
    return ReproductionOutcome(numbers, tuple(dict.fromkeys(used)), remarks)


def scored(
    gold: Corpus,
    predictions: Path,
    categories: tuple[str, ...],
    *,
    merge_adjacent: bool,
    times: int = 0,
) -> EvidenceResult:
    """A folder of predictions against gold, cleaned as the authors clean it.

    Only notes of the categories and charts of gold count, as in the authors' script.
    """
    made = matching(
        formats.read("mdace", predictions), categories=categories, charts=gold.chart_ids()
    )
    sides = pair(gold, made, annotator="inpatient", counts_all=None)
    return evidence_metrics(sides, trim=True, merge_adjacent=merge_adjacent, times=times)


def _released(whole: ChartFiles, one: _Run) -> tuple[Corpus, Path]:
    place = whole.files.folder / "predictions" / one.network / "Inpatient" / "ICD-9" / one.folder
    if not place.exists():
        raise OptionError(
            f"{place} does not exist. Pass MDACE's whole repository with --mdace: its predictions/ "
            "are scored here."
        )
    known = set(whole.corpus.chart_ids())
    test = [chart for chart in whole.files.lists("Inpatient", "ev")["test"] if chart in known]
    return whole.corpus.select(charts=test, annotators=["inpatient"]), place


def _stand_in(work: Workspace, one: _Run) -> tuple[Corpus, Path]:
    """Test charts of the hospital, and a folder of our networks' predictions as the authors'."""
    if one.folder == "Codeable":
        _, corpus, model = codeable(work, "Inpatient")
    else:
        _, corpus = summaries(work)
        evidence = "supervised" if one.network == "supervised_attn" else "attention"
        settings = {"evidence": evidence, "annotators": ("billing", "inpatient")}
        model = learned(work, corpus, "effectivecan", settings, seed=0)
    test = corpus.select(splits=["test"], annotators=["inpatient"])
    about = {"network": one.network, "of": one.folder, "model": model.about.source.digest}
    return test, work.kept("predictions", about, lambda out: _write(model, test, out))


def _write(model: Model, test: Corpus, out: Path) -> None:
    """The evidence for the gold codes, in MDACE's form."""
    asked = codes_by_chart(test.iter_annotations())

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        made = list(model.predict(test.iter_notes(), also=asked))
    evidence = [
        Annotation("inpatient", one.code, one.chart_id, one.note_id, one.spans)
        for one in made
        if one.spans and one.code in asked.get(one.chart_id, ())
    ]
    out.mkdir()
    bare = test.select(annotators=[])
    formats.write("mdace", bare.with_annotations(evidence), out / "Inpatient")


def _numbers(name: str, found: EvidenceResult, basis: Basis) -> dict[str, Measured]:
    numbers = {}
    for measure, key in _MEASURES.items():
        counts = found.metrics[key].counts
        row = f"{name}: {measure}"
        if counts is not None:
            sizes = (counts.tp + counts.fp, counts.tp + counts.fn, counts.tp)
            for column, size in zip(_COLUMNS, sizes, strict=False):
                numbers[f"{row} · {column}"] = Measured.counted(size, basis)
        for column, ratio in zip(_COLUMNS[3:], ("precision", "recall", "f1"), strict=True):
            metric = getattr(found.metrics[key], ratio)
            numbers[f"{row} · {column}"] = Measured.of(metric, basis, times=100)
    return numbers


def _published() -> Iterator[Printed]:
    """Counts are equal; where adjacent spans are merged, by how much the two ways differ."""
    for name, one in _RUNS.items():
        counted, measured = (10.0, 1.0) if one.merge_adjacent else (0.0, 0.051)
        for measure, values in zip(_MEASURES, one.printed, strict=True):
            for column, value in zip(_COLUMNS, values, strict=True):
                is_count = column in _COLUMNS[:3]
                yield Printed(
                    f"{name}: {measure}", column, value,
                    counted if is_count else measured, ",.0f" if is_count else ".1f",
                )  # fmt: skip


REPRODUCTION = Reproduction(
    name="mdace-released",
    paper="mdace",
    label="Released predictions",
    title="The authors' predictions, scored again",
    needs="MIMIC-III (PhysioNet, credentialed) and MDACE with its predictions/ (open)",
    stand_in=f"predictions of our own networks in the same files; {STAND_IN}",
    options=("mimic3", "mdace"),
    calls=(
        "auscult corpus import mdace MDACE/data/Inpatient/ICD-9 gold "
        "--noteevents NOTEEVENTS.csv.gz --splits MDACE/splits/Inpatient",
        "auscult evaluate evidence gold "
        "MDACE/predictions/supervised_attn/Inpatient/ICD-9/Discharge --split test "
        "--category 'Discharge summary' --trim",
        "auscult evaluate evidence gold "
        "MDACE/predictions/supervised_attn/Inpatient/ICD-9/Codeable --split test "
        "--category 'Discharge summary' --category Physician --category Radiology --trim "
        "--merge-adjacent",
    ),
    run=run,
    published=tuple(_published()),
    claims=tuple(
        above(f"Supervised: {measure} · F1", f"Unsupervised: {measure} · F1",
              f"Supervised attention is better by {measure} match.")
        for measure in _MEASURES
    ),
    remark="The published numbers are the counts in the repository's results/, each from one "
        "run; Table 9 has means of three runs. The results for code-able notes are those of its "
        "commit bf438d0, not those of the paper's Table 10, whose predictions were replaced. The "
        "authors' script merges adjacent spans differently where spans are nested or a span of "
        "another code lies between them, so these counts may differ by ten.",
)  # fmt: skip
