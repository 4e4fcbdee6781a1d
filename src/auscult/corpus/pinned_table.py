"""A table of a corpus directory, bound to the file that was there when it was opened."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from auscult.core import CorpusError, storage
from auscult.core.deferred import polars as pl
from auscult.corpus.manifest import FileEntry

_ROWS = 1_000
"""Number of rows read at a time: texts may be long."""
_Identity = tuple[int, int, int, int]


def scan_pinned(directory: Path, name: str, entry: FileEntry | None) -> pl.LazyFrame:
    """The lazy table of a file; reading it is an error once the file is no longer the same.

    Polars plans a read by what it saw of the file and may mix it with what is there by then, or
    end early without a word. So the file is compared before and after it is read, and a table
    that is read in full has as many rows as the manifest says.
    """
    file = storage.locate(directory, name)
    try:
        opened = _identity(file)
        columns = pl.scan_parquet(file).collect_schema()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise CorpusError(
            f"{file} cannot be read as Parquet: it is missing, damaged or half-written. "
            "Import the source again."
        ) from error

    def read(
        with_columns: list[str] | None,
        predicate: pl.Expr | None,
        n_rows: int | None,
        batch_size: int | None,
    ) -> Iterator[pl.DataFrame]:
        # The same file moves when a change that was interrupted is settled.
        file = storage.locate(directory, name)
        _check_same(file, opened)
        rows = 0
        try:
            table = pl.scan_parquet(file)
            if predicate is not None:
                table = table.filter(predicate)
            if with_columns is not None:
                table = table.select(with_columns)
            if n_rows is not None:
                table = table.head(n_rows)
            for batch in table.collect_batches(
                chunk_size=min(batch_size or _ROWS, _ROWS), maintain_order=True
            ):
                rows += batch.height
                yield batch
        except pl.exceptions.PolarsError as error:
            _check_same(storage.locate(directory, name), opened)
            # What polars says may quote what it read, so it is left to the cause.
            raise CorpusError(
                f"{file} is damaged ({type(error).__name__}). Restore it from a copy, or import "
                "the source again."
            ) from error
        _check_same(storage.locate(directory, name), opened)
        whole = predicate is None and n_rows is None and with_columns != []
        if whole and entry is not None and rows != entry.rows:
            raise CorpusError(
                f"{file} has {rows:,} rows; the manifest lists {entry.rows:,}. Restore it from "
                "a copy, or import the source again."
            )

    return pl.io.plugins.register_io_source(read, schema=columns)


def read_rows(directory: Path, name: str, entry: FileEntry, begin: int, end: int) -> pl.DataFrame:
    """Some rows of a file that is as the manifest says, with no more of it in memory."""
    file = storage.locate(directory, name)
    try:
        opened = _identity(file)
        table = pl.scan_parquet(file).slice(begin, end - begin).collect()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise CorpusError(
            f"{file} is missing or damaged ({type(error).__name__}). Restore it from a copy, or "
            "import the source again."
        ) from error
    _check_same(storage.locate(directory, name), opened)
    if opened[2] != entry.bytes or table.height != end - begin:
        raise CorpusError(
            f"{file} was replaced during the run: the corpus was rewritten. Run the command again."
        )
    return table


def _check_same(file: Path, opened: _Identity) -> None:
    try:
        same = _identity(file) == opened
    except OSError:
        same = False
    if not same:
        raise CorpusError(
            f"{file} was replaced after the corpus was opened. Open the corpus again."
        )


def _identity(file: Path) -> _Identity:
    found = file.stat()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
