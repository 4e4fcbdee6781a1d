"""CSV tables: read as Python's csv module reads them when it is strict, or an error."""

from __future__ import annotations

import csv
import gzip
import io
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

from auscult.core import FormatError
from auscult.core.files import read_text
from auscult.corpus.formats.shared import tables
from auscult.corpus.formats.shared.tables import check_csv, find_table, scan, scan_csv

# What CSV files go wrong over, what decoders go wrong over, and what polars takes for zlib.
HARD = ['"', '""', ",", "\n", "\r\n", "\r", " ", "a", "é", "🫀", "\u2028", "x\x01", "\ufeff", "','"]
FIELDS = st.lists(
    st.sampled_from(HARD) | st.characters(codec="utf-8", exclude_characters="\0"), max_size=8
).map("".join)


@contextmanager
def small_blocks(block: int, piece: int) -> Iterator[None]:
    """Cut files so finely that every kind of cut happens in a short one."""
    with mock.patch.object(tables, "_BLOCK", block), mock.patch.object(tables, "_PIECE", piece):
        yield


def by_csv_module(text: str) -> list[list[str]]:
    """The rows after the header. The module has no rows for blank lines."""
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))[1:]
    return [row for row in rows if row]


def by_us(path: Path, width: int) -> list[list[str]]:
    """The same, whose empty fields are null."""
    rows = scan_csv(path, [f"c{i}" for i in range(width)]).collect().rows()
    return [[field or "" for field in row] for row in rows]


@settings(max_examples=examples(100), deadline=None)
@given(
    rows=st.integers(2, 4).flatmap(
        lambda width: st.lists(st.lists(FIELDS, min_size=width, max_size=width), min_size=1)
    ),
    terminator=st.sampled_from(["\n", "\r\n"]),
    quoting=st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC]),
    packed=st.booleans(),
    block=st.integers(32, 80),
    piece=st.integers(1, 100),
)
def test_every_written_table_reads_as_the_csv_module_reads_it(
    rows: list[list[str]], terminator: str, quoting: int, packed: bool, block: int, piece: int
) -> None:
    width = len(rows[0])
    if quoting == csv.QUOTE_MINIMAL and terminator == "\n":
        terminator = "\r\n"  # or the module leaves a carriage return unquoted
    written = io.StringIO(newline="")
    writer = csv.writer(written, lineterminator=terminator, quoting=quoting)  # type: ignore[arg-type] # an int in Python 3.11's stubs, an enum later
    writer.writerows([[f"c{i}" for i in range(width)], *rows])
    with tempfile.TemporaryDirectory() as folder, small_blocks(block, piece):
        path = Path(folder) / ("table.csv.gz" if packed else "table.csv")
        raw = written.getvalue().encode()
        path.write_bytes(gzip.compress(raw) if packed else raw)
        assert by_us(path, width) == by_csv_module(written.getvalue()) == rows


@settings(max_examples=examples(250), deadline=None)
@given(
    body=st.lists(st.sampled_from([*HARD, ",", '",', ',"', '"\n"', "\n"]), max_size=30).map(
        "".join
    ),
    width=st.integers(2, 3),
    block=st.integers(32, 80),
    piece=st.integers(1, 40),
)
def test_any_bytes_are_an_error_or_read_as_the_csv_module_reads_them(
    body: str, width: int, block: int, piece: int
) -> None:
    text = ",".join(f"c{i}" for i in range(width)) + "\n" + body
    with tempfile.TemporaryDirectory() as folder, small_blocks(block, piece):
        path = Path(folder) / "table.csv"
        path.write_bytes(text.encode())
        try:
            ours = by_us(path, width)
        except FormatError as error:
            refused = error
        else:
            assert ours == by_csv_module(text)
            return
        assert refused.file == path
        assert refused.row is not None


def test_long_rows_cut_into_many_pieces_stay_whole_and_in_order(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    rows = [(str(i), 'a "b",\r\n' * (i + 1)) for i in range(3_000)]  # about 40 MB
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("id", "text"), *rows])
    table = check_csv(path)
    assert len(table.cuts) > 5
    assert table.rows == 3_000
    assert scan(table, ["id", "text"]).collect().rows() == rows


