"""Annotating a corpus partition by partition, each finished or not there at all.

The annotations of a partition are one Parquet file with its counts inside, called by the digest of
the notes and of whatever makes the annotations. It appears by a rename. So an interrupted run goes
on with what is missing; a partition that two workers did is there once; and a partition of other
notes, another model or other options is never taken for it.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import uuid
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import polars as pl
from polars.exceptions import PolarsError

from auscult.core import OptionError
from auscult.core.digests import digest_of
from auscult.core.progress import track
from auscult.core.version import __version__
from auscult.corpus import schema
from auscult.corpus.corpus import Corpus
from auscult.corpus.partitions import NOTES, Partition, partitions
from auscult.engine import Engine

_COUNTS = "auscult.counts"
_LOCK = ".lock"
Annotated = tuple[pl.DataFrame, Mapping[str, int]]
"""A table of annotations, and counts that add up over partitions."""


class Annotates(Protocol):
    """Something that annotates tables of notes; it is sent to the workers."""

    @property
    def asked(self) -> list[Any]:
        """What the annotations follow from besides the notes, as JSON has it, for a digest."""
        ...

    def begin(self) -> Callable[[pl.DataFrame], Annotated]:
        """Make ready, and return what annotates a table of notes."""
        ...


@dataclass(frozen=True, slots=True)
class _Parts:
    """The work of a worker: notes in, a file out."""

    how: Annotates
    folder: Path

    def file(self, partition: Partition) -> Path:
        name = digest_of(__version__, partition.asked, self.how.asked)
        return self.folder / f"part-{name}.parquet"

    def begin(self) -> Callable[[Partition], dict[str, int]]:
        annotate = self.how.begin()

        def do(partition: Partition) -> dict[str, int]:
            file = self.file(partition)
            if (counts := _counts(file)) is not None:
                return counts
            table, found = annotate(partition.read())
            _write(table, dict(found), file)
            return dict(found)

        return do


@contextmanager
def annotated(
    corpus: Corpus,
    how: Annotates,
    out: Path,
    engine: Engine,
    *,
    splits: Collection[str] | None = None,
    notes: int = NOTES,
    whole_charts: bool = True,
    doing: str = "annotating",
) -> Iterator[tuple[pl.LazyFrame, Counter[str]]]:
    """The annotations of a corpus on disk, as a lazy table in the order of its charts, and counts.

    To be written to `out` inside the `with`. What is finished is kept beside `out` until then, and
    for the next time when something fails.
    """
    with _folder(out) as folder:
        parts = _Parts(how, folder)
        cut = partitions(corpus, folder, notes=notes, splits=splits, whole_charts=whole_charts)
        files = [parts.file(one) for one in cut]
        counts = [_counts(file) for file in files]
        left = [at for at, found in enumerate(counts) if found is None]
        made = engine.run(parts, (cut[at] for at in left))
        for at, found in zip(left, track(made, doing, len(left)), strict=True):
            counts[at] = found
        total: Counter[str] = Counter()
        for each in counts:
            total.update(each or {})
        table = schema.annotations_table([]).lazy()
        if files:
            table = pl.scan_parquet(files, schema=schema.ANNOTATIONS)
        yield table, total


def annotate_at_once(corpus: Corpus, how: Annotates) -> Annotated:
    """The same for a corpus that is small, such as one in memory, with nothing kept."""
    return how.begin()(corpus.lazy_notes.select(schema.NOTES.names()).collect())


@contextmanager
def _folder(out: Path) -> Iterator[Path]:
    """A folder beside `out` for one process at a time, gone when all is done."""
    folder = out.absolute().parent / f".{out.name}.parts"
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    with (folder / _LOCK).open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise OptionError(
                f"Another process is writing {out}. Wait until it finishes, or choose another name."
            ) from error
        try:
            yield folder
        except BaseException:
            if all(file.name == _LOCK for file in folder.iterdir()):
                shutil.rmtree(folder, ignore_errors=True)
            raise
        shutil.rmtree(folder, ignore_errors=True)


def _write(table: pl.DataFrame, counts: dict[str, int], file: Path) -> None:
    # A worker that was given up for dead may be at the same partition, so the draft is its own.
    draft = file.with_name(f".{file.stem}-{uuid.uuid4().hex}.draft")
    try:
        table.write_parquet(draft, metadata={_COUNTS: json.dumps(counts)})
        with draft.open("rb") as handle:
            os.fsync(handle.fileno())
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)


def _counts(file: Path) -> dict[str, int] | None:
    """The counts in a finished partition's file; None when it is not finished."""
    try:
        return dict(json.loads(pl.read_parquet_metadata(file)[_COUNTS]))
    except (OSError, PolarsError, LookupError, ValueError):
        return None
