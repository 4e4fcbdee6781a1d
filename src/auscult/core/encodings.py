"""Text in bytes whose encoding nobody has stated: UTF-8, UTF-16, or what Windows wrote before.

Notes come from systems that write UTF-8, UTF-16 (Windows, "Unicode") or Windows-1252 ("ANSI"), and
these three can be told apart without statistics of letters.
"""

from __future__ import annotations

import codecs

UTF_8 = "UTF-8"
_MARKED = (
    (codecs.BOM_UTF8, "utf-8", UTF_8),
    (codecs.BOM_UTF32_LE, "utf-32", "UTF-32"),  # before UTF-16, with which it begins
    (codecs.BOM_UTF32_BE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16", "UTF-16"),
)
_HALF = 0.4
"""The share of every second byte that is zero in UTF-16 of a western language, at the least."""
_NOT_TEXT = frozenset(range(0x20)) - frozenset(b"\t\n\v\f\r\x1a\x1b")
"""Control characters that no text has; a page break, Ctrl-Z and escapes of printers do occur."""
_FEW = 0.01


def decoded(raw: bytes) -> tuple[str, str] | None:
    """The text and the name of its encoding; None for bytes that are no text.

    A byte order mark is dropped; line endings stay as they are.

    >>> decoded("Ménière".encode()), decoded("Ménière".encode("cp1252"))
    (('Ménière', 'UTF-8'), ('Ménière', 'Windows-1252'))
    """
    for mark, encoding, name in _MARKED:
        if raw.startswith(mark):
            text = _strictly(raw, encoding)
            return None if text is None or "\0" in text else (text.removeprefix("\ufeff"), name)
    if (unmarked := _utf16(raw)) is not None:
        return unmarked, "UTF-16"
    if sum(raw.count(byte) for byte in _NOT_TEXT) > _FEW * len(raw) or b"\0" in raw:
        return None
    if (text := _strictly(raw, "utf-8")) is not None:
        return text, UTF_8
    if (text := _strictly(raw, "cp1252")) is not None:
        return text, "Windows-1252"
    return raw.decode("latin-1"), "Latin-1"


def _utf16(raw: bytes) -> str | None:
    """UTF-16 without a mark, which has a zero in every second byte of an English text."""
    if len(raw) < 4 or len(raw) % 2:
        return None
    for at, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        zeros, others = raw[at::2].count(0), raw[1 - at :: 2].count(0)
        if zeros > _HALF * len(raw) / 2 and not others:
            return _strictly(raw, encoding)
    return None


def _strictly(raw: bytes, encoding: str) -> str | None:
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError:
        return None
