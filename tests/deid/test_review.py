"""The review queue: out as a sheet, back with decisions, and what is wrong with a sheet."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from auscult.core import AuscultError, FormatError, Note, OptionError
from auscult.corpus import Corpus
from auscult.deid import PhiKind, ReviewChoice, review_items
from auscult.deid.sheet import read_decisions, write_queue

TEXT = (
    "Stones passed 2/5, h/o gout 1998. Mrs. Foley has a Foley; he with Foley bag.\nSeen 2/30/2003."
)


def corpus() -> Corpus:
    return Corpus.of([Note("=n1", "c", "p", time="2003-03-01", text=TEXT)])


def queue(tmp_path: Path, *, everything: bool = False) -> Path:
    file = tmp_path / "queue.csv"
    write_queue(review_items(corpus(), everything=everything), file)
    return file


def rows_of(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8-sig", newline="") as handle:
        return list(csv.DictReader(handle))


def fill(file: Path, rows: list[dict[str, str]], separator: str = ",") -> None:
    with file.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]), delimiter=separator)
        writer.writeheader()
        writer.writerows(rows)


def test_the_sheet_says_why_and_what_happens_if_nobody_decides(tmp_path: Path) -> None:
    rows = rows_of(queue(tmp_path))
    told = {row["words (PHI)"]: (row["doubt"], row["undecided"]) for row in rows}
    assert told["2/5"] == ("a date or a score", "keep")
    assert told["1998"] == ("a number that may be a year", "replace")
    assert told["2/30/2003"] == ("not a valid date", "replace")
    assert "Mrs" not in told
    assert all(f"«{row['words (PHI)']}»" in row["context (PHI)"] for row in rows)


def test_only_the_owner_reads_the_sheet_and_no_cell_is_a_formula(tmp_path: Path) -> None:
    file = queue(tmp_path)
    assert file.stat().st_mode & 0o077 == 0
    assert {row["note"] for row in rows_of(file)} == {"'=n1"}


def test_everything_is_more_than_the_doubtful(tmp_path: Path) -> None:
    few = len(rows_of(queue(tmp_path)))
    (tmp_path / "queue.csv").unlink()
    every = rows_of(queue(tmp_path, everything=True))
    assert len(every) > few
    assert "Foley" in {row["words (PHI)"] for row in every}


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_decisions_come_back(tmp_path: Path, separator: str) -> None:
    file = queue(tmp_path)
    rows = rows_of(file)
    rows[0] |= {"decision": "Generalize", "who": "ann", "why": "rare"}
    rows[1] |= {"decision": "replace", "replacement": "1999"}
    fill(file, rows, separator)
    first, second = read_decisions([file], {"=n1"})
    assert (first.choice, first.who, first.why) == (ReviewChoice.GENERALIZE, "ann", "rare")
    assert (second.choice, second.replacement) == (ReviewChoice.REPLACE, "1999")
    assert first.item_id == rows[0]["item"]


def test_a_row_can_be_added(tmp_path: Path) -> None:
    file = queue(tmp_path)
    rows = rows_of(file)
    new = {"item": "new", "note": "=n1", "kind": "name", "begin": "0", "end": "6"}
    fill(file, [dict.fromkeys(rows[0], "") | new | {"decision": "replace"}])
    (decision,) = read_decisions([file], {"=n1"})
    assert decision.added is not None
    assert decision.added[:3] == (0, 6, PhiKind.NAME)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"decision": "burn"}, "keep, replace, generalize or delete"),
        ({"decision": "keep", "begin": "1"}, "sorted separately"),
        ({"decision": "keep", "note": "n9"}, "not in this corpus"),
        ({"decision": "keep", "kind": "COLOR"}, "one of NAME, DATE"),
        ({"decision": "keep", "end": "many"}, "must be integers"),
        ({"decision": "keep", "item": "new", "begin": "9", "end": "3"}, "needs 0 ≤ begin < end"),
    ],
)
def test_a_sheet_that_was_spoilt(tmp_path: Path, change: dict[str, str], message: str) -> None:
    file = queue(tmp_path)
    rows = rows_of(file)
    rows[1] |= change
    fill(file, rows)
    with pytest.raises(FormatError, match=message) as caught:
        read_decisions([file], {"=n1"})
    assert caught.value.row == 3
    assert "gout" not in str(caught.value)


@pytest.mark.parametrize("column", ["decision", "kind", "begin", "end", "item", "note"])
@pytest.mark.parametrize("quoted", ["context (PHI)", "words (PHI)"])
def test_columns_that_slipped_do_not_quote_the_note(
    tmp_path: Path, column: str, quoted: str
) -> None:
    file = queue(tmp_path, everything=True)
    rows = rows_of(file)
    for row in rows:
        row["decision"] = "keep"
        row[column] = row[quoted]
    fill(file, rows)
    with pytest.raises(AuscultError) as caught:
        read_decisions([file], {"=n1"})
    told = str(caught.value)
    words = {word for row in rows for word in row["words (PHI)"].split()} | {"gout", "Stones"}
    assert not [word for word in words if word in told.replace(str(file), "")]


def test_all_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    file = queue(tmp_path)
    rows = rows_of(file)
    rows[0] |= {"decision": "burn"}
    rows[1] |= {"decision": "keep", "end": "many"}
    new = dict.fromkeys(rows[0], "") | {"item": "new", "note": "=n1", "kind": "NAME"}
    rows.append(new | {"begin": "0", "end": "6"})
    fill(file, rows)
    with pytest.raises(OptionError, match="3 decisions are invalid") as caught:
        read_decisions([file], {"=n1"})
    told = str(caught.value)
    assert "row 2: A decision must be" in told
    assert "row 3: Begin and end" in told
    assert f"row {len(rows) + 1}: A row that adds an identifier needs a decision" in told


def test_columns_that_are_missing_and_files_that_are_there(tmp_path: Path) -> None:
    file = tmp_path / "some.csv"
    file.write_text("item,decision\nx,keep\n", encoding="utf-8")
    with pytest.raises(FormatError, match="no column note"):
        read_decisions([file], set())
    with pytest.raises(OptionError, match="exists already"):
        write_queue([], file)
    with pytest.raises(OptionError, match=r"end in \.csv"):
        write_queue([], tmp_path / "queue.xlsx")


@pytest.mark.parametrize("content", [b"", b"\xff\xfea", b"sep=;\n", b'item,"x', b"\xe9\n"])
def test_anything_else_is_an_error_of_ours(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "queue.csv"
    file.write_bytes(content)
    with pytest.raises(AuscultError):
        read_decisions([file], set())
