"""Encodings that nobody has stated, told apart."""

from __future__ import annotations

import codecs

import pytest

from auscult.core.encodings import decoded

_TEXT = "Ménière’s disease, 38 °C.\r\nNo fever – “stable”.\r\n"


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        (_TEXT.encode(), "UTF-8"),
        (codecs.BOM_UTF8 + _TEXT.encode(), "UTF-8"),
        (_TEXT.encode("utf-16"), "UTF-16"),
        (codecs.BOM_UTF16_BE + _TEXT.encode("utf-16-be"), "UTF-16"),
        (_TEXT.encode("utf-16-le"), "UTF-16"),
        (_TEXT.encode("utf-16-be"), "UTF-16"),
        (_TEXT.encode("utf-32"), "UTF-32"),
        (_TEXT.encode("cp1252"), "Windows-1252"),
    ],
)
def test_the_text_comes_back_to_the_character(raw: bytes, name: str) -> None:
    assert decoded(raw) == (_TEXT, name)


def test_a_byte_that_windows_1252_lacks_is_latin_1() -> None:
    assert decoded(b"caf\xe9 \x81") == ("café \x81", "Latin-1")


@pytest.mark.parametrize(
    "raw", [bytes(range(256)), b"text " * 99 + b"\0 with a zero", b"\x89PNG\r\n\x1a\n\0\0"]
)
def test_what_is_no_text_is_not_guessed_at(raw: bytes) -> None:
    assert decoded(raw) is None


def test_page_breaks_and_the_end_mark_of_old_systems_are_text() -> None:
    assert decoded(b"Page 1\f\r\nPage 2\x1a") == ("Page 1\f\r\nPage 2\x1a", "UTF-8")


@pytest.mark.parametrize("raw", [b"", b"a", b"ab", b"abc"])
def test_short_texts(raw: bytes) -> None:
    assert decoded(raw) == (raw.decode(), "UTF-8")
