"""The readmission task: which discharge notes were followed by another admission within 30 days.

Cao et al. 2022, appendix A: the encounters of each patient in the order of admission; a note is
positive when the next admission comes within 30 days of discharge; only encounters discharged at
least 30 days before the last admission in the data count, since what follows later ones is not
known. "Readmitted" is a code like any other, so that every model can learn it.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

import polars as pl

from auscult.core import Annotation, Code, CorpusError, OptionError
from auscult.corpus import schema
from auscult.corpus.corpus import Corpus
from auscult.corpus.sampling import ExclusionStep
from auscult.corpus.split import Unit, split_at_random

READMITTED = Code("outcome", "readmitted")
ANNOTATOR = "record"
SHARES: Mapping[str, float] = {"train": 0.7, "dev": 0.15, "test": 0.15}
SUMMARY = "discharge summary"
_NEEDED = ("chart_id", "subject_id", "admittime", "dischtime")


@dataclass(frozen=True, slots=True)
class ReadmissionTask:
    """The variations of the task; as they stand, those of the paper but for the split."""

    days: int = 30
    newborns: bool = True
    """Keep admissions of type NEWBORN."""
    deaths: bool = True
    """Keep encounters in which the patient died."""
    planned: bool = True
    """Let an elective admission count as a readmission."""
    summaries: Literal["all", "last"] = "all"
    """Which discharge summaries of an encounter to keep; `last` prefers reports to addenda."""
    by: Unit = "subject"
    """The unit that is kept together in one split. The paper splits by note."""
    seed: int = 0

    def __post_init__(self) -> None:
        if self.days < 1:
            raise OptionError(f"days must be at least 1; got {self.days}.")


@dataclass(frozen=True, slots=True)
class LabeledCorpus:
    """The corpus of the task, and how many encounters each step left out."""

    corpus: Corpus = field(repr=False)
    steps: tuple[ExclusionStep, ...]
    notes: int
    positive: int


@dataclass(frozen=True, slots=True)
class _Stay:
    chart_id: str
    subject_id: str
    admitted: datetime
    discharged: datetime
    kind: str
    died: bool


def readmission(corpus: Corpus, task: ReadmissionTask | None = None) -> LabeledCorpus:
    """Discharge notes, those followed by a readmission annotated with `outcome readmitted`.

    The corpus has admissions as records (as `mimic3` and `mimic4` import them). The number of
    days until the readmission is in the annotation's meta.
    """
    task = task or ReadmissionTask()
    stays, steps = _stays(corpus)
    if not stays:
        raise CorpusError(
            "No admission has both an admission and a discharge time, so readmissions cannot "
            "be determined. Import ADMISSIONS together with the notes."
        )
    waits = _waits(stays, task)
    last = max(stay.admitted for stay in stays) - timedelta(days=task.days)
    kept = stays

    def step(name: str, left: list[_Stay]) -> None:
        nonlocal kept
        steps.append(ExclusionStep(name, len(kept) - len(left), len(left)))
        kept = left

    step(
        f"discharged less than {task.days} days before the last admission",
        [stay for stay in kept if stay.discharged <= last],
    )
    if not task.newborns:
        step("newborn", [stay for stay in kept if stay.kind != "NEWBORN"])
    if not task.deaths:
        step("died in hospital", [stay for stay in kept if not stay.died])
    notes = _summaries(corpus, [stay.chart_id for stay in kept], task)
    step("no discharge summary", [stay for stay in kept if stay.chart_id in notes])
    if not kept:
        raise CorpusError(
            "No encounter is left: "
            + "; ".join(f"{one.left:,} after: {one.name}" for one in steps)
            + "."
        )
    annotations = [
        Annotation(ANNOTATOR, READMITTED, stay.chart_id, note_id, meta={"days": f"{wait.days}"})
        for stay in kept
        for note_id in notes[stay.chart_id]
        if (wait := waits.get(stay.chart_id)) is not None and wait <= timedelta(days=task.days)
    ]
    every = [note_id for stay in kept for note_id in notes[stay.chart_id]]
    made = Corpus(
        # The record knows of every stay what followed it, also of those without a code.
        corpus.lazy_notes.filter(pl.col("note_id").is_in(every)).with_columns(read_by=[ANNOTATOR]),
        schema.annotations_table(annotations).lazy(),
        manifest=corpus.manifest.model_copy(update={"files": {}}),
    )
    if task.by != "subject":
        warnings.warn(
            f"Split by {task.by}, notes of one patient can be in both train and test, so a "
            "model may recognize patients instead of clinical signs. Metrics will be too "
            "optimistic.",
            stacklevel=2,
        )
    split = split_at_random(made, SHARES, by=task.by, seed=task.seed)
    return LabeledCorpus(split, tuple(steps), len(every), len(annotations))


def _stays(corpus: Corpus) -> tuple[list[_Stay], list[ExclusionStep]]:
    records = corpus.lazy_records
    columns = [] if records is None else records.collect_schema().names()
    missing = [name for name in _NEEDED if name not in columns]
    if records is None or missing:
        raise CorpusError(
            f"The readmission task needs records with {', '.join(_NEEDED)}; the corpus has "
            f"{', '.join(columns) or 'no records'}. Import ADMISSIONS together with the notes "
            "(auscult corpus import mimic3)."
        )
    wanted = [*_NEEDED, *(c for c in ("admission_type", "hospital_expire_flag") if c in columns)]
    rows = records.select(
        pl.col(c).cast(pl.String).str.strip_chars() for c in wanted
    ).with_columns(
        pl.col(c).str.replace(" ", "T").str.to_datetime(strict=False)
        for c in ("admittime", "dischtime")
    )  # fmt: skip
    table = rows.collect()
    timed = table.drop_nulls(["admittime", "dischtime"])
    stays = [
        _Stay(
            row["chart_id"],
            row["subject_id"] or row["chart_id"],
            row["admittime"],
            row["dischtime"],
            (row.get("admission_type") or "").upper(),
            row.get("hospital_expire_flag") == "1",
        )
        for row in timed.iter_rows(named=True)
    ]
    steps = [ExclusionStep("admissions", 0, len(table))]
    if len(stays) < len(table):
        steps.append(
            ExclusionStep("no time of admission or discharge", len(table) - len(stays), len(stays))
        )
    return stays, steps


def _waits(stays: Sequence[_Stay], task: ReadmissionTask) -> dict[str, timedelta]:
    """From each discharge to the next admission that counts, where there is one."""
    by_subject: dict[str, list[_Stay]] = {}
    for stay in stays:
        by_subject.setdefault(stay.subject_id, []).append(stay)
    waits: dict[str, timedelta] = {}
    for own in by_subject.values():
        own.sort(key=lambda stay: (stay.admitted, stay.discharged, stay.chart_id))
        for at, stay in enumerate(own):
            later = (
                other.admitted - stay.discharged
                for other in own[at + 1 :]
                # One that begins before this one ends is part of it.
                if other.admitted >= stay.discharged and (task.planned or other.kind != "ELECTIVE")
            )
            if (wait := next(later, None)) is not None:
                waits[stay.chart_id] = wait
    return waits


def _summaries(
    corpus: Corpus, charts: Sequence[str], task: ReadmissionTask
) -> dict[str, list[str]]:
    """The ids of the discharge summaries with text, by chart."""
    is_summary = pl.col("category").str.strip_chars().str.to_lowercase() == SUMMARY
    has_text = pl.col("text").str.contains(r"\S")
    is_report = pl.col("meta").str.json_path_match("$.description").str.to_lowercase() != "addendum"
    found = (
        corpus.lazy_notes.filter(is_summary & has_text & pl.col("chart_id").is_in(charts))
        .select("note_id", "chart_id", "time", is_report=is_report.fill_null(value=True))
        .collect()
    )
    if task.summaries == "last":
        # An addendum only where there is nothing else.
        found = found.sort("is_report", "time", maintain_order=True).unique("chart_id", keep="last")
    by_chart: dict[str, list[str]] = {}
    for note_id, chart_id, *_ in found.iter_rows():
        by_chart.setdefault(chart_id, []).append(note_id)
    return by_chart
