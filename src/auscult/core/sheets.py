"""CSV files that people fill in with a spreadsheet and send back."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from auscult.core.errors import FormatError
from auscult.core.files import read_bytes, read_text

_BEGIN_FORMULAS = tuple("=+-@\t\r\n＝＋－＠")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def inert(cell: str) -> str:
    """The cell so that a spreadsheet takes it for text and not for a formula.

    Some spreadsheets take the wide characters of East Asian text for the narrow ones.

    >>> inert("=1+1"), inert("2149")
    ("'=1+1", '2149')
    """
    return f"'{cell}" if cell.startswith(_BEGIN_FORMULAS) else cell


def read_sheet_rows(file: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """The headings and the rows with their numbers, the headings being row 1.

    Comma, semicolon or tab between the columns, a byte order mark and any line ends are fine.
    """
    if read_bytes(file)[:2] in _UTF16:
        raise FormatError(
            "the file is UTF-16. Save it as CSV UTF-8 (in Excel: CSV UTF-8, comma delimited)", file
        )
    text = read_text(file)
    first = text.split("\n", 1)[0]
    if first.lower().startswith("sep="):
        raise FormatError("the first row is sep=…; delete that row", file, row=1)
    separator = max(",;\t", key=lambda candidate: first.count(candidate))
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))
    except csv.Error as error:
        raise FormatError(f"no CSV file: {error}", file) from error
    if not rows:
        raise FormatError("the file is empty", file)
    header = [cell.strip() for cell in rows[0]]
    return header, list(enumerate(rows[1:], start=2))


def check_width(row: list[str], header: list[str], file: Path, number: int) -> None:
    """Raise an error when a row has filled cells past the last heading."""
    if len(row) > len(header) and any(cell.strip() for cell in row[len(header) :]):
        raise FormatError(
            f"the row has {len(row)} cells, the header has {len(header)}. A cell that contains "
            "the separator must be quoted; save the file as CSV from the spreadsheet again",
            file,
            number,
        )
