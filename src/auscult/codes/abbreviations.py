"""What abbreviations stand for: as the note itself says, or as a list has it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

from auscult.codes.index.folding import fold
from auscult.core import FormatError
from auscult.core.files import read_lines

_PARENTHESIS = re.compile(r"\(([^()\n]{1,200})\)")
_SENTENCE_END = re.compile(r"[.;:!?]\s|\n\s*\n|[()]")
_WORD = re.compile(r"\S+")


class Abbreviations:
    """Short forms and what each may stand for, in order of likelihood; case does not matter.

    >>> Abbreviations([("UO", "urine output"), ("uo", "undetermined origin")]).expand("Uo")
    ('urine output', 'undetermined origin')
    """

    def __init__(self, pairs: Iterable[tuple[str, str]] = ()) -> None:
        longs: dict[str, list[str]] = {}
        for short, long in pairs:
            known = longs.setdefault(_key(short), [])
            if long not in known:
                known.append(long)
        self._longs: Mapping[str, tuple[str, ...]] = {k: tuple(v) for k, v in longs.items()}

    def __len__(self) -> int:
        return len(self._longs)

    def expand(self, short: str) -> tuple[str, ...]:
        """What a short form may stand for; nothing when it is not known."""
        return self._longs.get(_key(short), ())

    @classmethod
    def read(cls, path: Path) -> Abbreviations:
        """A list from a file: short form, tab, long form, one a line; # begins a remark."""
        return cls(_pairs(read_lines(path), path))


def _key(short: str) -> str:
    return " ".join(fold(short).text.split()).strip(".,;:")


def _pairs(lines: Iterable[tuple[int, str]], path: Path) -> list[tuple[str, str]]:
    pairs = []
    for row, line in lines:
        if not line.strip() or line.startswith("#"):
            continue
        short, tab, long = line.strip().partition("\t")
        if not tab or not short.strip() or not long.strip():
            raise FormatError("expected a short form, a tab and a long form", path, row)
        pairs.append((short.strip(), long.strip()))
    return pairs


@cache
def common() -> Abbreviations:
    """The abbreviations common in clinical notes that come with Auscult."""
    # Not part of the search's table of wordings: that one names what ICD-10-CM codes, in the order
    # in which coders mean it. A quarter of these are drugs, tests and findings, and another quarter
    # has another sense first, which entity linking is measured with.
    file = files("auscult.codes").joinpath("abbreviations.tsv")
    lines = enumerate(file.read_text(encoding="utf-8").split("\n"), 1)
    return Abbreviations(_pairs(lines, Path("abbreviations.tsv")))


def defined_in(text: str) -> list[tuple[str, str]]:
    """The abbreviations a text defines itself: `congestive heart failure (CHF)`, or the reverse.

    The method of Schwartz and Hearst (2003): each letter of the short form is looked for in the
    words before the parenthesis, from the right; the first must begin a word.

    >>> defined_in("He has congestive heart failure (CHF) and HTN (hypertension).")
    [('CHF', 'congestive heart failure'), ('HTN', 'hypertension')]
    """
    found = []
    for match in _PARENTHESIS.finditer(text):
        inside = match[1].strip()
        before = text[max(0, match.start() - 400) : match.start()].rstrip()
        if _is_short(inside):
            long = _long_form(inside, _candidate(before, inside))
            if long is not None:
                found.append((inside, long))
        else:
            short = before.split()[-1] if before.split() else ""
            short = short.lstrip("([\"'")
            long = _long_form(short, inside) if _is_short(short) else None
            if long is not None:
                found.append((short, long))
    return list(dict.fromkeys(found))


def _is_short(text: str) -> bool:
    return (
        2 <= len(text) <= 10
        and len(text.split()) <= 2
        and text[0].isalnum()
        and any(map(str.isalpha, text))
        and (any(map(str.isupper, text)) or len(text) <= 5)
    )


def _candidate(before: str, short: str) -> str:
    """The words right before the parenthesis that may be the long form."""
    sentence = _SENTENCE_END.split(before)[-1]
    most = min(len(short) + 5, 2 * len(short))
    words = list(_WORD.finditer(sentence))[-most:]
    return sentence[words[0].start() :] if words else ""


def _long_form(short: str, candidate: str) -> str | None:
    at = len(candidate)
    letters = [c.lower() for c in short if c.isalnum()]
    for place in range(len(letters) - 1, -1, -1):
        at -= 1
        while at >= 0 and not (
            candidate[at].lower() == letters[place]
            and (place > 0 or at == 0 or not candidate[at - 1].isalnum())
        ):
            at -= 1
        if at < 0:
            return None
    long = " ".join(candidate[at:].split())
    is_longer = len(long) > len(short) and short.lower() not in long.lower().split()
    return long if is_longer else None
