"""Tables as CSV files, plain or gzipped: every byte checked, and read a piece at a time.

CSV parsers are lenient in ways that lose notes: one missing quote and the rest of the file is a
single field. So what is inside quotes is taken out of a file's bytes, and what remains is a
skeleton in which every newline ends a row and every comma a field; on that the rules of RFC 4180
are checked exactly, at the speed of `bytes` methods. Polars is handed pieces that were checked, cut
between rows, so that memory does not grow with the file.

A table is either checked whole before anything is read (`check_csv`), or as it is read, which for
the long tables of notes takes half the time (`open_csv`).
"""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from gzip import BadGzipFile
from itertools import islice, pairwise, repeat
from operator import methodcaller
from pathlib import Path

import polars as pl
from isal import igzip
from isal.igzip_lib import IsalError
from polars.io.plugins import register_io_source

from auscult.core import FormatError
from auscult.core.files import check_gzip, check_not_utf16

_BLOCK = 2**20
# Polars has a few pieces in work at a time, so this sets the memory that reading takes.
_PIECE = 4 * _BLOCK
_COMMAS = methodcaller("count", b",")
_NAME = re.compile(r"(?![0-9])[\w .:/()#%-]{0,40}")
_DAMAGED: tuple[type[Exception], ...] = (EOFError, BadGzipFile, IsalError)
_EMPTY = "the file is empty; a row of column names was expected"
_NUL = "a NUL byte: the file is damaged, or no text"


@dataclass(frozen=True, slots=True)
class Table:
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
    table: Table,
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
                f"{seen:,} rows, but {table.rows:,} when it was checked: it changed meanwhile",
                table.path,
            )

    frame = register_io_source(source, schema=dict.fromkeys(present, pl.String()), is_pure=True)
    nulls = [pl.lit(None, pl.String).alias(name) for name in places if name not in present]
    return frame.with_columns(nulls).select(*places) if nulls else frame


def check_csv(path: Path) -> Table:
    """Go over a CSV file once; what is malformed is an error that names the row.

    Rows are counted as a spreadsheet counts them: the header is row 1, and a row with newlines
    inside quotes is one row.
    """
    check = _Check(path)
    for block in _ahead(_read(path, repeat(_BLOCK), lambda: check.row + 1)):
        check.feed(block)
    return check.finish()


def open_csv(path: Path) -> Table:
    """A CSV file of which only the first row is read; the others are checked when they are."""
    check = _Check(path)
    for block in islice(_read(path, repeat(_BLOCK), lambda: 1), 1):
        if block:
            check.feed(block)
    if not check.columns:
        raise FormatError(_EMPTY, path)
    return Table(path, check.columns)


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
        raise FormatError("a file was expected, this is a folder", path) from error
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror or error}", path) from error


