"""De-identify a whole corpus patient by patient, with bounded memory."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

import polars as pl

from auscult.core import Note
from auscult.core.progress import track
from auscult.corpus import schema
from auscult.corpus.corpus import Corpus
from auscult.corpus.history import recorded_by_unit
from auscult.corpus.sampling import ExclusionStep
from auscult.deid.date_shift import day_of
from auscult.deid.detect import detect
from auscult.deid.key import KeyWriter, PatientKey
from auscult.deid.options import DeidOptions
from auscult.deid.patients import PatientNotes, batches, by_patient
from auscult.deid.phi_span import PhiPart, PhiSpan
from auscult.deid.recognizers import Recognizer, builtin
from auscult.deid.records import Owners, known_names, needs_notes, scrub_records
from auscult.deid.review import ReviewDecision, ReviewItem, by_note, items_of, raise_all
from auscult.deid.review_counts import review_steps
from auscult.deid.scrub import Scrubbed, Scrubber, ScrubCounts

_MADE = "De-identified by Auscult: {style} surrogates, dates shifted by patient."


@dataclass(frozen=True, slots=True)
class DeidSummary:
    """The summary of a de-identification; it contains no note text."""

    patients: int
    tally: ScrubCounts
    chart_annotations: int
    steps: tuple[ExclusionStep, ...] = field(default=())
    untouched_columns: tuple[str, ...] = ()
    """Record columns kept unchanged: somebody must check whether they identify patients."""

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        tally = self.tally
        return {
            "patients": self.patients,
            "notes": tally.notes,
            "deleted_notes": tally.deleted,
            "replaced": dict(sorted(tally.replaced.items())),
            "generalized": tally.generalized,
            "doubtful": tally.doubtful,
            "undecided": tally.undecided,
            "decided": tally.decided,
            "kept": tally.kept,
            "unmovable_dates": tally.unmovable_dates,
            "dropped_times": tally.dropped_times,
            "annotations": tally.annotations + self.chart_annotations,
            "deleted_annotations": tally.deleted_annotations,
            "emptied_spans": tally.emptied_spans,
            "untouched_columns": list(self.untouched_columns),
            "steps": [step.to_dict() for step in self.steps],
        }


def deidentify(
    corpus: Corpus,
    out: Path | str,
    options: DeidOptions | None = None,
    *,
    recognizers: Sequence[Recognizer] | None = None,
    decisions: Sequence[ReviewDecision] = (),
    key: KeyWriter | None = None,
    overwrite: bool = False,
) -> DeidSummary:
    """Write the de-identified corpus to `out`, and the encrypted key file to `key` if given.

    The same options, recognizers and decisions give the same corpus. Without a key nothing that
    would undo the work is kept anywhere. What is wrong with the decisions is told at once.
    """
    out = Path(out)
    scrubber = Scrubber(
        options or DeidOptions(),
        builtin() if recognizers is None else recognizers,
        by_note(decisions),
    )
    owners = _owners(corpus)
    _warn_of_strays(corpus)
    known = known_names(corpus.lazy_records, owners)
    # Parts go beside the output: they hold nothing that it will not, and stay on its disk.
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.parts-", dir=out.parent) as folder:
        parts = _Parts(Path(folder))
        tally, patients = ScrubCounts(), 0
        for patient, scrubbed in _scrubbed(corpus, scrubber, known):
            tally.add(scrubbed.tally)
            patients += 1
            parts.add(scrubbed)
            if key is not None:
                key.add(_key(patient, scrubbed, scrubber))
        raise_all(scrubber.problems)
        parts.flush()
        made = _assembled(corpus, scrubber, parts, owners)
        is_reviewed = bool(decisions)
        steps = review_steps(tally.notes, tally.deleted, is_reviewed=is_reviewed)
        charts = len(owners.by_chart)
        left_out = charts - len(parts.chart_ids)
        of_charts = review_steps(charts, left_out, is_reviewed=is_reviewed)
        by_unit = {"note": steps, "chart": of_charts}
        listed = {u: [(one.name, one.removed, one.left) for one in s] for u, s in by_unit.items()}
        how = {"style": scrubber.options.style.value, "decisions": tally.decided}
        final = recorded_by_unit(made.corpus, "deid", how, listed)
        with nullcontext() if key is None else key.written():
            final.write(out, overwrite=overwrite)
    return DeidSummary(patients, tally, made.on_charts, steps, made.untouched)


def review_items(
    corpus: Corpus,
    *,
    recognizers: Sequence[Recognizer] | None = None,
    day_first: bool = False,
    everything: bool = False,
) -> Iterator[ReviewItem]:
    """The findings to review, in order of notes: the uncertain ones, or all."""
    for note, listed in findings(corpus, recognizers=recognizers, day_first=day_first):
        yield from items_of(note.note_id, note.text or "", listed, everything=everything)


def findings(
    corpus: Corpus, *, recognizers: Sequence[Recognizer] | None = None, day_first: bool = False
) -> Iterator[tuple[Note, list[PhiSpan]]]:
    """Every note with its findings, patient by patient."""
    chosen = builtin() if recognizers is None else recognizers
    known = known_names(corpus.lazy_records, _owners(corpus))
    for batch in batches(corpus, annotations=False):
        for patient in track(batch, "reading patients"):
            told = known.get(patient.patient_id)
            found = detect(patient.notes, chosen, day_first=day_first, known=told)
            yield from zip(patient.notes, found, strict=True)


def _scrubbed(
    corpus: Corpus, scrubber: Scrubber, known: Mapping[str, Mapping[str, PhiPart]]
) -> Iterator[tuple[PatientNotes, Scrubbed]]:
    for batch in batches(corpus):
        for patient in track(batch, "de-identifying patients"):
            yield patient, scrubber.scrub(patient, known.get(patient.patient_id))


class _Parts:
    """Notes and annotations as they come, in Parquet files of some thousand rows."""

    _AT_ONCE = 5_000

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._notes: list[Note] = []
        self._annotations: list[pl.DataFrame] = []
        self._count = 0
        self.chart_ids: set[str] = set()
        self.note_ids: set[str] = set()

    def add(self, scrubbed: Scrubbed) -> None:
        self._notes += scrubbed.notes
        self.chart_ids.update(note.chart_id for note in scrubbed.notes)
        self.note_ids.update(note.note_id for note in scrubbed.notes)
        if scrubbed.annotations:
            self._annotations.append(schema.annotations_table(scrubbed.annotations))
        if len(self._notes) >= self._AT_ONCE:
            self.flush()

    def flush(self) -> None:
        name = f"{self._count:06d}.parquet"
        schema.notes_table(self._notes).write_parquet(self._folder / f"notes-{name}")
        tables = self._annotations or [schema.annotations_table(())]
        pl.concat(tables).write_parquet(self._folder / f"annotations-{name}")
        self._notes, self._annotations = [], []
        self._count += 1

    def table(self, name: str) -> pl.LazyFrame:
        return pl.scan_parquet(self._folder / f"{name}-*.parquet")


@dataclass(frozen=True, slots=True)
class _Assembled:
    corpus: Corpus
    on_charts: int
    untouched: tuple[str, ...]


def _assembled(corpus: Corpus, scrubber: Scrubber, parts: _Parts, owners: Owners) -> _Assembled:
    """The whole corpus from its parts, with notes in the order they had, and what is on charts."""
    notes, annotations = parts.table("notes"), parts.table("annotations")
    left, by_chart = parts.chart_ids, owners.by_chart
    on_charts = [
        replace(one, chart_id=chart_id, meta=scrubber.value_meta(one.meta, by_chart, one.chart_id))
        for one in schema.iter_annotations(
            corpus.lazy_all_annotations.filter(pl.col("note_id").is_null())
        )
        if (chart_id := scrubber.new_id(one.chart_id, "chart")) in left
        or not by_chart.get(one.chart_id)
    ]
    if on_charts:
        annotations = pl.concat([schema.annotations_table(on_charts).lazy(), annotations])
    order = corpus.lazy_notes.select(note_id=_renamed(corpus, scrubber)).with_row_index("_row")
    notes = notes.join(order, on="note_id", maintain_order="right").drop("_row")
    records = corpus.lazy_records
    untouched: tuple[str, ...] = ()
    if records is not None:
        left_owners = replace(
            owners,
            deleted_charts=frozenset(
                one for one in by_chart if scrubber.new_id(one, "chart") not in left
            ),
            deleted_notes=frozenset(
                one for one in owners.by_note if scrubber.new_id(one, "note") not in parts.note_ids
            ),
        )
        scrubbed = scrub_records(records, scrubber, left_owners)
        records, untouched = scrubbed.table.lazy(), scrubbed.untouched
    described = _MADE.format(style=scrubber.options.style)
    before = corpus.manifest.description
    manifest = corpus.manifest.model_copy(
        update={"description": f"{before} {described}" if before else described, "source": None}
    )
    return _Assembled(Corpus(notes, annotations, records, manifest), len(on_charts), untouched)


def _warn_of_strays(corpus: Corpus) -> None:
    """Annotations on notes that are not there cannot be moved, and are left out."""
    on_notes = corpus.lazy_all_annotations.filter(pl.col("note_id").is_not_null())
    strays = on_notes.join(corpus.lazy_notes.select("note_id"), on="note_id", how="anti")
    count = strays.select(pl.len()).collect().item()
    if count:
        what = "annotation is" if count == 1 else "annotations are"
        warnings.warn(
            f"{count:,} {what} on notes that are not in the corpus; left out.",
            stacklevel=3,
        )


def _renamed(corpus: Corpus, scrubber: Scrubber) -> pl.Series | pl.Expr:
    if not scrubber.options.new_ids:
        return pl.col("note_id")
    ids = corpus.lazy_notes.select("note_id").collect()["note_id"]
    return pl.lit(pl.Series([scrubber.new_id(one, "note") for one in ids], dtype=pl.String))


def _owners(corpus: Corpus) -> Owners:
    """Whose the charts are; of the notes too where records name notes."""
    charts = corpus.lazy_notes.select("chart_id", by_patient()).unique(
        "chart_id", maintain_order=True
    )
    by_note: dict[str, str] = {}
    latest: dict[str, date] = {}
    if corpus.lazy_records is not None:
        times = corpus.lazy_notes.filter(pl.col("time").is_not_null()).select(by_patient(), "time")
        for patient, time in times.collect().iter_rows():
            day = day_of(time)
            if day is not None and day > latest.get(patient, date.min):
                latest[patient] = day
        if needs_notes(corpus.lazy_records):
            by_note = dict(corpus.lazy_notes.select("note_id", by_patient()).collect().iter_rows())
    return Owners(dict(charts.collect().iter_rows()), by_note, latest)


def _key(patient: PatientNotes, scrubbed: Scrubbed, scrubber: Scrubber) -> PatientKey:
    ids: dict[str, dict[str, str]] = {}
    if scrubber.options.new_ids:
        for note in patient.notes:
            ids.setdefault("note", {})[scrubber.new_id(note.note_id, "note")] = note.note_id
            ids.setdefault("chart", {})[scrubber.new_id(note.chart_id, "chart")] = note.chart_id
            if note.subject_id is not None:
                new = scrubber.new_id(note.subject_id, "patient")
                ids.setdefault("patient", {})[new] = note.subject_id
    return PatientKey(
        patient.patient_id,
        scrubbed.surrogates.offset.days,
        scrubbed.surrogates.names,
        scrubbed.undo,
        ids,
        {scrubber.new_id(n.note_id, "note"): n.time for n in patient.notes if n.time is not None},
    )
