"""The rules of RFC 4180, checked exactly and at the speed of `bytes` methods.

CSV parsers are lenient in ways that lose notes: one missing quote and the rest of the file is a
single field. So what is inside quotes is taken out of a file's bytes, and what remains is a
skeleton in which every newline ends a row and every comma a field.
"""

from __future__ import annotations

import codecs
import csv
from operator import methodcaller
from pathlib import Path

from auscult.core import FormatError
from auscult.core.files import check_not_utf16

EMPTY = "the file is empty; expected a header row"
_NUL = "contains a NUL byte: the file is damaged or is not text"
_COMMAS = methodcaller("count", b",")


class CsvCheck:
    """Goes over the bytes of a CSV file, keeping no more of them than one unfinished row.

    Once the header is read `columns` has its names. `cuts` are offsets between rows at which the
    file may be cut.
    """

    def __init__(self, path: Path, piece: int) -> None:
        """Of a file that is to be cut into pieces of at least so many bytes."""
        self.row = 0  # rows that are whole and sound, the header among them
        self.columns: tuple[str, ...] = ()
        self.cuts = [0]
        self._path = path
        self._piece = piece
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
        if self._at + len(block) - self.cuts[-1] >= self._piece:
            self._cut(parts)
        self._at += len(block)
        self._inside ^= len(parts) % 2 == 0

    def finish(self) -> None:
        """Check what is left, after the file's last byte."""
        if not self.columns:
            raise FormatError(EMPTY, self._path)
        self._check_characters(b"", final=True)
        if self._inside:
            raise FormatError(
                "a quote opened in this row is never closed: the file is truncated, or a "
                'quote inside a field is not doubled ("")',
                self._path,
                self.row + 1,
            )
        if self._unfinished:
            self._check_rows(self._unfinished + b"\n")
        if self.cuts[-1] < self._at:
            self.cuts.append(self._at)

    def _take_header(self, block: bytes) -> int:
        """Take the column names from the file's first block and say where the rows begin."""
        check_not_utf16(block, self._path)
        begin = len(codecs.BOM_UTF8) if block.startswith(codecs.BOM_UTF8) else 0
        if not block[begin:].strip():
            raise FormatError(EMPTY, self._path)
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
            raise FormatError(f"not a header row: {error}", self._path, row=1) from error
        if not self.columns:
            raise FormatError("blank; expected a header row", self._path, row=1)
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
                "a quote in the middle of a field: quote the whole field and double the quotes "
                'inside it ("")'
            )
        elif len(fields) != len(self.columns):
            problem = f"the row has {len(fields)} fields, the header has {len(self.columns)}"
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
