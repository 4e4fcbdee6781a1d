"""A corpus: notes, annotations and records, in memory or in a directory of Parquet files."""

from __future__ import annotations

import errno
import os
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import polars as pl
from polars.exceptions import PolarsError
from pydantic import ValidationError

from auscult.core import Annotation, CorpusError, Note, Status, storage
from auscult.core.digests import file_digest
from auscult.core.names import require_known
from auscult.core.version import __version__
from auscult.corpus import schema
from auscult.corpus.adding import check_addition
from auscult.corpus.manifest import LAYOUT, FileEntry, Manifest
from auscult.corpus.pinned import scan_pinned
from auscult.corpus.readers import with_readers

if TYPE_CHECKING:
    from datasets import Dataset
    from spacy.language import Language
    from spacy.tokens import Doc

MANIFEST = "manifest.json"
# Small enough that a table of long notes streams through in little memory, large enough that a
# table of short ones still compresses. Measured by bench/import.py.
_NOTES_PER_GROUP = 1_000
_SHORT_NOTES_PER_GROUP = 10_000
_SHORT = 200
"""Bytes of a short note, compressed."""
_ROWS_PER_GROUP = 100_000
# Notes and annotations gathered into charts at once: some hundred megabytes of long notes.
_ROWS_OF_CHARTS = 50_000
# A quarter less time than at the default, 3, for about four per cent more bytes.
_ZSTD_LEVEL = 2


@dataclass(frozen=True, slots=True)
class Chart:
    """The notes of one admission with the annotations on them and on the chart as a whole."""

    chart_id: str
    notes: tuple[Note, ...]
    annotations: tuple[Annotation, ...]


