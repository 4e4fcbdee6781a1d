"""Tables as CSV files, plain or gzipped: every byte checked, and read a piece at a time.

Polars is handed pieces that were checked (`csv_check.py`), cut between rows, so that memory does
not grow with the file.

A table is either checked whole before anything is read (`check_csv`), or as it is read, which for
the long tables of notes takes half the time (`open_csv`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from gzip import BadGzipFile
from itertools import islice, pairwise, repeat
from pathlib import Path

import polars as pl
from isal import igzip
from isal.igzip_lib import IsalError
from polars.io.plugins import register_io_source

from auscult.core import FormatError
from auscult.core.files import check_gzip
from auscult.corpus.formats.shared.csv_check import EMPTY, CsvCheck

_BLOCK = 2**20
# Polars has a few pieces in work at a time, so this sets the memory that reading takes.
_PIECE = 4 * _BLOCK
_NAME = re.compile(r"(?![0-9])(?=\S*(?: \S*)?$)[\w .:/()#%-]{0,40}")
"""One word or two: three may be the beginning of a note in a damaged file."""
_DAMAGED: tuple[type[Exception], ...] = (EOFError, BadGzipFile, IsalError)


@dataclass(frozen=True, slots=True)
class CsvTable:
    """A CSV file and its columns; once it was checked, how many rows it has and where to cut it.

    `cuts` are offsets into the unpacked bytes, from the first row to the end of the file, each
    between two rows. A table that has none is checked as it is read.
    """

    path: Path
    columns: tuple[str, ...]
    rows: int | None = None
    cuts: tuple[int, ...] = ()


def find_table(folder: Path, name: str) -> Path | None:
    """The file of a table in a folder, `name`.csv or `name`.csv.gz in any case, or None."""
    wanted = [f"{name}.csv".lower(), f"{name}.csv.gz".lower()]
    try:
        found = [path for path in folder.iterdir() if path.name.lower() in wanted]
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror or error}", folder) from error
    return min(found, key=lambda path: (wanted.index(path.name.lower()), path.name), default=None)


def scan_csv(path: Path, columns: Sequence[str], *, optional: Sequence[str] = ()) -> pl.LazyFrame:
    """The named columns of a CSV file, all as strings, read lazily and in order.

    Names match in any case and come back as asked; `optional` ones that the file lacks are null.
    An empty field is null, a quoted empty field is the empty string, and everything inside quotes
    is kept to the byte. The file is checked in full here, so that whatever is wrong with it is a
    `FormatError` now and no surprise later.
    """
    return scan(check_csv(path), columns, optional=optional)


def scan(
    table: CsvTable,
    columns: Sequence[str],
    *,
    optional: Sequence[str] = (),
    filled: Sequence[Sequence[str]] = (),
) -> pl.LazyFrame:
    """The named columns of a table; see `scan_csv`. One not checked yet is checked as it is read.

    Of each group of columns in `filled`, every row must fill at least one. A row that does not is
    a `FormatError` when it is read.
    """
    places = {name: _place(table, name) for name in (*columns, *optional)}
    missing = [name for name in columns if places[name] is None]
    if missing:
        raise FormatError(
            f"there is no column {' and no column '.join(missing)}; {_described(table.columns)}",
            table.path,
            row=1,
        )
    present = {name: place for name, place in places.items() if place is not None}

    def source(
        wanted: list[str] | None, predicate: pl.Expr | None, n_rows: int | None, _: int | None
    ) -> Iterator[pl.DataFrame]:
        names = list(present) if wanted is None else wanted
        seen = 0
        for piece in _pieces(table):
            part = _parse(piece, table, {name: present[name] for name in names})
            for group in filled:
                _check_filled(part, group, table.path, first_row=seen + 2)
            if n_rows is not None:
                part = part.head(n_rows - seen)
            seen += part.height
            yield part if predicate is None else part.filter(predicate)
            if seen == n_rows:
                return
        if n_rows is None and table.rows is not None and seen != table.rows:
            raise FormatError(
                f"the file now has {seen:,} rows; it had {table.rows:,} when it was checked. It "
                "changed during the import: import it again",
                table.path,
            )

    frame = register_io_source(source, schema=dict.fromkeys(present, pl.String()), is_pure=True)
    nulls = [pl.lit(None, pl.String).alias(name) for name in places if name not in present]
    return frame.with_columns(nulls).select(*places) if nulls else frame


def check_csv(path: Path) -> CsvTable:
    """Go over a CSV file once; what is malformed is an error that names the row.

    Rows are counted as a spreadsheet counts them: the header is row 1, and a row with newlines
    inside quotes is one row.
    """
    check = CsvCheck(path, _PIECE)
    for block in _ahead(_read(path, repeat(_BLOCK), lambda: check.row + 1)):
        check.feed(block)
    check.finish()
    return CsvTable(path, check.columns, check.row - 1, tuple(check.cuts))


def open_csv(path: Path) -> CsvTable:
    """A CSV file of which only the first row is read; the others are checked when they are."""
    check = CsvCheck(path, _PIECE)
    for block in islice(_read(path, repeat(_BLOCK), lambda: 1), 1):
        if block:
            check.feed(block)
    if not check.columns:
        raise FormatError(EMPTY, path)
    return CsvTable(path, check.columns)


def _read(path: Path, sizes: Iterable[int], row: Callable[[], int | None]) -> Iterator[bytes]:
    """Blocks of a file's bytes, unpacked if it ends in .gz; `row` says how far reading came."""
    zipped = path.suffix.lower() == ".gz"
    try:
        if zipped:
            check_gzip(path)
        with igzip.open(path) if zipped else path.open("rb") as file:
            for size in sizes:
                yield file.read(size)
    except _DAMAGED as error:
        # Unpacking gives up a block before the damage, which may be thousands of rows.
        after = f"somewhere after row {at}" if (at := (row() or 1) - 1) else "somewhere"
        raise FormatError(
            f"the gzip file is truncated or damaged {after}; copy it again", path
        ) from error
    except IsADirectoryError as error:
        raise FormatError("expected a file, got a folder", path) from error
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror or error}", path) from error


