"""What clinicians and patients write, and what it means: abbreviations, lay words, shorthand."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from auscult.codes.index.wordlists import ordinary_words
from auscult.codes.lookup.terms import SearchTerm, TermSource
from auscult.codes.lookup.words import words_of

_NO_HINT: frozenset[str] = frozenset()
_SYMBOL = re.compile(r"\b[LR]\b|^(?:\S+ )?(?:[KTON]|Na|Mg|Ca|Cr)\b(?! pneumo)")
"""A letter or two that mean something by their case alone: *high Mg*, *low K*."""


class WordingKind(StrEnum):
    """What kind of wording it is."""

    ABBREVIATION = "abbreviation"
    LAY = "lay"
    SHORTHAND = "shorthand"
    SPELLING = "spelling"
    SYNONYM = "synonym"


@dataclass(frozen=True, slots=True)
class Wording:
    """A wording and one thing that it means.

    `code` is what a coder assigns in ICD-10-CM when nothing more is documented, empty for what is
    no condition. `hint` has the words that speak for this meaning where there are others. `common`
    says how often hospitals see it, from 1 (rarely) to 3 (every day); 0 puts a meaning last.
    """

    term: str
    means: str
    code: str
    kind: WordingKind
    hint: frozenset[str]
    common: int

    def __str__(self) -> str:
        meaning = f": {self.means}" if self.means not in ("", self.term) else ""
        kind = "lay term" if self.kind is WordingKind.LAY else self.kind.value
        return f"{kind} {self.term}{meaning}"


class ClinicianTable:
    """Wordings by their words, the likelier meanings first."""

    def __init__(self, wordings: Iterable[Wording]) -> None:
        self.wordings = tuple(wordings)
        found: dict[tuple[str, ...], list[Wording]] = {}
        for wording in self.wordings:
            if words := tuple(words_of(wording.term)):
                found.setdefault(words, []).append(wording)
        self._by_words: Mapping[tuple[str, ...], tuple[Wording, ...]] = {
            words: tuple(sorted(meanings, key=lambda one: -one.common))
            for words, meanings in found.items()
        }
        self._longest = max(map(len, self._by_words), default=0)
        self._ordinary = ordinary_words("english")

    def __len__(self) -> int:
        return len(self.wordings)

    def meanings(
        self,
        words: Sequence[str],
        capitals: Sequence[bool],
        context: Callable[[], frozenset[str]],
    ) -> tuple[Wording, ...]:
        """What a wording may mean, those first that the words around it speak for.

        An abbreviation that is an ordinary word too (ALL, US) has to be written in capitals. The
        context is asked for only where there is something to decide.
        """
        found = self._by_words.get(tuple(words), ())
        if found and not capitals[0]:
            found = tuple(one for one in found if not self._is_ordinary(one))
        if len(found) > 1 and any(one.hint for one in found):
            around = context()
            return tuple(sorted(found, key=lambda one: -len(one.hint & around)))
        return found

    def spans(
        self,
        words: Sequence[str],
        capitals: Sequence[bool],
        context: Callable[[], frozenset[str]],
    ) -> Iterator[tuple[int, int, tuple[Wording, ...]]]:
        """The wordings in a phrase, the longest from left to right: begin, end and meanings."""
        at = 0
        while at < len(words):
            for end in range(min(at + self._longest, len(words)), at, -1):
                found = self.meanings(words[at:end], capitals[at:end], context)
                if found:
                    yield at, end, found
                    at = end
                    break
            else:
                at += 1

    def _is_ordinary(self, wording: Wording) -> bool:
        """Whether an abbreviation is a word of English in another case."""
        return wording.kind is WordingKind.ABBREVIATION and wording.term.lower() in self._ordinary

    def terms(self, codes: Container[str]) -> Iterator[SearchTerm]:
        """The wordings of the codes that there are, as terms."""
        for one in self.wordings:
            if one.code and one.code in codes:
                label = str(one)
                if not self._is_ordinary(one):
                    # What a short form means depends on its case and on the words around it.
                    is_written = one.kind is not WordingKind.ABBREVIATION and not _SYMBOL.search(
                        one.term
                    )
                    yield SearchTerm(
                        one.term, one.code, TermSource.CLINICIANS, label, is_written=is_written
                    )
                if one.means and one.means != one.term:
                    yield SearchTerm(one.means, one.code, TermSource.CLINICIANS, label)

    def short_forms(self) -> frozenset[str]:
        """The abbreviations of one word."""
        return frozenset(
            words[0]
            for words, meanings in self._by_words.items()
            if len(words) == 1 and any(one.kind is WordingKind.ABBREVIATION for one in meanings)
        )

    def common_codes(self) -> dict[str, int]:
        """How often hospitals see each code of the table, from 1 to 3."""
        found: dict[str, int] = {}
        for one in self.wordings:
            if one.code:
                found[one.code] = max(one.common, found.get(one.code, 0))
        return found


@cache
def clinician_table() -> ClinicianTable:
    """The table that comes with Auscult, a file for each chapter of ICD-10-CM."""
    return ClinicianTable(
        Wording(
            term, means, code, WordingKind(kind),
            frozenset(words_of(hint.replace(",", " "))) | _signs(hint) if hint else _NO_HINT,
            int(common),
        )
        for file in wording_files()
        for term, means, code, kind, hint, common in _rows(file)
    )  # fmt: skip


def wording_files() -> list[Traversable]:
    """The files of the table, in order."""
    folder = files("auscult.codes.lookup").joinpath("wordings")
    return sorted(
        (file for file in folder.iterdir() if file.name.endswith(".tsv")), key=lambda f: f.name
    )


def _rows(file: Traversable) -> Iterator[list[str]]:
    lines = file.read_text(encoding="utf-8").splitlines()
    return (line.split("\t") for line in lines[1:])


def _signs(hint: str) -> frozenset[str]:
    """The parts of a hint that are signs and no words: %."""
    parts = hint.split(",")
    return frozenset(part for part in parts if part and not any(map(str.isalnum, part)))
