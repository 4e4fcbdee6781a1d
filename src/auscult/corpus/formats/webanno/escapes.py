"""How WebAnno TSV writes characters that mean something to it."""

from __future__ import annotations

import re

from auscult.core import FormatError

_VALUE = re.compile(r"->|[\\\[\]|_;\t\n*]")
_VALUE_ESCAPED = re.compile(r"\\(->|[\\\[\]|_;tn*])")
_LETTERS = {"\t": "t", "\n": "n", "\f": "f", "\r": "r", "\b": "b", "\\": "\\"}
_CONTROLS = {letter: control for control, letter in _LETTERS.items()}
# A vertical tab is the one control character that INCEpTION leaves as it is.
_TEXT = re.compile(r"[\x00-\x0a\x0c-\x1f\\]")
_TEXT_ESCAPED = re.compile(r"\\([tnfrb\\\x00-\x07\x0e-\x1f])")
_JAVA_ESCAPED = re.compile(r"\\(?:u+([0-9A-Fa-f]{4})|([0-3][0-7]{2}|[0-7]{1,2})|(.))", re.DOTALL)
_PIECES = re.compile(r"\\.|[^\\|]+|\||\\", re.DOTALL)
_NUMBERED = re.compile(r"((?:\\.|[^\\\[])*)\[([0-9]{1,9})\]", re.DOTALL)


def escape_value(value: str) -> str:
    r"""A feature's value as it stands in a cell.

    >>> print(escape_value("a_b -> [c]"))
    a\_b \-> \[c\]
    """
    return _VALUE.sub(lambda match: "\\" + _LETTERS.get(match[0], match[0]), value)


def unescape_value(cell: str) -> str:
    """The value that `escape_value` made."""
    return _VALUE_ESCAPED.sub(lambda match: {"t": "\t", "n": "\n"}.get(match[1], match[1]), cell)


def escape_text(line: str) -> str:
    """A line of a note as it stands after `#Text=`."""
    return _TEXT.sub(lambda match: "\\" + _LETTERS.get(match[0], match[0]), line)


def unescape_text(line: str, minor: int = 3) -> str:
    """The line that `escape_text` made; up to version 3.1 lines are escaped as Java's are."""
    if minor > 1:
        return _TEXT_ESCAPED.sub(lambda match: _CONTROLS.get(match[1], match[1]), line)
    plain = _JAVA_ESCAPED.sub(_from_java, line)
    try:
        return plain.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError as error:
        raise FormatError("half of a surrogate pair, which is not a character") from error


def stack(cell: str) -> list[tuple[str | None, int | None]]:
    r"""The values stacked in a cell, each with its number if it has one; `*` is no value.

    >>> stack("PER[1]|*[2]"), stack(r"a\|b"), stack("_")
    ([('PER', 1), (None, 2)], [('a|b', None)], [])
    """
    if cell == "_":
        return []
    parts = [""]
    for piece in _PIECES.findall(cell):
        if piece == "|":
            parts.append("")
        else:
            parts[-1] += piece
    found: list[tuple[str | None, int | None]] = []
    for part in parts:
        numbered = _NUMBERED.fullmatch(part)
        value = numbered[1] if numbered else part
        found.append(
            (
                None if value in ("*", "_") else unescape_value(value),
                int(numbered[2]) if numbered else None,
            )
        )
    return found


def _from_java(match: re.Match[str]) -> str:
    if match[1]:
        return chr(int(match[1], 16))
    if match[2]:
        return chr(int(match[2], 8))
    return _CONTROLS.get(match[3], match[3])
