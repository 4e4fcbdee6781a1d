"""The queue in a spreadsheet: what people see, what comes back, and what must not be believed."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from auscult.agreement.adjudication import Queue, make_queue
from auscult.agreement.adjudication.files import read_decisions, write_queue
from auscult.core import Annotation, Code, FormatError, Note, OptionError, Span
from auscult.corpus import Corpus

TEXT = "=SUM(A1) hypertension; old MI noted."
I10, I25 = Code("ICD-10-CM", "I10"), Code("ICD-10-CM", "I25.2")


@pytest.fixture
def queue() -> Queue:
    """Two charts with ids that spreadsheets like to mangle."""
    notes = [Note("0013", "007", text=TEXT), Note("1-2", "3E5", text=TEXT)]
    given = [
        Annotation("ann", I10, "007", "0013", (Span(9, 21),)),
        Annotation("bob", I10, "007", "0013", (Span(0, 21),)),
        Annotation("ann", I10, "3E5", "1-2", (Span(9, 21),)),
        Annotation("bob", I10, "3E5", "1-2", (Span(9, 21),)),
        Annotation("bob", I25, "3E5", "1-2", (Span(23, 29),)),
    ]
    return make_queue(Corpus.of(notes, given), ["ann", "bob"])


@pytest.fixture
def sheet(queue: Queue, tmp_path: Path) -> Path:
    file = tmp_path / "queue.csv"
    write_queue(queue, queue.items, file, show_text=True)
    return file


def table(file: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(file.read_text("utf-8-sig"), newline="")))


def fill(
    file: Path, rows: list[dict[str, str]], *, delimiter: str = ",", end: str = "\r\n"
) -> None:
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(rows[0]), delimiter=delimiter, lineterminator=end)
    writer.writeheader()
    writer.writerows(rows)
    file.write_text(out.getvalue(), "utf-8", newline="")


def decided(file: Path, **first: str) -> list[dict[str, str]]:
    rows = table(file)
    rows[0] |= {"decision": "accept-A", "who": "judge", "when": "2024-03-01", **first}
    return rows


def test_what_people_see(sheet: Path) -> None:
    first, second = table(sheet)
    assert first["cause"] == "boundary"
    assert first["codes"] == "I10 Essential (primary) hypertension"
    assert first["A: ann"] == "ICD-10-CM | I10 | 0013 | 9-21"
    assert first["B: bob"] == "ICD-10-CM | I10 | 0013 | 0-21"
    assert second["A: ann"] == "(nothing)"
    assert first["A words"] == "'=SUM(A1) «hypertension»; old MI noted."
    assert first["B words"] == "«=SUM(A1) hypertension»; old MI noted."
    assert (first["decision"], first["round"]) == ("", "1")


def test_text_is_shown_only_when_asked_for(queue: Queue, tmp_path: Path) -> None:
    write_queue(queue, queue.items, tmp_path / "plain.csv")
    assert "hypertension;" not in (tmp_path / "plain.csv").read_text("utf-8")
    with pytest.raises(OptionError, match="overwrite"):
        write_queue(queue, queue.items, tmp_path / "plain.csv")
    with pytest.raises(OptionError, match=r"\.csv"):
        write_queue(queue, queue.items, tmp_path / "queue.xlsx")


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\r\n", "\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_what_spreadsheets_do_and_may(
    sheet: Path, queue: Queue, delimiter: str, end: str, mark: str
) -> None:
    """Other separators and line ends, a mark, ids turned into numbers, columns and rows moved."""
    rows = decided(sheet, decision=" Accept a ", round="1.0", why="one; two, three\nfour")
    rows[0] |= {"chart": "7"}
    rows[1] |= {"chart": "300000"}
    moved = [dict(sorted(row.items())) for row in reversed(rows)]
    fill(sheet, moved, delimiter=delimiter, end=end)
    sheet.write_text(mark + sheet.read_bytes().decode(), "utf-8", newline="")
    [made] = read_decisions([sheet], queue)
    assert (made.item_id, made.choice, made.who) == (queue.items[0].item_id, "accept-A", "judge")
    assert (made.round, made.why) == (1, "one; two, three\nfour")


def test_rows_nobody_decided_are_left_out(sheet: Path, queue: Queue) -> None:
    assert read_decisions([sheet], queue) == []


def test_who_and_when_for_a_whole_sheet(sheet: Path, queue: Queue) -> None:
    fill(sheet, decided(sheet, who="", when=""))
    [made] = read_decisions([sheet], queue, who="eve", when="2024-04-01T10:00")
    assert (made.who, made.when) == ("eve", "2024-04-01T10:00")
    fill(sheet, decided(sheet, role="Supervisor"))
    [made] = read_decisions([sheet], queue, who="eve")
    assert (made.who, made.supervisor) == ("judge", True)


def test_an_edit(sheet: Path, queue: Queue) -> None:
    edit = "ICD-10-CM | i10 | 0013 | 9-21, 23-29; ICD-10-CM|I25.2|0013"
    fill(sheet, decided(sheet, decision="edit", edit=edit))
    [made] = read_decisions([sheet], queue)
    assert [(s.code, s.spans) for s in made.edit] == [
        (I10, (Span(9, 21), Span(23, 29))),
        (I25, ()),
    ]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"decision": "accept-C"}, r"accept-A \(ann\), accept-B \(bob\), both"),
        ({"decision": "yes"}, "both, neither, edit"),
        ({"who": ""}, "--decided-by"),
        ({"when": ""}, "--decided-on"),
        ({"when": "01.03.2024"}, "format the column as text"),
        ({"when": "45352.4166"}, "format the column as text"),
        ({"round": "first"}, "must be an integer"),
        ({"role": "boss"}, "supervisor"),
        ({"decision": "edit"}, "the edit is empty"),
        ({"who": "an n"}, "similar to the annotator ann"),
        ({"edit": "ICD-10-CM | I10"}, "require the decision edit"),
        ({"decision": "", "edit": "ICD-10-CM | I10"}, "no decision"),
        ({"decision": "edit", "edit": "I10"}, r"SYSTEM \| CODE"),
        ({"decision": "edit", "edit": "ICD-10-CM | hypertension"}, "have the form"),
        ({"decision": "edit", "edit": "ICD-10-CM | I10 | 0013 | 01/02/24"}, "date"),
        ({"decision": "edit", "edit": "ICD-10-CM | I10 | 0013 | 21-9"}, "begin to end"),
        ({"item": "q0000"}, "q0000 is not an item of this queue.*--charts, --split, --category"),
        ({"item": "hypertension"}, "The cell under item is not an item"),
        ({"A: ann": "ICD-10-CM | I25.2"}, "sorted separately"),
        ({"B: bob": ""}, "sorted separately"),
    ],
)
def test_what_is_refused(sheet: Path, queue: Queue, change: dict[str, str], says: str) -> None:
    fill(sheet, decided(sheet, **change))
    with pytest.raises(FormatError, match=says) as caught:
        read_decisions([sheet], queue)
    assert re.search(r"queue\.csv row 2: ", str(caught.value))
    assert "hypertension" not in str(caught.value)


def test_columns_sorted_apart(sheet: Path, queue: Queue) -> None:
    """Sorting some columns and not others would give every decision to another item."""
    rows = decided(sheet)
    rows[0]["item"], rows[1]["item"] = rows[1]["item"], rows[0]["item"]
    fill(sheet, rows)
    with pytest.raises(FormatError, match=r"row 2.*sorted separately"):
        read_decisions([sheet], queue)


def test_edits_must_fit_the_notes(sheet: Path, queue: Queue) -> None:
    for edit, says in (
        ("ICD-10-CM | I10 | 1-2 | 9-21", "not belong to chart 007"),
        ("ICD-10-CM | I10 | 13 | 9-21", "not belong to chart 007"),
        ("ICD-10-CM | I10 | 0013 | 9-2100", "past the note's 36 characters"),
    ):
        fill(sheet, decided(sheet, decision="edit", edit=edit))
        with pytest.raises(FormatError, match=says):
            read_decisions([sheet], queue)


def test_files_that_are_no_sheets(sheet: Path, queue: Queue, tmp_path: Path) -> None:
    good = sheet.read_text("utf-8-sig")
    for content, says in (
        (good.encode("utf-16"), "UTF-16"),
        (b"", "empty"),
        (b"a,b\n1,2\n", "no column item"),
        (b"item,decision,decision\n", "two columns"),
        (b"sep=;\nitem;decision\n", "sep="),
        (b'item,decision\n"x,both\n', "CSV"),
        ("item,decision\ncaf\xe9,both\n".encode("latin-1"), "not UTF-8"),
        (
            f"item,decision\n{queue.items[0].item_id},both,x\n".encode(),
            "the row has 3 cells, the header has 2",
        ),
    ):
        sheet.write_bytes(content)
        with pytest.raises(FormatError, match=says):
            read_decisions([sheet], queue)
    with pytest.raises(OptionError, match="does not exist"):
        read_decisions([tmp_path / "nowhere.csv"], queue)


def test_lines_that_are_refused(queue: Queue, tmp_path: Path) -> None:
    file = tmp_path / "decisions.jsonl"
    item = queue.items[0].item_id
    good = f'"item": "{item}", "who": "j", "when": "2024-03-01"'
    for line, says in (
        ("{", "the line"),
        ("{}", "item"),
        ('{"item": "x"}', "is not an item"),
        (f'{{{good}, "decision": "maybe"}}', "both, neither, edit"),
        (f'{{{good}, "decision": "both", "round": "one"}}', "round"),
        (f'{{{good}, "decision": "both", "color": 1}}', "color"),
        (
            f'{{{good.replace(item, "q12345")}, "decision": "both"}}',
            "q12345 is not an item of this queue.*--charts",
        ),
        (f'{{{good}, "decision": "edit", "edit": [{{"system": "CPT", "code": "x"}}]}}', "CPT"),
        (f'{{{good}, "decision": "edit", "edit": []}}', "the edit is empty"),
        (f'{{{good}, "decision": "edit"}}', "decide neither"),
        (f'{{{good}, "edit": [{{"system": "ICD-10-CM", "code": "I10"}}]}}', "no decision"),
        (
            f'{{{good}, "decision": "edit", "edit": [{{"system": "ICD-10-CM", "code": "I10", '
            '"spans": [[0, 5]]}]}',
            "has spans but no note_id",
        ),
        (f'{{"item": "{item}", "decision": "both", "when": "2024-03-01"}}', "--decided-by"),
        (f'{{"item": "{item}", "decision": "both", "who": "j"}}', "--decided-on"),
        (f'{{{good}, "decision": "both", "sides": {{}}}}', "the annotations differ from those of"),
    ):
        file.write_text(f"\n{line}\n")
        with pytest.raises(FormatError, match=f"row 2.*{says}"):
            read_decisions([file], queue)


def lines_of(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def test_lines_are_filled_in_as_they_are(queue: Queue, tmp_path: Path) -> None:
    """The keys that ask are there; what is left empty is no decision."""
    file = tmp_path / "queue.jsonl"
    write_queue(queue, queue.items, file, round=2)
    assert "hypertension;" not in file.read_text("utf-8")
    assert read_decisions([file], queue) == []
    first, second = lines_of(file)
    assert first["codes"] == {"ICD-10-CM I10": "Essential (primary) hypertension"}
    assert (first["decision"], first["edit"], first["who"]) == (None, [], None)
    first |= {"decision": "Accept b", "why": "as written"}
    second |= {"decision": "edit", "who": "bob ", "when": "2024-05-05", "supervisor": True}
    second["edit"] = [{"system": "ICD-10-CM", "code": "i252", "note_id": "1-2"}]
    file.write_text("\n".join(map(json.dumps, (first, second))))
    one, other = read_decisions([file], queue, who="eve", when="2024-03-01")
    assert (one.choice, one.who, one.when) == ("accept-B", "eve", "2024-03-01")
    assert (one.round, one.why, one.supervisor) == (2, "as written", False)
    assert (other.who, other.when, other.supervisor) == ("bob", "2024-05-05", True)
    assert [statement.code for statement in other.edit] == [I25]  # written as the sheet has it


def test_lines_quote_notes_when_asked_to(queue: Queue, tmp_path: Path) -> None:
    file = tmp_path / "queue.jsonl"
    write_queue(queue, queue.items, file, show_text=True)
    first, second = lines_of(file)
    assert first["sides"]["A"]["words"] == "=SUM(A1) «hypertension»; old MI noted."
    assert second["sides"]["A"]["words"] == ""
    first |= {"decision": "both", "who": "eve", "when": "2024-03-01"}
    file.write_text(json.dumps(first))
    assert [made.choice for made in read_decisions([file], queue)] == ["both"]
    first["sides"]["B"]["statements"][0]["code"] = "I25.2"
    file.write_text(json.dumps(first))
    with pytest.raises(FormatError, match="row 1: the annotations differ from those of") as caught:
        read_decisions([file], queue)
    assert "hypertension" not in str(caught.value)
