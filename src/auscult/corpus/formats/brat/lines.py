"""The lines of a brat .ann file: what each kind looks like, and which ids it speaks of."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from auscult.core import FormatError
from auscult.core.files import read_text
from auscult.core.names import shown

_RANGES = r"[0-9]{1,15} [0-9]{1,15}(?:;[0-9]{1,15} [0-9]{1,15})*"
_TEXT_BOUND = re.compile(rf"(T\S+)\t(\S+) ({_RANGES})(?:\t(.*))?", re.DOTALL)
_NORMALIZATION = re.compile(r"N\S+\t\S+ (\S+) ([^\s:]+):(\S+)(?:\t(.*))?", re.DOTALL)
_ATTRIBUTE = re.compile(r"[AM]\S+\t(\S+) (\S+)(?: (.*))?", re.DOTALL)
_REMARK = re.compile(r"#\S*\t(\S+) (\S+)(?:\t(.*))?", re.DOTALL)
_OTHER = re.compile(r"(?:[RE]\S+|\*)\t\S.*", re.DOTALL)
_LOOKS = {
    "T": (_TEXT_BOUND, "T1<TAB>Type begin end<TAB>text"),
    "N": (_NORMALIZATION, "N1<TAB>Reference T1 System:code<TAB>title"),
    "A": (_ATTRIBUTE, "A1<TAB>Name T1 value"),
    "M": (_ATTRIBUTE, "M1<TAB>Name T1"),
    "#": (_REMARK, "#1<TAB>Type T1<TAB>remark"),
    "R": (_OTHER, "R1<TAB>Type Arg1:T1 Arg2:T2"),
    "E": (_OTHER, "E1<TAB>Type:T1 Role:T2"),
    "*": (_OTHER, "*<TAB>Equiv T1 T2"),
}


@dataclass(slots=True)
class TextBound:
    """A T line, and what the lines about it say."""

    row: int
    id: str
    type: str
    ranges: tuple[tuple[int, int], ...]
    quote: str = field(repr=False)
    normalizations: list[tuple[str, str, str]] = field(default_factory=list)
    attributes: list[tuple[str, str]] = field(default_factory=list)
    remarks: list[tuple[str, str]] = field(default_factory=list, repr=False)


@dataclass(slots=True)
class AnnFile:
    """What an .ann file says: its text-bound lines by id, and the lines about none of them."""

    bound: dict[str, TextBound]
    others: list[str] = field(repr=False)
    dangling: int


def parse(path: Path) -> AnnFile:
    """Read an .ann file. Lines about ids that are not there are counted, and left out."""
    bound: dict[str, TextBound] = {}
    rest: list[str] = []
    for row, raw in enumerate(read_text(path).split("\n"), 1):
        line = raw.removesuffix("\r")
        if not line.strip():
            continue
        _check_shape(line, path, row)
        if not line.startswith("T"):
            rest.append(line)
            continue
        match = _TEXT_BOUND.fullmatch(line)
        assert match is not None
        id_, type_, ranges, quote = match.groups()
        if id_ in bound:
            raise FormatError(
                f"duplicate id {shown(id_)}; an id must be unique in its file", path, row
            )
        pairs = [pair.split(" ") for pair in ranges.split(";")]
        spans = tuple((int(begin), int(end)) for begin, end in pairs)
        bound[id_] = TextBound(row, id_, type_, spans, quote or "")
    others = [line for line in rest if not _attach(line, bound)]
    kept = supported(others, bound.keys())
    return AnnFile(bound, kept, len(others) - len(kept))


def supported(lines: Iterable[str], ids: Collection[str]) -> list[str]:
    """The lines that speak only of these ids and of each other.

    >>> supported(["R1\\tCauses Arg1:T1 Arg2:T9", "A1\\tSure R1", "*\\tEquiv T1 T2"], {"T1", "T2"})
    ['*\\tEquiv T1 T2']
    """
    kept = list(lines)
    while True:
        known = {*ids, *map(own_id, kept)}
        sound = [line for line in kept if refers_to(line) <= known]
        if len(sound) == len(kept):
            return kept
        kept = sound


def own_id(line: str) -> str:
    """The id a line begins with."""
    return line.partition("\t")[0]


def refers_to(line: str) -> set[str]:
    """The ids that a line about others speaks of.

    >>> sorted(refers_to("R1\\tCauses Arg1:T1 Arg2:E2")), sorted(refers_to("*\\tEquiv T1 T2"))
    (['E2', 'T1'], ['T1', 'T2'])
    """
    kind, words = line[:1], line.split("\t")[1].split(" ")
    if kind in "RE":
        return {word.rpartition(":")[2] for word in words if ":" in word}
    return set(words[1:]) if kind == "*" else set(words[1:2])


def is_other(line: str) -> bool:
    """Whether a line is one that can stand in `AnnFile.others`."""
    kind = line[:1]
    return (
        kind != "T" and kind in _LOOKS and bool(_LOOKS[kind][0].fullmatch(line)) and one_line(line)
    )


def one_line(*values: str) -> bool:
    """Whether values can stand in a line without ending it."""
    return not any("\n" in value or "\r" in value or "\0" in value for value in values)


def is_word(value: str) -> bool:
    """Whether a value can stand between blanks: a type, a name, half of a reference."""
    return re.fullmatch(r"\S+", value) is not None and "\0" not in value


def _check_shape(line: str, path: Path, row: int) -> None:
    looks = _LOOKS.get(line[0])
    if looks is None:
        raise FormatError(
            "a line must begin with an id such as T1, N1, A1, R1, E1, #1 or *; is it a brat file?",
            path,
            row,
        )
    if not looks[0].fullmatch(line):
        raise FormatError(
            f"malformed line; expected {looks[1]}, with integer offsets",
            path,
            row,
        )


def _attach(line: str, bound: dict[str, TextBound]) -> bool:
    """Give what a line says to the text-bound line it speaks of, if it does of one."""
    kind = line[0]
    if kind in "RE*" or not (target := bound.get(next(iter(refers_to(line))))):
        return False
    match = _LOOKS[kind][0].fullmatch(line)
    assert match is not None
    if kind == "N":
        target.normalizations.append((match[2], match[3], match[4] or ""))
    elif kind == "#":
        target.remarks.append((match[1], match[3] or ""))
    else:
        target.attributes.append((match[1], match[3] or ""))
    return True


def referred(lines: Iterable[str]) -> set[str]:
    """All ids that any of the lines speaks of."""
    return set().union(*map(refers_to, lines))
