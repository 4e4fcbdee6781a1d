"""What clinicians and patients write, and what it means: abbreviations, lay words, shorthand."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files

from auscult.codes.index.wordlists import ordinary_words
from auscult.codes.lookup.terms import SearchTerm, TermSource
from auscult.codes.lookup.words import words_of


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
    says how often hospitals see it, from 1 (rarely) to 3 (every day).
    """

    term: str
    means: str
    code: str
    kind: WordingKind
    hint: frozenset[str]
    common: int


class ClinicianTable:
    """Wordings by their words, the likelier meanings first."""

    def __init__(self, wordings: Iterable[Wording]) -> None:
        self.wordings = tuple(wordings)
        found: dict[tuple[str, ...], list[Wording]] = {}
        for wording in self.wordings:
            found.setdefault(tuple(words_of(wording.term)), []).append(wording)
        self._by_words: Mapping[tuple[str, ...], tuple[Wording, ...]] = {
            words: tuple(sorted(meanings, key=lambda one: -one.common))
            for words, meanings in found.items()
        }
        self._longest = max(map(len, self._by_words), default=0)
        self._ordinary = ordinary_words("english")

    def __len__(self) -> int:
        return len(self.wordings)

    def meanings(
        self, words: Sequence[str], context: frozenset[str], *, in_capitals: bool = True
    ) -> tuple[Wording, ...]:
        """What a wording may mean, those first that the words around it speak for.

        An abbreviation that is an ordinary word too (ALL, US) has to be written in capitals.
        """
        found = self._by_words.get(tuple(words), ())
        if found and not in_capitals and len(words) == 1 and words[0] in self._ordinary:
            found = tuple(one for one in found if one.kind is not WordingKind.ABBREVIATION)
        if len(found) > 1 and context:
            return tuple(sorted(found, key=lambda one: -len(one.hint & context)))
        return found

    def spans(
        self, words: Sequence[str], capitals: Sequence[bool], context: frozenset[str]
    ) -> Iterator[tuple[int, int, tuple[Wording, ...]]]:
        """The wordings in a phrase, the longest from left to right: begin, end and meanings."""
        at = 0
        while at < len(words):
            for length in range(min(self._longest, len(words) - at), 0, -1):
                found = self.meanings(words[at : at + length], context, in_capitals=capitals[at])
                if found:
                    yield at, at + length, found
                    at += length
                    break
            else:
                at += 1

    def terms(self, codes: Container[str]) -> Iterator[SearchTerm]:
        """The wordings of the codes that there are, as terms."""
        for one in self.wordings:
            if one.code and one.code in codes:
                label = one.term if one.term == one.means else f"{one.term}: {one.means}"
                yield SearchTerm(one.term, one.code, TermSource.CLINICIANS, label)
                if one.means and one.means != one.term:
                    yield SearchTerm(one.means, one.code, TermSource.CLINICIANS, label)

    def common_codes(self) -> dict[str, int]:
        """How often hospitals see each code of the table, from 1 to 3."""
        found: dict[str, int] = {}
        for one in self.wordings:
            if one.code:
                found[one.code] = max(one.common, found.get(one.code, 0))
        return found


@cache
def clinician_table() -> ClinicianTable:
    """The table that comes with Auscult."""
    text = files("auscult.codes.lookup").joinpath("clinicians.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines()[1:] if line and line[0] != "#")
    return ClinicianTable(
        Wording(
            term, means, code, WordingKind(kind),
            frozenset(word for part in hint.split(",") for word in words_of(part)),
            int(common or 0),
        )
        for term, means, code, kind, hint, common in rows
    )  # fmt: skip
