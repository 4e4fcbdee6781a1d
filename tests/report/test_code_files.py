"""The files of codes, opened as their readers open them: workbook, CSV, JSON lines, page."""

from __future__ import annotations

import csv
import re
import zipfile
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import auscult
from auscult.core import Annotation, Code, Note, OptionError, Span
from auscult.corpus import formats
from auscult.corpus.code_rows import COLUMNS, code_rows
from auscult.corpus.coded_notes import CHECK, CodedNotes
from auscult.corpus.documents import UnreadFile
from auscult.models.code_notes import NOT_ATTEMPTED
from auscult.models.predictions import Predictions
from auscult.report.code_files import write_codes

_X = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_TEXT = "=HYPERLINK(1) & <script>alert('x')</script>\n-COPD 😀, @home. https://x.example/ \x0b"
_EVIL = ((0, 13), (16, 43), (44, 49), (53, 58), (60, 78))
"""What begins like a formula, markup, and a link."""


@pytest.fixture
def coded() -> CodedNotes:
    notes = (Note("=note <x-1>", "=note <x-1>", text=_TEXT), Note("empty", "empty", text="Well."))
    values = ("J44.9", "E10.9", "E11.9", "J45", "I10")
    given = Predictions(
        Annotation(
            "m", Code("ICD-10-CM", value), "=note <x-1>", "=note <x-1>", (Span(*span),),
            0.9 - at / 10, meta={"why": "+why → <x-2>"},
        )
        for at, (value, span) in enumerate(zip(values, _EVIL, strict=True))
    )  # fmt: skip
    about = {"Made by": "Auscult", "Model": "m", "Threshold": "0.50"}
    return CodedNotes(
        notes, given, code_rows(notes, given), about, NOT_ATTEMPTED,
        (UnreadFile("=bad<x-3>.txt", "is empty"),),
    )  # fmt: skip


def sheet(file: Path, number: int) -> list[list[str]]:
    """The cells of a sheet, as text; a formula would be an error."""
    with zipfile.ZipFile(file) as archive:
        root = ET.fromstring(archive.read(f"xl/worksheets/sheet{number}.xml"))
        shared = ET.fromstring(archive.read("xl/sharedStrings.xml"))
    strings = ["".join(part.itertext()) for part in shared.iter(f"{_X}si")]
    assert not list(root.iter(f"{_X}f")), "there is no formula"
    assert not list(root.iter(f"{_X}hyperlink"))
    rows = []
    for row in root.iter(f"{_X}row"):
        cells = []
        for cell in row.iter(f"{_X}c"):
            value = cell.findtext(f"{_X}v") or ""
            cells.append(strings[int(value)] if cell.get("t") == "s" else value)
        rows.append(cells)
    return rows


def test_a_workbook_has_a_row_for_each_code(coded: CodedNotes, tmp_path: Path) -> None:
    write_codes(coded, tmp_path / "codes.xlsx")
    head, *rows = sheet(tmp_path / "codes.xlsx", 1)
    assert head == list(COLUMNS)
    assert len(rows) == 5
    first = dict(zip(head, rows[0], strict=True))
    assert first["note"] == "=note <x-1>"
    assert first["code"] == "J44.9"
    assert first["evidence"] == "=HYPERLINK(1)"
    assert first["billable"] == "yes"
    assert float(first["score"]) == 0.9
    billable = {row[head.index("code")]: row[head.index("billable")] for row in rows}
    assert billable["J45"] == "no"
    findings = {row[head.index("code")]: row[head.index("findings")] for row in rows}
    assert "error excludes1" in findings["E10.9"]
    with zipfile.ZipFile(tmp_path / "codes.xlsx") as archive:
        xml = archive.read("xl/worksheets/sheet1.xml").decode()
    assert re.search(r'<pane [^>]*ySplit="1"[^>]*state="frozen"', xml)
    assert '<autoFilter ref="A1:L6"' in xml


def test_a_workbook_says_how_it_was_made(coded: CodedNotes, tmp_path: Path) -> None:
    write_codes(coded, tmp_path / "codes.xlsx")
    about = sheet(tmp_path / "codes.xlsx", 2)
    assert ["Check", CHECK] in about
    assert ["Model", "m"] in about
    assert ["Notes without a code", "empty"] in about
    assert ["Not read", "=bad<x-3>.txt is empty."] in about
    assert sum(row[0] == "Not attempted" for row in about) == len(NOT_ATTEMPTED)