@dataclass(frozen=True)
class Corpus:
    """Notes + annotations + records + a manifest. The tables are lazy; nothing is read until used.

    >>> from auscult.core import Code, Span
    >>> corpus = Corpus.of(
    ...     [Note("n1", "c1", text="Fever, no cough.")],
    ...     [Annotation("ann", Code("ICD-10-CM", "R50.9"), "c1", "n1", (Span(0, 5),))],
    ... )
    >>> [(a.code.value, a.spans) for a in corpus.iter_annotations()]
    [('R50.9', (Span(begin=0, end=5),))]
    """

    notes: pl.LazyFrame
    all_annotations: pl.LazyFrame
    """Those that were only ranked or asked for too, as `status` says."""
    records: pl.LazyFrame | None = None
    manifest: Manifest = field(default_factory=Manifest)
    path: Path | None = None

    @property
    def annotations(self) -> pl.LazyFrame:
        """What annotators say applies: the annotations whose status is given."""
        return self.all_annotations.filter(pl.col("status") == Status.GIVEN)

    @classmethod
    def of(
        cls,
        notes: Iterable[Note] = (),
        annotations: Iterable[Annotation] = (),
        records: pl.DataFrame | None = None,
        manifest: Manifest | None = None,
    ) -> Self:
        """A corpus in memory."""
        return cls(
            schema.notes_table(notes).lazy(),
            schema.annotations_table(annotations).lazy(),
            None if records is None else records.lazy(),
            manifest or Manifest(),
        )

    @classmethod
    def open(cls, path: Path | str) -> Self:
        """The corpus in a directory; reads the manifest and no more.

        What was opened stays what is read: once another write has replaced the files, reading on
        is an error.
        """
        path = Path(path)
        manifest = _read_manifest(path)
        while True:
            try:
                opened = cls._open(path, manifest)
            except CorpusError:
                opened = None
            # A write may have come between the manifest and the tables.
            again = _read_manifest(path)
            if again != manifest:
                manifest = again
            elif opened is not None:
                return opened
            else:
                return cls._open(path, manifest)

    @classmethod
    def _open(cls, path: Path, manifest: Manifest) -> Self:
        def table(name: str) -> pl.LazyFrame:
            return scan_pinned(path, f"{name}.parquet", manifest.files.get(f"{name}.parquet"))

        return cls(
            schema.check_table(table("notes"), schema.NOTES, f"{path}/notes.parquet"),
            schema.check_table(
                table("annotations"), schema.ANNOTATIONS, f"{path}/annotations.parquet"
            ),
            schema.check_records(table("records"), f"{path}/records.parquet")
            if "records.parquet" in manifest.files
            else None,
            manifest,
            path,
        )

    def __repr__(self) -> str:
        return f"Corpus(name={self.manifest.name!r}, path={str(self.path)!r})"

    def iter_notes(self) -> Iterator[Note]:
        """The notes, in order, with a batch in memory at a time."""
        return schema.iter_notes(self.notes)

    def iter_annotations(self, *, every_status: bool = False) -> Iterator[Annotation]:
        """The annotations, in order, with a batch in memory at a time.

        Those that were only ranked or asked for are among them when every status is wanted.
        """
        return schema.iter_annotations(self.all_annotations if every_status else self.annotations)

    def chart_ids(self) -> list[str]:
        """Every chart with a note or an annotation, in the order they first come."""
        both = pl.concat([self.notes.select("chart_id"), self.annotations.select("chart_id")])
        return both.unique(maintain_order=True).collect()["chart_id"].to_list()

    def charts(
        self, chart_ids: Collection[str] | None = None, *, every_status: bool = False
    ) -> Iterator[Chart]:
        """The charts named, or all, in order, each with its notes and annotations.

        Annotations that were only ranked or asked for are among them when every status is wanted.

        A chart's notes may be anywhere in the table, so charts are gathered a batch at a time;
        what is in memory at once does not grow with the corpus.
        """
        part = self if chart_ids is None else self.select(charts=chart_ids)
        batches = list(part._batches(every_status=every_status))
        for batch in batches:
            here = part if len(batches) == 1 else part.select(charts=batch)
            yield from here._gathered(every_status=every_status)

    def _batches(self, *, every_status: bool) -> Iterator[list[str]]:
        """The ids of all charts in order, in lists of charts that fit in memory together."""
        annotations = self.all_annotations if every_status else self.annotations
        both = pl.concat([self.notes.select("chart_id"), annotations.select("chart_id")])
        counted = both.group_by("chart_id", maintain_order=True).len().collect()
        number = (counted["len"].cum_sum() - 1) // _ROWS_OF_CHARTS
        for _, batch in counted.group_by(number, maintain_order=True):
            yield batch["chart_id"].to_list()

    def _gathered(self, *, every_status: bool) -> Iterator[Chart]:
        notes: dict[str, list[Note]] = {}
        annotations: dict[str, list[Annotation]] = {}
        for note in self.iter_notes():
            notes.setdefault(note.chart_id, []).append(note)
        for annotation in self.iter_annotations(every_status=every_status):
            annotations.setdefault(annotation.chart_id, []).append(annotation)
        for chart_id in dict.fromkeys([*notes, *annotations]):
            yield Chart(
                chart_id, tuple(notes.get(chart_id, ())), tuple(annotations.get(chart_id, ()))
            )

    def select(
        self,
        *,
        annotators: Collection[str] | None = None,
        systems: Collection[str] | None = None,
        categories: Collection[str] | None = None,
        splits: Collection[str] | None = None,
        charts: Collection[str] | None = None,
    ) -> Corpus:
        """The part of the corpus that fits; None asks for nothing.

        Annotators and systems choose among the annotations. Categories, splits and charts choose
        among the notes, and the annotations follow: those on a whole chart stay as long as one of
        its notes does. In a corpus on disk, whose manifest lists them, annotators or systems none
        of which is there are an error.
        """
        if self.path is not None:
            _require_any(annotators, self.manifest.annotators, "annotator")
            _require_any(systems, self.manifest.systems, "code system")
        notes, annotations, records = self.notes, self.all_annotations, self.records
        if annotators is not None:
            annotations = annotations.filter(pl.col("annotator").is_in(list(annotators)))
        if systems is not None:
            wanted = pl.col("system").is_in(list(systems))
            # Who gave codes of other systems read the note, and found none of these.
            notes = with_readers(notes, annotations.filter(~wanted), annotations.filter(wanted))
            annotations = annotations.filter(wanted)
        if charts is not None:
            notes = notes.filter(pl.col("chart_id").is_in(list(charts)))
            annotations = annotations.filter(pl.col("chart_id").is_in(list(charts)))
        if splits is not None or categories is not None:
            if categories is not None:
                notes = notes.filter(pl.col("category").is_in(list(categories)))
            if splits is not None:
                notes = notes.filter(pl.col("split").is_in(list(splits)))
            numbered = annotations.with_row_index("_row")
            on_note = numbered.filter(pl.col("note_id").is_not_null()).join(
                notes.select("note_id"), on="note_id", how="semi"
            )
            on_chart = numbered.filter(pl.col("note_id").is_null()).join(
                notes.select("chart_id"), on="chart_id", how="semi"
            )
            annotations = pl.concat([on_chart, on_note]).sort("_row").drop("_row")
        if records is not None and "chart_id" in records.collect_schema():
            narrowed = charts is not None or splits is not None or categories is not None
            if narrowed:
                records = records.join(
                    notes.select("chart_id"), on="chart_id", how="semi", maintain_order="left"
                )
        return replace(self, notes=notes, all_annotations=annotations, records=records, path=None)

    def with_annotations(self, annotations: Iterable[Annotation]) -> Corpus:
        """The corpus with further annotations, those of other annotators beside its own."""
        more = schema.annotations_table(annotations).lazy()
        return replace(self, all_annotations=pl.concat([self.all_annotations, more]), path=None)

    def merge(self, *others: Corpus) -> Corpus:
        """The notes, annotations and records of all, each once; a note's text from whoever has it.

        Two notes of one id that differ in chart or text are an error.
        """
        from auscult.corpus.merging import merge

        return merge([self, *others])

    def described(self, **changes: Any) -> Corpus:
        """The corpus with fields of its manifest changed."""
        return replace(self, manifest=self.manifest.model_copy(update=changes))

    def write(self, path: Path | str, *, overwrite: bool = False) -> Corpus:
        """Write the corpus into a directory and open it there.

        The directory changes at one stroke: a write that dies leaves what was there before.
        """
        path = Path(path)
        check_target(path, overwrite=overwrite)
        storage.publish(path, self._fill, overwrite=overwrite)
        return Corpus.open(path)

    def append(self, notes: Iterable[Note] = (), annotations: Iterable[Annotation] = ()) -> Corpus:
        """The corpus as it is on disk by now with further notes and annotations, at one stroke.

        Others who append at the same time are waited for. A note that is there already, an
        annotation on a note that is not, and a span past its note's text are errors.
        """
        path = self.path
        if path is None:
            raise CorpusError("Only a corpus in a directory can be appended to; write it first.")
        added = Corpus.of(notes, annotations)

        def fill(directory: Path) -> None:
            current = Corpus.open(path)
            check_addition(current, added)
            replace(
                current,
                notes=pl.concat([current.notes, added.notes]),
                all_annotations=pl.concat([current.all_annotations, added.all_annotations]),
            )._fill(directory)

        Corpus.open(path)  # before anything is locked or made, an error if it is none
        storage.publish(path, fill, alone=True)
        return Corpus.open(path)

    def verify(self) -> None:
        """Compare the files with the digests in the manifest; an error names those that differ."""
        if self.path is None:
            return
        wrong = [
            name
            for name, entry in self.manifest.files.items()
            if _sha256(storage.locate(self.path, name)) != entry.sha256
        ]
        if wrong:
            raise CorpusError(
                f"{self.path}: {', '.join(wrong)} changed since the manifest was written. "
                "Restore the directory, or import the source again."
            )

    def to_hf(self) -> Dataset:
        """A Hugging Face dataset, one row a note with its annotations (extra `hf`)."""
        from auscult.corpus.interop import huggingface

        return huggingface.to_hf(self)

    @classmethod
    def from_hf(cls, dataset: Dataset) -> Corpus:
        """The corpus of a dataset that `to_hf` made, or one of the same columns (extra `hf`)."""
        from auscult.corpus.interop import huggingface

        return huggingface.from_hf(dataset)

    def to_spacy(self, nlp: Language | None = None) -> Iterator[Doc]:
        """spaCy documents with the evidence of each annotator in `doc.spans` (extra `spacy`)."""
        from auscult.corpus.interop import spacy_docs

        return spacy_docs.to_spacy(self, nlp)

    def _fill(self, directory: Path) -> None:
        tables = {"notes": self.notes, "annotations": self.all_annotations}
        if self.records is not None:
            tables["records"] = schema.check_records(self.records, "The table of records")
        files = {}
        for name, table in tables.items():
            file = directory / f"{name}.parquet"
            group = _notes_per_group(self.manifest) if name == "notes" else _ROWS_PER_GROUP
            try:
                table.sink_parquet(
                    file, row_group_size=group, compression_level=_ZSTD_LEVEL, maintain_order=True
                )
            except PolarsError as error:
                if "No space left" in str(error):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error
                raise
            rows = pl.scan_parquet(file).select(pl.len()).collect().item()
            files[file.name] = FileEntry(sha256=_sha256(file), rows=rows, bytes=file.stat().st_size)
        written = pl.scan_parquet(directory / "annotations.parquet")
        manifest = self.manifest.model_copy(
            update={
                "layout": LAYOUT,
                "made_by": f"auscult {__version__}",
                "annotators": _counts(written, "annotator"),
                "systems": _counts(written, "system"),
                "files": files,
            }
        )
        (directory / MANIFEST).write_text(
            manifest.model_dump_json(indent=2, exclude_none=True) + "\n", encoding="utf-8"
        )