def _ahead(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Blocks up to the first empty one, the next being unpacked while one is in work."""
    with ThreadPoolExecutor(1) as reader:
        following = reader.submit(next, blocks, b"")
        while block := following.result():
            following = reader.submit(next, blocks, b"")
            yield block


def _place(table: Table, name: str) -> int | None:
    """Where a column is. A name that fits exactly comes before those that differ in case."""
    for same in (str, str.lower):
        found = [i for i, column in enumerate(table.columns) if same(column) == same(name)]
        if len(found) > 1:
            raise FormatError(f"{len(found)} columns are called {name}", table.path, row=1)
        if found:
            return found[0]
    return None


def _described(columns: Sequence[str]) -> str:
    """What columns there are. A file without a header has a note where a name should be."""
    if all(_NAME.fullmatch(column) for column in columns):
        return f"the columns are {', '.join(columns)}"
    return f"the first row has {len(columns)} fields that do not look like names of columns"


def _check_filled(part: pl.DataFrame, group: Sequence[str], path: Path, first_row: int) -> None:
    if set(group) <= set(part.columns):
        empty = part.select(
            pl.all_horizontal(pl.col(group).fill_null("").str.strip_chars() == "")
        ).to_series()
        if (at := empty.index_of(True)) is not None:
            raise FormatError(f"no {' and no '.join(group)}", path, first_row + at)


def _pieces(table: Table) -> Iterator[bytes]:
    """The rows of a table in pieces of a few megabytes, the next prepared while one is in work."""
    if not table.cuts:
        return _ahead(_checked(table.path))
    sizes = [end - begin for begin, end in pairwise((0, *table.cuts))]
    return islice(_ahead(_read(table.path, sizes, lambda: None)), 1, None)


def _checked(path: Path) -> Iterator[bytes]:
    """The rows of a file checked on the way: a piece once all of it is known to be sound."""
    check = _Check(path)
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


def _parse(piece: bytes, table: Table, places: dict[str, int]) -> pl.DataFrame:
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


class _Check:
    """Goes over the bytes of a CSV file, keeping no more of them than one unfinished row."""

    def __init__(self, path: Path) -> None:
        self.row = 0  # rows that are whole and sound, the header among them
        self.columns: tuple[str, ...] = ()
        self.cuts = [0]
        self._path = path
        self._at = 0
        self._inside = False  # a quoted field
        self._unfinished = b""  # the skeleton of the row that has begun
        self._blank = False  # whether a blank line came, which only the file's last lines may be
        self._decoder = codecs.getincrementaldecoder("utf-8")()

    def feed(self, block: bytes) -> None:
        """The next bytes of the file, cut anywhere but in the header."""
        if self._at == 0:
            block = block[self._take_header(block) :]
        self._check_characters(block)
        parts = block.split(b'"')
        skeleton = self._unfinished + _skeleton(parts, self._inside)
        rows, newline, self._unfinished = skeleton.rpartition(b"\n")
        self._check_rows(rows + newline)
        if self._at + len(block) - self.cuts[-1] >= _PIECE:
            self._cut(parts)
        self._at += len(block)
        self._inside ^= len(parts) % 2 == 0

    def finish(self) -> Table:
        """The table, after the file's last byte."""
        if not self.columns:
            raise FormatError(_EMPTY, self._path)
        self._check_characters(b"", final=True)
        if self._inside:
            raise FormatError(
                "a quote is opened in this row and never closed: the file breaks off here, or a "
                'quote inside a field is not doubled ("")',
                self._path,
                self.row + 1,
            )
        if self._unfinished:
            self._check_rows(self._unfinished + b"\n")
        if self.cuts[-1] < self._at:
            self.cuts.append(self._at)
        return Table(self._path, self.columns, self.row - 1, tuple(self.cuts))

    def _take_header(self, block: bytes) -> int:
        """Take the column names from the file's first block and say where the rows begin."""
        check_not_utf16(block, self._path)
        begin = len(codecs.BOM_UTF8) if block.startswith(codecs.BOM_UTF8) else 0
        if not block[begin:].strip():
            raise FormatError(_EMPTY, self._path)
        end = block.find(b"\n", begin)
        while end >= 0 and block.count(b'"', begin, end) % 2:
            end = block.find(b"\n", end + 1)
        end = len(block) if end < 0 else end + 1
        line = block[begin:end].removesuffix(b"\n").removesuffix(b"\r")
        if b"\0" in line:
            raise FormatError(_NUL, self._path, row=1)
        try:
            self.columns = tuple(next(csv.reader([line.decode()], strict=True), ()))
        except UnicodeDecodeError as error:
            raise FormatError(_not_utf8(line[error.start]), self._path, row=1) from error
        except csv.Error as error:
            raise FormatError(f"not a row of column names: {error}", self._path, row=1) from error
        if not self.columns:
            raise FormatError("blank; a row of column names was expected", self._path, row=1)
        self.row = 1
        self._at = end
        self.cuts = [end]
        return end

    def _check_characters(self, block: bytes, *, final: bool = False) -> None:
        if (at := block.find(b"\0")) >= 0:
            raise FormatError(_NUL, self._path, self._row_at(block[:at]))
        pending = self._decoder.getstate()[0]
        if not pending and block.isascii():
            return
        try:
            self._decoder.decode(block, final)
        except UnicodeDecodeError as error:
            before = block[: max(0, error.start - len(pending))]
            problem = _not_utf8(error.object[error.start])
            raise FormatError(problem, self._path, self._row_at(before)) from error

    def _row_at(self, before: bytes) -> int:
        """The row in which the byte after `before` lies, the block's beginning."""
        skeleton = _skeleton(before.split(b'"'), self._inside)
        return self.row + 1 + skeleton.count(b"\n")

    def _check_rows(self, skeleton: bytes) -> None:
        while b'""' in skeleton:  # where a block was cut in a field
            skeleton = skeleton.replace(b'""', b'"')
        lines = skeleton.split(b"\n")[:-1]
        commas = len(self.columns) - 1
        if (
            not self._blank
            and set(map(_COMMAS, lines)) <= {commas}
            and _quotes_enclose(skeleton)
            and skeleton.count(b"\r") == skeleton.count(b"\r\n")
        ):
            self.row += len(lines)
            return
        for line in lines:
            self._check_row(line.removesuffix(b"\r"))

    def _check_row(self, line: bytes) -> None:
        """The same rules row by row, to find the one that breaks them."""
        fields = line.split(b",")
        if not line and len(self.columns) > 1:
            self._blank = True
            return
        problem = None
        if self._blank:
            problem = "a blank line in the middle of the table"
        elif b"\r" in line:
            problem = "a carriage return outside quotes; lines must end in LF or CRLF"
        elif any(b'"' in field and field != b'"' for field in fields):
            problem = (
                "a quote in the middle of a field: a field with quotes is quoted as a whole, "
                'and quotes inside it are doubled ("")'
            )
        elif len(fields) != len(self.columns):
            problem = f"{len(fields)} fields, but the header has {len(self.columns)}"
        if problem:
            raise FormatError(problem, self._path, self.row + 1)
        self.row += 1

    def _cut(self, parts: list[bytes]) -> None:
        """Note the last place in a block that lies between two rows, if there is one."""
        end = sum(map(len, parts)) + len(parts) - 1
        for i in range(len(parts) - 1, -1, -1):
            begin = end - len(parts[i])
            if i % 2 == self._inside and (newline := parts[i].rfind(b"\n")) >= 0:
                self.cuts.append(self._at + begin + newline + 1)
                return
            end = begin - 1


def _skeleton(parts: list[bytes], inside: bool) -> bytes:
    """What is outside quotes, each quoted field a run of quotes, in bytes split at quotes."""
    outside = parts[inside::2]
    outside[1:-1] = filter(None, outside[1:-1])  # there is nothing between doubled quotes
    ends_inside = inside ^ (len(parts) % 2 == 0)
    return b'"'.join(outside) + b'"' * ends_inside


def _quotes_enclose(skeleton: bytes) -> bool:
    """Whether each quote of a skeleton is a whole field."""
    quotes = skeleton.count(b'"')
    before = skeleton.count(b',"') + skeleton.count(b'\n"') + skeleton.startswith(b'"')
    after = skeleton.count(b'",') + skeleton.count(b'"\n') + skeleton.count(b'"\r\n')
    return quotes == before == after


def _not_utf8(byte: int) -> str:
    return (
        f"byte {byte:#04x} is not UTF-8. If the file is in another encoding, convert it first "
        "(iconv -f ISO-8859-1 -t UTF-8)"
    )
