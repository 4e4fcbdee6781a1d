"""A corpus: notes, annotations and records, in memory or in a directory of Parquet files."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pydantic import ValidationError

from auscult.core import Annotation, CorpusError, Note, Status, storage
from auscult.core.deferred import polars as pl
from auscult.core.digests import file_digest
from auscult.core.option_names import option
from auscult.core.plurals import counted
from auscult.core.version import __version__
from auscult.corpus import schema
from auscult.corpus.additions import check_addition
from auscult.corpus.manifest import LAYOUT, FileEntry, Manifest
from auscult.corpus.pinned_table import scan_pinned

if TYPE_CHECKING:
    import pandas as pd
    from datasets import Dataset
    from spacy.language import Language
    from spacy.tokens import Doc

MANIFEST = "manifest.json"
# Small enough that a table of long notes streams through in little memory, large enough that a
# table of short ones still compresses. Measured by bench/import.py.
_NOTES_PER_GROUP = 1_000
_SHORT_NOTES_PER_GROUP = 10_000
_SHORT = 200
"""Size in bytes of a short note, compressed."""
_ROWS_PER_GROUP = 100_000
# Notes and annotations gathered into charts at once: some hundred megabytes of long notes.
_ROWS_OF_CHARTS = 50_000
# A quarter less time than at the default, 3, for about four per cent more bytes.
_ZSTD_LEVEL = 2


@dataclass(frozen=True, slots=True, repr=False)
class Chart:
    """The notes of one admission with the annotations on them and on the chart as a whole.

    In a notebook a chart shows its notes with the evidence marked.
    """

    chart_id: str
    notes: tuple[Note, ...]
    annotations: tuple[Annotation, ...]

    def __repr__(self) -> str:
        notes, said = counted(len(self.notes), "note"), counted(len(self.annotations), "annotation")
        return f"Chart({self.chart_id!r}: {notes}, {said})"

    def _repr_html_(self) -> str:
        from auscult.corpus import display

        return display.chart_html(self)


@dataclass(frozen=True)
class Corpus:
    """A dataset: notes, annotations, optional records, and a manifest.

    `notes`, `annotations`, `all_annotations` and `records` are polars data frames, read from disk
    each time they are asked for. A large corpus is better taken lazily: `lazy_notes` and so on are
    the same tables as `LazyFrame`s, of which only the columns and rows used are read.

    >>> from auscult.core import Code, Span
    >>> corpus = Corpus.of(
    ...     [Note("n1", "c1", text="Fever, no cough.")],
    ...     [Annotation("ann", Code("ICD-10-CM", "R50.9"), "c1", "n1", (Span(0, 5),))],
    ... )
    >>> [(a.code.value, a.spans) for a in corpus.iter_annotations()]
    [('R50.9', (Span(begin=0, end=5),))]
    >>> corpus.annotations["code"].to_list()
    ['R50.9']
    """

    lazy_notes: pl.LazyFrame
    lazy_all_annotations: pl.LazyFrame
    """Annotations of every status (given, ranked, asked)."""
    lazy_records: pl.LazyFrame | None = None
    manifest: Manifest = field(default_factory=Manifest)
    path: Path | None = None

    @property
    def lazy_annotations(self) -> pl.LazyFrame:
        """The assigned codes: annotations with status `given`."""
        return self.lazy_all_annotations.filter(pl.col("status") == Status.GIVEN)

    @property
    def notes(self) -> pl.DataFrame:
        """All notes, one row each. `lazy_notes` reads only what is used of them."""
        return self.lazy_notes.collect()

    @property
    def annotations(self) -> pl.DataFrame:
        """The assigned codes, one row per annotation (status `given`)."""
        return self.lazy_annotations.collect()

    @property
    def all_annotations(self) -> pl.DataFrame:
        """Annotations of every status, including codes that a model only ranked or explained."""
        return self.lazy_all_annotations.collect()

    @property
    def records(self) -> pl.DataFrame | None:
        """The discrete variables of charts or patients, one row per record; None without any."""
        return None if self.lazy_records is None else self.lazy_records.collect()

    @cached_property
    def content_digest(self) -> str:
        """SHA-256 of the tables, by which a corpus in memory is told from another."""
        tables = (self.lazy_notes, self.lazy_all_annotations, self.lazy_records)
        return schema.content_digest(table for table in tables if table is not None)

    @classmethod
    def of(
        cls,
        notes: Iterable[Note] = (),
        annotations: Iterable[Annotation] = (),
        records: pl.DataFrame | None = None,
        manifest: Manifest | None = None,
    ) -> Self:
        """Create a corpus in memory."""
        return cls(
            schema.notes_table(notes).lazy(),
            schema.annotations_table(annotations).lazy(),
            None if records is None else records.lazy(),
            manifest or Manifest(),
        )

    @classmethod
    def from_polars(
        cls,
        notes: pl.DataFrame,
        annotations: pl.DataFrame | None = None,
        records: pl.DataFrame | None = None,
        *,
        system: str | None = None,
        annotator: str = "gold",
        name: str = "",
    ) -> Corpus:
        """Create a corpus from polars data frames.

        `notes` has the columns `note_id` and `text`, and may have `chart_id` (or `hadm_id`),
        `subject_id`, `category`, `time` and `split`; without a chart, a note is its own.
        `annotations` has `code`, and `note_id` or `chart_id`; it may have `system`, `begin` and
        `end` (half-open, in Unicode code points), `annotator`, `score` and `status`. `system` and
        `annotator` fill in what the table does not say. Codes are written as their system
        publishes them: `4019` of ICD-9-CM becomes `401.9`. A warning names other columns, which are
        not used.

        >>> notes = pl.DataFrame({"note_id": [1], "text": ["Fever, no cough."]})
        >>> codes = pl.DataFrame({"note_id": [1], "code": ["r509"], "begin": [0], "end": [5]})
        >>> Corpus.from_polars(notes, codes, system="ICD-10-CM").annotations["code"].item()
        'R50.9'
        """
        from auscult.corpus.interop import frames

        return frames.from_polars(
            notes, annotations, records, system=system, annotator=annotator, name=name
        )

    @classmethod
    def from_pandas(
        cls,
        notes: pd.DataFrame,
        annotations: pd.DataFrame | None = None,
        records: pd.DataFrame | None = None,
        *,
        system: str | None = None,
        annotator: str = "gold",
        name: str = "",
    ) -> Corpus:
        """Create a corpus from pandas data frames, with the columns that `from_polars` takes.

        The way back is `corpus.notes.to_pandas()`, which needs the extra `pandas`.
        """
        from auscult.corpus.interop import frames

        return frames.from_pandas(
            notes, annotations, records, system=system, annotator=annotator, name=name
        )

    @classmethod
    def open(cls, path: Path | str) -> Self:
        """Open the corpus in a directory; only the manifest is read at once.

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
        from auscult.corpus import display

        return display.summary(self)

    def _repr_html_(self) -> str:
        from auscult.corpus import display

        return display.corpus_html(self)

    def iter_notes(self) -> Iterator[Note]:
        """The notes, in order, with a batch in memory at a time."""
        return schema.iter_notes(self.lazy_notes)

    def iter_annotations(self, *, every_status: bool = False) -> Iterator[Annotation]:
        """The annotations, in order, with a batch in memory at a time.

        Those that were only ranked or asked for are among them when every status is wanted.
        """
        return schema.iter_annotations(
            self.lazy_all_annotations if every_status else self.lazy_annotations
        )

    def chart_ids(self) -> list[str]:
        """Every chart with a note or an annotation, in the order they first come."""
        both = pl.concat(
            [self.lazy_notes.select("chart_id"), self.lazy_annotations.select("chart_id")]
        )
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
        annotations = self.lazy_all_annotations if every_status else self.lazy_annotations
        both = pl.concat([self.lazy_notes.select("chart_id"), annotations.select("chart_id")])
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
        """The matching part of the corpus; a filter that is None selects everything.

        Annotators and systems choose among the annotations. Categories, splits and charts choose
        among the notes, and the annotations follow: codes of a whole chart stay as long as one of
        its notes does, codes of a note go with the note. A name that the corpus does not have is
        an error that lists those it has; names that exist but have no note in common give an empty
        corpus.
        """
        from auscult.corpus.selecting import matching, require_names

        require_names(
            self, annotators=annotators, systems=systems, categories=categories, splits=splits
        )
        return matching(
            self, annotators=annotators, systems=systems, categories=categories, splits=splits,
            charts=charts,
        )  # fmt: skip

    def with_annotations(self, annotations: Iterable[Annotation]) -> Corpus:
        """The corpus with additional annotations, such as those of other annotators."""
        more = schema.annotations_table(annotations).lazy()
        return replace(
            self, lazy_all_annotations=pl.concat([self.lazy_all_annotations, more]), path=None
        )

    def merge(self, *others: Corpus) -> Corpus:
        """Merge corpora: each note, annotation and record once; texts are taken from any corpus
        that has them.

        Two notes of one id that differ in chart or text are an error.
        """
        from auscult.corpus.merging import merge

        return merge([self, *others])

    def described(self, **changes: Any) -> Corpus:
        """The corpus with changed manifest fields."""
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
        """Append notes and annotations to the corpus on disk in one atomic change.

        Others who append at the same time are waited for. A note that is there already, an
        annotation on a note that is not, and a span past its note's text are errors.
        """
        path = self.path
        if path is None:
            raise CorpusError(
                "This corpus is in memory only. Write it to a directory before appending to it."
            )
        added = Corpus.of(notes, annotations)

        def fill(directory: Path) -> None:
            current = Corpus.open(path)
            check_addition(current, added)
            replace(
                current,
                lazy_notes=pl.concat([current.lazy_notes, added.lazy_notes]),
                lazy_all_annotations=pl.concat(
                    [current.lazy_all_annotations, added.lazy_all_annotations]
                ),
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
                f"{self.path}: {', '.join(wrong)} changed after the manifest was written. "
                "Restore the directory, or import the source again."
            )

    def to_hf(self) -> Dataset:
        """Convert to a Hugging Face dataset, one row per note with its annotations (extra `hf`)."""
        from auscult.corpus.interop import huggingface

        return huggingface.to_hf(self)

    @classmethod
    def from_hf(cls, dataset: Dataset) -> Corpus:
        """Create a corpus from a dataset with the columns of `to_hf` (extra `hf`)."""
        from auscult.corpus.interop import huggingface

        return huggingface.from_hf(dataset)

    def to_spacy(self, nlp: Language | None = None) -> Iterator[Doc]:
        """Convert to spaCy documents with evidence in `doc.spans` (extra `spacy`)."""
        from auscult.corpus.interop import spacy_docs

        return spacy_docs.to_spacy(self, nlp)

    def _fill(self, directory: Path) -> None:
        tables = {"notes": self.lazy_notes, "annotations": self.lazy_all_annotations}
        if self.lazy_records is not None:
            tables["records"] = schema.check_records(self.lazy_records, "The table of records")
        files = {}
        for name, table in tables.items():
            file = directory / f"{name}.parquet"
            group = _notes_per_group(self.manifest) if name == "notes" else _ROWS_PER_GROUP
            try:
                table.sink_parquet(
                    file, row_group_size=group, compression_level=_ZSTD_LEVEL, maintain_order=True
                )
            except pl.exceptions.PolarsError as error:
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