def test_names_match_in_any_case_and_come_back_as_asked(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("row_id,TEXT,Other\n1,one,x\n2,two,y\n")
    table = scan_csv(path, ["TEXT", "ROW_ID"], optional=["CGID"]).collect()
    assert table.columns == ["TEXT", "ROW_ID", "CGID"]
    assert table.rows() == [("one", "1", None), ("two", "2", None)]


def test_an_exact_name_goes_before_one_that_differs_in_case(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("ID,id\n1,2\n")
    assert scan_csv(path, ["id"]).collect().item() == "2"
    with pytest.raises(FormatError, match="2 columns are named Id"):
        scan_csv(path, ["Id"])


def test_empty_is_null_and_quoted_empty_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text('a,b\n,""\n"",\n')
    assert scan_csv(path, ["a", "b"]).collect().rows() == [(None, ""), ("", None)]


@pytest.mark.parametrize("ending", ["", "\n", "\r\n", "\n\n\n", "\r\n\r\n"])
def test_a_file_may_end_in_any_number_of_newlines(tmp_path: Path, ending: str) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(b"\xef\xbb\xbfa,b\n1,2" + ending.encode())
    assert scan_csv(path, ["a", "b"]).collect().rows() == [("1", "2")]


def test_a_header_alone_is_a_table_without_rows(tmp_path: Path) -> None:
    for content in ("a,b", "a,b\n", 'a,"b"\r\n'):
        path = tmp_path / "table.csv"
        path.write_bytes(content.encode())
        assert scan_csv(path, ["a", "b"]).collect().shape == (0, 2)


def test_selecting_filtering_and_slicing_agree_with_doing_so_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a,b,c\n" + "".join(f"{i},{i % 7},x\n" for i in range(1_000)))
    with small_blocks(50, 100):
        lazy = scan_csv(path, ["a", "b", "c"])
        whole = lazy.collect()
        queries: list[Callable[[pl.LazyFrame], pl.LazyFrame]] = [
            lambda t: t.filter(pl.col("b") == "3").select("a"),
            lambda t: t.head(37),
            lambda t: t.slice(500, 20),
            lambda t: t.filter(pl.col("b") == "3").head(5),
            lambda t: t.select(pl.len()),
            lambda t: t.group_by("b").len().sort("b"),
        ]
        for query in queries:
            assert query(lazy).collect().equals(query(whole.lazy()).collect())


MALFORMED = {
    "nothing": (b"", None, "empty"),
    "blank lines only": (b"\n\n", None, "empty"),
    "too few fields": (b"a,b\n1,2\n3\n4,5\n", 3, "the row has 1 fields, the header has 2"),
    "too many fields": (b"a,b\n1,2\n3,4\n5,6,7\n", 4, "3 fields"),
    "short and long rows that even out": (b"a,b\n1\n1,2,3\n", 2, "1 fields"),
    "breaks off in a row": (b"a,b\n1,2\n3", 3, "1 fields"),
    "a NUL": (b'a,b\n1,2\n3,"x\ny\0"\n', 3, "NUL"),
    "a NUL in the header": (b"a,\0b\n1,2\n", 1, "NUL"),
    "not UTF-8": (b'a,b\n1,"x\ny"\n3,caf\xe9\n', 3, "0xe9 is not UTF-8"),
    "half a character at the end": (b"a,b\n1,2\n3,\xc3", 3, "not UTF-8"),
    "half a surrogate pair": (b"a,b\n1,\xed\xa0\x80\n", 2, "not UTF-8"),
    "a quote never closed": (b'a,b\n1,2\n3,"x\n4,5\n6,7\n', 3, "never closed"),
    "a quote not doubled": (b'a,b\n1,2\n3,"say "hi" again"\n', 3, "middle of a field"),
    "text after a quote": (b'a,b\n"1"x,2\n', 2, "middle of a field"),
    "a quote inside an unquoted field": (b'a,b\n1,5" wide\n2,6"\n', 2, "middle of a field"),
    "a blank line in the middle": (b"a,b\n1,2\n\n3,4\n", 3, "blank line"),
    "a lone carriage return": (b"a,b\n1,x\ry\n", 2, "carriage return"),
    "old Mac line ends": (b"a,b\r1,2\r", 1, "header row"),
}


@pytest.mark.parametrize("packed", [False, True], ids=["csv", "csv.gz"])
@pytest.mark.parametrize(("content", "row", "says"), MALFORMED.values(), ids=MALFORMED)
@pytest.mark.parametrize("block", [16, 2**20], ids=["small blocks", "one block"])
def test_a_malformed_file_is_an_error_that_names_file_and_row(
    tmp_path: Path, content: bytes, row: int | None, says: str, packed: bool, block: int
) -> None:
    path = tmp_path / ("table.csv.gz" if packed else "table.csv")
    path.write_bytes(gzip.compress(content) if packed else content)
    with small_blocks(block, 1), pytest.raises(FormatError, match=says) as caught:
        scan_csv(path, ["a", "b"])
    assert caught.value.file == path
    assert caught.value.row == row


def test_every_cut_of_a_gzip_file_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "table.csv.gz"
    whole = gzip.compress(b"a,b\n" + b"1,2\n" * 500)
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(FormatError, match=r"truncated|empty"):
            check_csv(path)


def test_a_damaged_gzip_file_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "table.csv.gz"
    whole = bytearray(gzip.compress(b"a,b\n" + b"".join(b"%d,2\n" % i for i in range(500))))
    whole[len(whole) // 2] ^= 0xFF
    path.write_bytes(whole)
    with pytest.raises(FormatError, match="truncated or damaged"):
        check_csv(path)
    path.write_bytes(b"a,b\n1,2\n")
    with pytest.raises(FormatError, match="the file is not gzip-compressed"):
        check_csv(path)


def test_a_missing_column_is_an_error_that_lists_those_there_are(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("ROW_ID,TXT\n1,x\n")
    with pytest.raises(FormatError) as caught:
        scan_csv(path, ["row_id", "text", "category"])
    assert str(caught.value) == (
        f"{path} row 1: there is no column text and no column category; the columns are ROW_ID, TXT"
    )


def test_a_file_without_a_header_does_not_show_its_first_note(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text('1,Radiology,"Chest film of a patient\nwith cough."\n')
    with pytest.raises(FormatError, match="3 fields that do not look like column names") as caught:
        scan_csv(path, ["text"])
    assert "cough" not in str(caught.value)
    assert "Chest" not in str(caught.value)


def test_a_row_that_leaves_out_what_must_be_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text('a,b,c\n1,,x\n,2,x\n" ","",x\n')
    with small_blocks(16, 4):
        table = check_csv(path)
        scan(table, ["a", "b"], filled=[["c"]]).collect()
        with pytest.raises(FormatError, match="no a and no b") as caught:
            scan(table, ["a", "b"], filled=[["a", "b"]]).collect()
    assert caught.value.row == 4


def test_a_file_that_changed_after_its_check_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a,b\n1,2\n3,4\n")
    lazy = scan_csv(path, ["a"])
    path.write_text("a,b\n1,2\n")
    with pytest.raises(FormatError, match="changed"):
        lazy.collect()
    path.unlink()
    with pytest.raises(FormatError, match="cannot be read"):
        lazy.collect()


def test_folders_and_missing_files_are_errors(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="folder"):
        check_csv(tmp_path)
    with pytest.raises(FormatError, match="cannot be read"):
        check_csv(tmp_path / "none.csv")


def test_a_table_is_found_in_any_case_plain_before_packed(tmp_path: Path) -> None:
    assert find_table(tmp_path, "NOTEEVENTS") is None
    packed = tmp_path / "NoteEvents.csv.gz"
    packed.touch()
    (tmp_path / "NOTEEVENTS.csv.bak").touch()
    assert find_table(tmp_path, "NOTEEVENTS") == packed
    plain = tmp_path / "noteevents.CSV"
    plain.touch()
    assert find_table(tmp_path, "NOTEEVENTS") == plain


def test_a_fault_far_into_a_table_is_found_when_it_is_read(tmp_path: Path) -> None:
    rows = [f'{number},"{"word " * 60}"\n' for number in range(20_000)]
    rows[17_000] = '17000,"quotes "in the middle" of a field"\n'
    path = tmp_path / "long.csv"
    path.write_text("ID,TEXT\n" + "".join(rows))
    table = tables.open_csv(path)
    assert table.columns == ("ID", "TEXT")
    with pytest.raises(FormatError, match=r"long.csv row 17002: a quote in the middle of a field"):
        tables.scan(table, ["ID", "TEXT"]).collect()
    with pytest.raises(FormatError, match=r"row 17002"):
        tables.scan(table, ["ID", "TEXT"]).sink_parquet(tmp_path / "out.parquet")


@pytest.mark.parametrize("rows", [0, 1, 9, 60_000])
def test_checking_while_reading_gives_the_rows_that_checking_first_gives(
    tmp_path: Path, rows: int
) -> None:
    path = tmp_path / "any.csv.gz"
    with gzip.open(path, "wt", compresslevel=1, newline="") as file:
        file.write("ID,TEXT\n")
        for number in range(rows):
            end = "\r\n" if number % 3 else "\n"
            file.write(f'{number},"line {number},\r\n""quoted"" {"x" * (number % 200)}"{end}')
    first = tables.scan(tables.check_csv(path), ["ID", "TEXT"]).collect()
    along = tables.scan(tables.open_csv(path), ["ID", "TEXT"]).collect()
    assert along.height == rows
    assert along.equals(first)


def test_a_cut_far_into_a_gzip_file_says_how_far_the_rows_were_sound(tmp_path: Path) -> None:
    path = tmp_path / "table.csv.gz"
    rows = "".join(f"{i},{i * 7919 % 10007}\n" for i in range(4000))
    path.write_bytes(gzip.compress(b"a,b\n" + rows.encode())[:-200])
    with small_blocks(1000, 4000), pytest.raises(FormatError, match="somewhere after row") as cut:
        check_csv(path)
    assert 3000 < int(str(cut.value).split("after row ")[1].split(";")[0]) <= 4001


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_is_named(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes("\ufeffa,b\n1,2\n".encode(encoding))
    for read in (check_csv, read_text):
        with pytest.raises(FormatError, match=r"table.csv row 1: the file is UTF-16.*iconv"):
            read(path)


def test_a_plain_file_called_gz_is_named(tmp_path: Path) -> None:
    path = tmp_path / "table.csv.gz"
    path.write_text("a,b\n1,2\n")
    for read in (check_csv, read_text):
        with pytest.raises(FormatError, match="the file is not gzip-compressed"):
            read(path)
