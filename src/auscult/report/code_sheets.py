"""The codes of notes as a spreadsheet: an Excel workbook, or CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from auscult.codes.coding_edits import EditSeverity
from auscult.core import OptionError
from auscult.core.sheets import inert
from auscult.corpus.code_rows import COLUMNS, CodeRow, row_cells
from auscult.corpus.coded_notes import CHECK, CodedNotes

_WIDTHS = {
    "note": 18, "code": 11, "description": 40, "billable": 8, "score": 7, "evidence": 36,
    "why": 40, "findings": 50, "if applicable": 40, "system": 12, "chart": 12, "spans": 14,
}  # fmt: skip
_MOST_ROWS = 1_048_575
"""What a sheet of Excel holds below the heading."""
_MOST_CHARACTERS = 32_767
"""What a cell of Excel holds."""
_BILLABLE = {True: "yes", False: "no", None: ""}


def write_csv(coded: CodedNotes, file: Path) -> None:
    """Write the rows as CSV in UTF-8.

    It begins with a byte order mark, without which Excel takes it for Windows-1252. No cell is
    taken for a formula.
    """
    with file.open("w", encoding="utf-8-sig", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(COLUMNS)
        for row in coded.rows:
            writer.writerow(inert(cell) if isinstance(cell, str) else cell for cell in _cells(row))


def write_workbook(coded: CodedNotes, file: Path) -> None:
    """Write a workbook: a sheet of codes, and one that says how they were made."""
    if len(coded.rows) > _MOST_ROWS:
        raise OptionError(
            f"A sheet of Excel holds {_MOST_ROWS:,} codes, and these are {len(coded.rows):,}. "
            "Write a .csv file instead."
        )
    import xlsxwriter

    # Nothing is taken for a formula, a number or a link; no text of notes goes to /tmp.
    plain = ("strings_to_formulas", "strings_to_numbers", "strings_to_urls")
    with xlsxwriter.Workbook(file, {"in_memory": True, **dict.fromkeys(plain, False)}) as book:
        _write_codes(book, coded)
        _write_about(book, coded)


def _write_codes(book: Any, coded: CodedNotes) -> None:
    sheet = book.add_worksheet("Codes")
    look = {"valign": "top", "text_wrap": True}
    text = book.add_format(look)
    score = book.add_format({**look, "num_format": "0.00"})
    strong = book.add_format({**look, "bold": True})
    wrong = book.add_format({**look, "font_color": "#A3262A"})
    doubtful = book.add_format({**look, "font_color": "#8A5A00"})
    head = book.add_format({"bold": True, "bg_color": "#E2F1F0", "bottom": 1})
    for at, name in enumerate(COLUMNS):
        sheet.set_column(at, at, _WIDTHS[name])
        sheet.write_string(0, at, name, head)
    for place, row in enumerate(coded.rows, 1):
        is_wrong = any(one.severity is EditSeverity.ERROR for one in row.problems)
        looks = {
            "code": strong,
            "score": score,
            "billable": wrong if row.billable is False else text,
            "findings": wrong if is_wrong else doubtful,
        }
        for at, (name, cell) in enumerate(zip(COLUMNS, _cells(row), strict=True)):
            if isinstance(cell, float):
                sheet.write_number(place, at, cell, looks.get(name, text))
            else:
                sheet.write_string(place, at, _fitting(cell), looks.get(name, text))
    sheet.freeze_panes(1, 2)
    sheet.autofilter(0, 0, len(coded.rows), len(COLUMNS) - 1)
    sheet.set_landscape()
    sheet.fit_to_pages(1, 0)
    sheet.repeat_rows(0)


def _write_about(book: Any, coded: CodedNotes) -> None:
    sheet = book.add_worksheet("About")
    name = book.add_format({"bold": True, "valign": "top"})
    text = book.add_format({"valign": "top", "text_wrap": True})
    sheet.set_column(0, 0, 22)
    sheet.set_column(1, 1, 100)
    for place, (key, value) in enumerate(_about(coded)):
        sheet.write_string(place, 0, key, name)
        sheet.write_string(place, 1, _fitting(value), text)


def _about(coded: CodedNotes) -> Iterator[tuple[str, str]]:
    yield "Check", CHECK
    yield "Text of notes", "The sheet of codes quotes the notes: keep it as you keep them."
    yield from coded.about.items()
    yield "Notes", f"{len(coded.notes):,}"
    yield "Codes", f"{len(coded.rows):,}"
    if coded.without_codes:
        yield "Notes without a code", ", ".join(coded.without_codes)
    for one in coded.unread:
        yield "Not read", str(one)
    for line in coded.not_attempted:
        yield "Not attempted", f"{line[:1].upper()}{line[1:]}."


def _cells(row: CodeRow) -> list[str | float]:
    cells = row_cells(row)
    made: list[str | float] = []
    for name in COLUMNS:
        cell = _BILLABLE[row.billable] if name == "billable" else cells[name]
        made.append("" if cell is None else cell)
    return made


def _fitting(text: str | float) -> str:
    whole = str(text)
    return whole if len(whole) <= _MOST_CHARACTERS else f"{whole[: _MOST_CHARACTERS - 1]}…"