def _notes_per_group(manifest: Manifest) -> int:
    """More where notes are short, as the file that they come from says: what is kept of every
    group until the end of writing would otherwise be more than the notes themselves.
    """
    entry = manifest.files.get("notes.parquet")
    is_short = entry is not None and entry.bytes < _SHORT * entry.rows
    return _SHORT_NOTES_PER_GROUP if is_short else _NOTES_PER_GROUP


def _require_any(names: Collection[str] | None, known: Collection[str], what: str) -> None:
    if names and not set(names) & set(known):
        require_known(next(iter(names)), known, what)


def check_target(path: Path, *, overwrite: bool) -> None:
    """An error when no corpus may be written there."""
    storage.check_target(path, MANIFEST, "corpus", overwrite=overwrite)


def locate_manifest(path: Path) -> Path:
    """Where a corpus directory's manifest is at present."""
    return storage.locate(path, MANIFEST)


def _read_manifest(path: Path) -> Manifest:
    file = locate_manifest(path)
    if not file.exists():
        found = "there is no such directory" if not path.exists() else f"it has no {MANIFEST}"
        raise CorpusError(
            f"{path} is not a corpus: {found}. Make one with: auscult corpus import FORMAT "
            f"SOURCE {path}"
        )
    try:
        manifest = Manifest.model_validate_json(file.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise CorpusError(
            f"{file} is not a manifest: {where}: {first['msg']}. Restore the file from a copy, or "
            "import the source again with --overwrite."
        ) from error
    if manifest.layout < LAYOUT:
        raise CorpusError(
            f"{path} was made by {manifest.made_by or 'an earlier Auscult'}, whose corpus layout "
            "this version cannot read. Import the source again: auscult corpus import"
        )
    if manifest.layout > LAYOUT:
        raise CorpusError(
            f"{path} was written by a newer Auscult (layout {manifest.layout}, this one reads up "
            f"to {LAYOUT}). Upgrade: pip install -U auscult"
        )
    return manifest


def _counts(table: pl.LazyFrame, column: str) -> dict[str, int]:
    """Everyone (or every system) there is, with how many annotations were given."""
    given = (pl.col("status") == Status.GIVEN).sum()
    counted = table.group_by(column).agg(given).sort(column).collect()
    return dict(counted.iter_rows())


def _sha256(file: Path) -> str:
    try:
        return file_digest(file)
    except FileNotFoundError:
        return "missing"
