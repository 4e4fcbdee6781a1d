"""A whole corpus without its secrets, patient by patient, in memory that does not grow with it."""

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
from auscult.corpus.deid.detect import detect
from auscult.corpus.deid.found import Found, Part
from auscult.corpus.deid.funnel import funnel
from auscult.corpus.deid.key import KeyWriter, PatientKey
from auscult.corpus.deid.options import Options
from auscult.corpus.deid.patients import Patient, batches, by_patient
from auscult.corpus.deid.recognisers import Recogniser, builtin
from auscult.corpus.deid.records import Owners, known_names, needs_notes, scrub_records
from auscult.corpus.deid.review import Decision, Item, by_note, items_of, raise_all
from auscult.corpus.deid.scrub import Scrubbed, Scrubber, Tally
from auscult.corpus.deid.shift import day_of
from auscult.corpus.sampling import Step

_MADE = "De-identified by Auscult: {style} surrogates, dates moved by patient."


@dataclass(frozen=True, slots=True)
class Summary:
    """What a de-identification did. No words of any note are in it."""

    patients: int
    tally: Tally
    chart_annotations: int
    funnel: tuple[Step, ...] = field(default=())
    untouched_columns: tuple[str, ...] = ()
    """Columns of the records that are as they were: someone must see whether they identify."""

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        tally = self.tally
        return {
            "patients": self.patients,
            "notes": tally.notes,
            "deleted_notes": tally.deleted,
            "replaced": dict(sorted(tally.replaced.items())),
            "generalised": tally.generalised,
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
            "funnel": [step.to_dict() for step in self.funnel],
        }


def deidentify(
    corpus: Corpus,
    out: Path,
    options: Options | None = None,
    *,
    recognisers: Sequence[Recogniser] | None = None,
    decisions: Sequence[Decision] = (),
    key: KeyWriter | None = None,
    overwrite: bool = False,
) -> Summary:
    """Write the corpus without its secrets to `out`, and what would undo it to the `key`.

    The same options, recognisers and decisions give the same corpus. Without a key nothing that
    would undo the work is kept anywhere. What is wrong with the decisions is told at once.
    """
    scrubber = Scrubber(
        options or Options(),
        builtin() if recognisers is None else recognisers,
        by_note(decisions),
    )
    owners = _owners(corpus)
    _warn_of_strays(corpus)
    known = known_names(corpus.records, owners)
    # Parts go beside the output: they hold nothing that it will not, and stay on its disk.
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.parts-", dir=out.parent) as folder:
        parts = _Parts(Path(folder))
        tally, patients = Tally(), 0
        for patient, scrubbed in _scrubbed(corpus, scrubber, known):
            tally.add(scrubbed.tally)
            patients += 1
            parts.add(scrubbed)
            if key is not None:
                key.add(_key(patient, scrubbed, scrubber))
        raise_all(scrubber.problems)
        parts.flush()
        made = _assembled(corpus, scrubber, parts, owners)
        with nullcontext() if key is None else key.written():
            made.corpus.write(out, overwrite=overwrite)
    steps = funnel(tally.notes, tally.deleted)
    return Summary(patients, tally, made.on_charts, steps, made.untouched)


def review_items(
    corpus: Corpus,
    *,
    recognisers: Sequence[Recogniser] | None = None,
    day_first: bool = False,
    everything: bool = False,
) -> Iterator[Item]:
    """The findings to be decided on, in order of notes: the doubtful ones, or all of them."""
    for note, listed in findings(corpus, recognisers=recognisers, day_first=day_first):
        yield from items_of(note.note_id, note.text or "", listed, everything=everything)


def findings(
    corpus: Corpus, *, recognisers: Sequence[Recogniser] | None = None, day_first: bool = False
) -> Iterator[tuple[Note, list[Found]]]:
    """Every note with what is found in it, patient by patient."""
    chosen = builtin() if recognisers is None else recognisers
    known = known_names(corpus.records, _owners(corpus))
    for batch in batches(corpus, annotations=False):
        for patient in track(batch, "reading patients"):
            told = known.get(patient.patient_id)
            found = detect(patient.notes, chosen, day_first=day_first, known=told)
            yield from zip(patient.notes, found, strict=True)


def _scrubbed(
    corpus: Corpus, scrubber: Scrubber, known: Mapping[str, Mapping[str, Part]]
) -> Iterator[tuple[Patient, Scrubbed]]:
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
            corpus.all_annotations.filter(pl.col("note_id").is_null())
        )
        if (chart_id := scrubber.new_id(one.chart_id, "chart")) in left
        or not by_chart.get(one.chart_id)
    ]
    if on_charts:
        annotations = pl.concat([schema.annotations_table(on_charts).lazy(), annotations])
    order = corpus.notes.select(note_id=_renamed(corpus, scrubber)).with_row_index("_row")
    notes = notes.join(order, on="note_id", maintain_order="right").drop("_row")
    records = corpus.records
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
    on_notes = corpus.all_annotations.filter(pl.col("note_id").is_not_null())
    strays = on_notes.join(corpus.notes.select("note_id"), on="note_id", how="anti")
    count = strays.select(pl.len()).collect().item()
    if count:
        what = "annotation is" if count == 1 else "annotations are"
        warnings.warn(
            f"{count:,} {what} on notes that the corpus does not have, and left out.",
            stacklevel=3,
        )


def _renamed(corpus: Corpus, scrubber: Scrubber) -> pl.Series | pl.Expr:
    if not scrubber.options.new_ids:
        return pl.col("note_id")
    ids = corpus.notes.select("note_id").collect()["note_id"]
    return pl.lit(pl.Series([scrubber.new_id(one, "note") for one in ids], dtype=pl.String))


def _owners(corpus: Corpus) -> Owners:
    """Whose the charts are; of the notes too where records name notes."""
    charts = corpus.notes.select("chart_id", by_patient()).unique("chart_id", maintain_order=True)
    by_note: dict[str, str] = {}
    latest: dict[str, date] = {}
    if corpus.records is not None:
        times = corpus.notes.filter(pl.col("time").is_not_null()).select(by_patient(), "time")
        for patient, time in times.collect().iter_rows():
            day = day_of(time)
            if day is not None and day > latest.get(patient, date.min):
                latest[patient] = day
        if needs_notes(corpus.records):
            by_note = dict(corpus.notes.select("note_id", by_patient()).collect().iter_rows())
    return Owners(dict(charts.collect().iter_rows()), by_note, latest)


def _key(patient: Patient, scrubbed: Scrubbed, scrubber: Scrubber) -> PatientKey:
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
