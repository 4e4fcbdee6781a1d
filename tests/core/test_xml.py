"""XML is read safely, and what is wrong with a file is said with its line."""

from __future__ import annotations

import gzip
import time
from pathlib import Path

import pytest

from auscult.core import FormatError, xml


def _file(folder: Path, raw: bytes, name: str = "some.xml") -> Path:
    path = folder / name
    path.write_bytes(raw)
    return path


def test_elements_know_their_line(tmp_path: Path) -> None:
    root = xml.parse(_file(tmp_path, b"<a>\n  <b>fish &amp; chips</b>\n\n  <c x='1'/>\n</a>"))
    assert [(e.tag, xml.row_of(e)) for e in root.iter()] == [("a", 1), ("b", 2), ("c", 4)]
    assert root[0].text == "fish & chips"
    assert root[1].attrib == {"x": "1"}


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1", "windows-1252", "us-ascii"]
)
def test_the_declared_encoding_is_used(tmp_path: Path, encoding: str) -> None:
    declared = encoding.removesuffix("-sig")
    word = "febril" if encoding == "us-ascii" else "fébril"
    raw = f'<?xml version="1.0" encoding="{declared}"?><a>{word}</a>'.encode(encoding)
    assert xml.parse(_file(tmp_path, raw)).text == word


def test_gzip_is_unpacked(tmp_path: Path) -> None:
    assert xml.parse(_file(tmp_path, gzip.compress(b"<a>x</a>"), "some.xml.gz")).text == "x"


def test_a_doctype_is_fine_and_not_followed(tmp_path: Path) -> None:
    raw = b'<!DOCTYPE collection SYSTEM "http://example.invalid/BioC.dtd">\n<collection>x</collection>'
    assert xml.parse(_file(tmp_path, raw)).text == "x"


def test_comments_instructions_and_cdata_leave_the_text_whole(tmp_path: Path) -> None:
    root = xml.parse(_file(tmp_path, b"<a>one<!-- no -->, two<?pi?>, <![CDATA[<three>]]></a>"))
    assert root.text == "one, two, <three>"


@pytest.mark.parametrize(
    ("raw", "row"),
    [
        (b"<a/>\n<b/>", 2),
        (b"<a>\n<b>", 2),
        (b"<a>\n</b>", 2),
        (b"", 1),
        (b"<a>\n\0</a>", 2),
        (b"<a>\n\n&nbsp;</a>", 3),
        (b"<a>&#xD800;</a>", 1),
        (b'<a x="1" x="2"/>', 1),
        (b'<?xml version="1.0" encoding="utf-8"?>\n<a>\xe9</a>', 2),
        (b'<?xml version="1.0" encoding="no-such"?>\n<a/>', 1),
        (b'<?xml version="1.0" encoding="shift_jis"?>\n<a/>', 1),
        (bytes(range(256)), 1),
    ],
    ids=[
        *("two roots", "truncated", "mismatched", "empty", "NUL", "undeclared entity"),
        *("surrogate", "attribute twice", "wrong encoding", "unknown encoding"),
        *("encoding expat cannot read", "binary"),
    ],
)
def test_malformed_files_are_errors_with_file_and_line(
    tmp_path: Path, raw: bytes, row: int
) -> None:
    path = _file(tmp_path, raw)
    with pytest.raises(FormatError) as caught:
        xml.parse(path)
    assert caught.value.file == path
    assert caught.value.row == row


@pytest.mark.parametrize(
    "raw",
    [
        b'<!DOCTYPE a [<!ENTITY b "c">]>\n<a>&b;</a>',
        b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>\n<a>&b;</a>',
        b'<!DOCTYPE a [<!ENTITY % b SYSTEM "http://example.invalid/"> %b;]>\n<a/>',
        b'<!DOCTYPE a SYSTEM "a.dtd">\n<a>&declared_there;</a>',
    ],
    ids=["internal", "external", "parameter", "of a DTD that is not read"],
)
def test_entities_are_refused(tmp_path: Path, raw: bytes) -> None:
    with pytest.raises(FormatError, match="entity"):
        xml.parse(_file(tmp_path, raw))


def test_a_billion_laughs_are_refused_at_once(tmp_path: Path) -> None:
    levels = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 12))
    raw = f'<!DOCTYPE a [<!ENTITY l0 "ha">{levels}]><a>&l11;</a>'.encode()
    started = time.monotonic()
    with pytest.raises(FormatError, match="entity"):
        xml.parse(_file(tmp_path, raw))
    assert time.monotonic() - started < 1


def test_depth_is_no_problem(tmp_path: Path) -> None:
    raw = b"<a>" * 100_000 + b"</a>" * 100_000
    assert sum(1 for _ in xml.parse(_file(tmp_path, raw)).iter()) == 100_000


def test_errors_show_nothing_of_the_text(tmp_path: Path) -> None:
    with pytest.raises(FormatError) as caught:
        xml.parse(_file(tmp_path, b"<a>MARKERTEXT<b></a>"))
    assert "MARKERTEXT" not in str(caught.value)