def _ahead(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Blocks up to the first empty one, the next being unpacked while one is in work."""
    with ThreadPoolExecutor(1) as reader:
        following = reader.submit(next, blocks, b"")
        while block := following.result():
            following = reader.submit(next, blocks, b"")
            yield block


def _place(table: CsvTable, name: str) -> int | None:
    """Where a column is. A name that fits exactly comes before those that differ in case."""
    for same in (str, str.lower):
        found = [i for i, column in enumerate(table.columns) if same(column) == same(name)]
        if len(found) > 1:
            raise FormatError(f"{len(found)} columns are named {name}", table.path, row=1)
        if found:
            return found[0]
    return None


def _described(columns: Sequence[str]) -> str:
    """What columns there are. A file without a header has a note where a name should be."""
    if all(_NAME.fullmatch(column) for column in columns):
        return f"the columns are {', '.join(columns)}"
    return f"the first row has {len(columns)} fields that do not look like column names"


def _check_filled(part: pl.DataFrame, group: Sequence[str], path: Path, first_row: int) -> None:
    if set(group) <= set(part.columns):
        empty = part.select(
            pl.all_horizontal(pl.col(group).fill_null("").str.strip_chars() == "")
        ).to_series()
        if (at := empty.index_of(True)) is not None:
            raise FormatError(f"no {' and no '.join(group)}", path, first_row + at)


def _pieces(table: CsvTable) -> Iterator[bytes]:
    """The rows of a table in pieces of a few megabytes, the next prepared while one is in work."""
    if not table.cuts:
        return _ahead(_checked(table.path))
    sizes = [end - begin for begin, end in pairwise((0, *table.cuts))]
    return islice(_ahead(_read(table.path, sizes, lambda: None)), 1, None)


def _checked(path: Path) -> Iterator[bytes]:
    """The rows of a file checked on the way: a piece once all of it is known to be sound."""
    check = CsvCheck(path, _PIECE)
    held: list[bytes] = []
    begin = 0  # of what is held
    for block in _read(path, repeat(_BLOCK), lambda: check.row + 1):
        if not block:
            break
        check.feed(block)
        held.append(block)
        if len(check.cuts) > 1:
            first, last = check.cuts
            whole = b"".join(held)
            yield whole[first - begin : last - begin]
            held = [whole[last - begin :]]
            begin = last
            check.cuts = [last]
    check.finish()
    if rest := b"".join(held)[check.cuts[0] - begin :]:
        yield rest


def _parse(piece: bytes, table: CsvTable, places: dict[str, int]) -> pl.DataFrame:
    """The columns asked for, from a piece of the file that begins and ends between rows."""
    numbers = [str(i) for i in range(len(table.columns))]
    if len(numbers) > 1:
        piece = piece.rstrip(b"\r\n")  # blank lines at the end of the file are no rows
    # With a header of our own no piece can begin like a compressed file, which polars would unpack.
    parsed = pl.read_csv(
        ",".join(numbers).encode() + b"\n" + piece,
        schema=dict.fromkeys(numbers, pl.String),
        columns=[numbers[i] for i in sorted(set(places.values()))] or numbers[:1],
    )
    return parsed.select(pl.col(numbers[place]).alias(name) for name, place in places.items())
