"""The part of the demo about audits: a readmission model beside one that was misled."""

from __future__ import annotations

import csv
import warnings
from pathlib import Path
from typing import Any

from auscult.audit.planting import plant
from auscult.audit.ratings import ClinicianRatings, read_ratings
from auscult.audit.run import AuditPlan, audit, write_results
from auscult.cli.demo_part import DemoPart, missing
from auscult.core import Metric
from auscult.corpus import formats
from auscult.corpus.readmission import READMITTED, ReadmissionTask, readmission
from auscult.corpus.split import split_by_list
from auscult.experiment import assess
from auscult.models.training import train
from auscult.report.audit_report import AuditedModel, audit_report
from auscult.report.page import PageLink
from auscult.synth.hospital import make_hospital, split_lists

PAGE = "audit.html"
_SPURIOUS = "azure"
_CHARTS = 80
_TIMES_PATIENTS = 2
_EFFECT = 3.0
"""Readmissions are rare: it takes more patients than the rest of the demo, and clearer causes."""
_RESAMPLES = 200
_SETTINGS: dict[str, dict[str, Any]] = {
    "tfidf-xgboost": {"min_df": 5},
    "linear": {"max_ngram": 1, "sections": False, "C": 10.0, "min_df": 5},
}


def show_audit(out: Path, *, patients: int, seed: int) -> DemoPart:
    """Ask two models which words move them: one trained on the notes, one on a planted word too.

    Leaves the hospital `readmission-hospital`, its corpora `readmission` and `misleading`, the
    models `readmission-model` and `misled-model` and the numbers (`audit`) in `out`.
    """
    why = missing("The model tfidf-xgboost", "xgboost")
    kind = "linear" if why else "tfidf-xgboost"
    source = out / "readmission-hospital"
    make_hospital(source, _TIMES_PATIENTS * patients, seed, readmission_effect=_EFFECT)
    notes = split_by_list(formats.read("mimic3", source / "mimic3"), split_lists(source))
    task = readmission(notes, ReadmissionTask(deaths=False, summaries="last", seed=seed)).corpus
    clean = task.described(name="readmission").write(out / "readmission")
    planted = plant(clean, _SPURIOUS, READMITTED, seed=seed).write(out / "misleading")
    models = {"clean": out / "readmission-model", "misled": out / "misled-model"}
    with warnings.catch_warnings():
        # Nobody pointed at the words behind a readmission.
        warnings.simplefilter("ignore")
        unspoiled = train(clean, models["clean"], kind, _SETTINGS[kind], seed=seed)
        train(planted, models["misled"], kind, _SETTINGS[kind], seed=seed)
        quality = assess(unspoiled, clean.select(splits=["test"]), times=0).codes
    ratings = _ratings(source / "ratings" / "clinicians.csv", out / "audit")
    plan = AuditPlan(READMITTED, tuple(ratings.importance), times=_RESAMPLES, seed=seed)
    charts = [c for c in planted.select(splits=["test"]).charts() if c.notes][:_CHARTS]
    found = audit(
        models["misled"], charts, plan, out / "audit", other=models["clean"], ratings=ratings
    )
    about = {
        "model": kind,
        "corpus": "synthetic hospital",
        "code": f"{READMITTED}",
        "seed": f"{seed}",
    }
    write_results(found, out / "audit", about)
    audit_report(
        AuditedModel("misled model", found.found, found.alignment),
        out / "report" / PAGE,
        about=about,
        title="Which words move a model",
        second=None
        if found.other is None
        else AuditedModel("clean model", found.other, found.other_alignment),
        difference=found.difference,
        remark=_remark(kind, unspoiled.about.source.charts, quality.metrics["micro_auc"]),
        home="index.html",
    )
    first = found.found.ranked()[0].word
    page = PageLink(
        PAGE,
        "Which words move a model",
        f"A {kind} model that learned from a meaningless word is found out: of {len(plan.words)} "
        f"words, “{first}” moves its score most; clinicians rate “{_SPURIOUS}” last",
    )
    left_out = f"tf-idf + XGBoost in the audit; a linear model takes its place. {why}"
    return DemoPart((page,), (left_out,) if why else ())


def _remark(kind: str, charts: int, auroc: Metric) -> str:
    """What was audited, how good it is, and what such a small audit can tell."""
    reached = "undefined" if auroc.value is None else f"{auroc.value:.2f}"
    return (
        f"This is a demo: two small {kind} models predict readmission, trained on {charts:,} "
        "charts of a hospital whose readmissions have clearer causes than real ones. For the "
        f"misled model, the word “{_SPURIOUS}” was planted in most charts of readmitted patients "
        f"and in few others. The clean model's AUROC is {reached} on the test charts without that "
        "word (0.5 is chance). So few charts find a planted word, but the correlation with "
        "clinicians changes with every sample: do not read much into it."
    )


def _ratings(file: Path, out: Path) -> ClinicianRatings:
    """The clinicians' ratings, and the planted word, which means nothing to them."""
    out.mkdir()
    with file.open(encoding="utf-8", newline="") as handle:
        rows = list(csv.reader(handle))
    rows.append([_SPURIOUS, *["1"] * (len(rows[0]) - 1)])
    with (out / "clinicians.csv").open("w", encoding="utf-8", newline="") as handle:
        csv.writer(handle, lineterminator="\n").writerows(rows)
    return read_ratings(out / "clinicians.csv")