def test_a_long_quote_fits_a_cell(tmp_path: Path) -> None:
    note = Note("n", "n", text="x" * 50_000)
    given = Predictions([Annotation("m", Code("X", "1"), "n", "n", (Span(0, 50_000),))])
    coded = CodedNotes((note,), given, code_rows([note], given), {}, ())
    write_codes(coded, tmp_path / "codes.xlsx")
    [_, row] = sheet(tmp_path / "codes.xlsx", 1)
    assert len(row[COLUMNS.index("evidence")]) == 32_767


def test_csv_opens_in_excel_and_runs_nothing(coded: CodedNotes, tmp_path: Path) -> None:
    write_codes(coded, tmp_path / "codes.csv")
    assert (tmp_path / "codes.csv").read_bytes().startswith(b"\xef\xbb\xbfnote,code,")
    with (tmp_path / "codes.csv").open(encoding="utf-8-sig", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert len(rows) == 5
    assert [row["evidence"] for row in rows] == [
        "'=HYPERLINK(1)", "<script>alert('x')</script>", "'-COPD", "'@home",
        "https://x.example/",
    ]  # fmt: skip
    assert {row["note"] for row in rows} == {"'=note <x-1>"}
    assert all(row["why"].startswith("'+") for row in rows)
    begins = {cell[:1] for row in rows for cell in row.values()}
    assert not begins & set("=+-@")


def test_json_lines_are_read_back(coded: CodedNotes, tmp_path: Path) -> None:
    write_codes(coded, tmp_path / "codes.jsonl")
    back = list(formats.read("jsonl", tmp_path / "codes.jsonl").iter_annotations())
    assert sorted(back, key=lambda one: one.code) == sorted(
        coded.annotations, key=lambda one: one.code
    )


class _Page(HTMLParser):
    """What a browser would see: elements, text of notes, marks."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.shown = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.shown += data


def test_a_page_shows_the_note_and_runs_nothing_of_it(coded: CodedNotes, tmp_path: Path) -> None:
    write_codes(coded, tmp_path / "codes.html")
    text = (tmp_path / "codes.html").read_text(encoding="utf-8")
    page = _Page(text)
    assert sum(tag == "script" for tag, _ in page.tags) == 1
    assert "<script>alert" not in text
    assert not [tag for tag, _ in page.tags if tag.startswith("x-")]
    assert "+why → <x-2>" in page.shown
    assert "=note <x-1>" in page.shown
    assert "=bad<x-3>.txt is empty." in page.shown
    assert "This page holds the text of the notes." in page.shown
    assert CHECK in page.shown
    fetched = [
        (tag, name)
        for tag, found in page.tags
        for name in ("src", "href")
        if found.get(name) and not str(found[name]).startswith("#")
    ]
    assert not fetched
    assert "url(" not in text
    assert "@import" not in text


def test_each_code_of_a_page_leads_to_its_words(coded: CodedNotes, tmp_path: Path) -> None:
    write_codes(coded, tmp_path / "codes.html")
    page = _Page((tmp_path / "codes.html").read_text(encoding="utf-8"))
    buttons = [str(found["data-key"]) for tag, found in page.tags if tag == "button"]
    marks = {
        key for tag, found in page.tags if tag == "mark" for key in str(found["data-on"]).split()
    }
    assert len(buttons) == len(set(buttons)) == 5
    assert set(buttons) == marks
    assert "No code reached the threshold." in page.shown


def test_a_name_decides_what_is_written(coded: CodedNotes, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"ends in .xlsx, .csv, .jsonl or .html; got"):
        write_codes(coded, tmp_path / "codes.xls")
    write_codes(coded, tmp_path / "CODES.CSV")
    with pytest.raises(OptionError, match="exists already"):
        write_codes(coded, tmp_path / "CODES.CSV")
    write_codes(coded, tmp_path / "CODES.CSV", overwrite=True)
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(OptionError, match="is a folder, but a file must be written"):
        write_codes(coded, tmp_path / "folder.csv", overwrite=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["CODES.CSV", "folder.csv"]
    assert auscult.write_codes is write_codes