def check_target(path: Path, *, overwrite: bool) -> None:
    """Raise an error if a corpus cannot be written there."""
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
    content = file.read_bytes()
    try:
        manifest = Manifest.model_validate_json(content)
    except ValidationError as error:
        _refuse_other_layouts(path, content)
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise CorpusError(
            f"{file} is not a manifest: {where}: {first['msg']}. Restore the file from a copy, or "
            f"import the source again with {option('--overwrite', 'overwrite=True')}."
        ) from error
    _refuse_other_layouts(path, content)
    return manifest


def _refuse_other_layouts(path: Path, content: bytes) -> None:
    """An error when a manifest says that it has another layout, whatever else it says."""
    try:
        raw = json.loads(content)
        layout, made_by = raw["layout"], raw.get("made_by")
    except (ValueError, LookupError, TypeError, AttributeError):
        return
    if not isinstance(layout, int) or layout == LAYOUT:
        return
    if layout < LAYOUT:
        raise CorpusError(
            f"{path} was made by {made_by or 'an earlier version'}, whose corpus layout this "
            "version cannot read. Import the source again: auscult corpus import"
        )
    raise CorpusError(
        f"{path} was written by a newer Auscult (layout {layout}, this one reads up to {LAYOUT}). "
        "Upgrade: pip install -U auscult"
    )


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
