"""Occurrences of terms in a note, by all ways of matching, and the concepts of each."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cached_property

import numpy as np

from auscult.codes.find import CaseRule, TermFinder
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Code, Note, Span
from auscult.models.entities import string_forms
from auscult.models.entities.mention_statistics import (
    MentionStatistics,
    StringUse,
    abbreviations_in,
)
from auscult.models.entities.phrases import Phrases, SpellingVariants

_WORD = re.compile(r"[^\W_]+|\n\s*\n")
_SHORT = 5
"""Maximum length of a string that is taken for an abbreviation, which must match its case."""
_MOST = 12
"""Maximum number of concepts of an occurrence."""
_BETWEEN = "\n\n"
"""Stands between notes, as a blank line does between paragraphs; no phrase has it."""


class MatchKind(IntEnum):
    """How a term was found, the surest first."""

    USED = 0
    """A training string."""
    NAME = 1
    """A name in the vocabulary."""
    SPELLED_OUT = 2
    """A short form whose long form, in the same note, is one of these."""
    STEMS = 3
    """A name but for the endings of its words, or for a slip in one."""


@dataclass(frozen=True, slots=True)
class TermOccurrence:
    """An occurrence: its place, how it was matched, and its concepts with their training counts."""

    span: Span
    how: MatchKind
    normal: str = field(repr=False)
    readings: Mapping[Code, float]
    used: StringUse | None


@dataclass(frozen=True, slots=True)
class _Tokens:
    """The words of a text, with a break wherever no term reaches across, and their places."""

    words: list[str] = field(repr=False)
    places: list[tuple[int, int]]

    @classmethod
    def of(cls, text: str) -> _Tokens:
        found = [(match[0], match.span()) for match in _WORD.finditer(text)]
        return cls([word for word, _ in found], [place for _, place in found])

    def span(self, first: int, last: int) -> Span:
        return Span(self.places[first][0], self.places[last][1])


class TermSpotter:
    """Finds terms: training strings, names, short forms that the note spells out, stems, slips."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        types: Sequence[str],
        knowledge: MentionStatistics,
        surfaces: Mapping[str, Sequence[str]],
        stemmed: Phrases,
        *,
        case: CaseRule = CaseRule.LOOSE,
        slips: bool = True,
    ) -> None:
        self._vocabulary = vocabulary
        self._finder = TermFinder(vocabulary, types=types, case=case)
        self._knowledge = knowledge
        self._surfaces = surfaces
        self._stemmed = stemmed
        self._uses_slips = slips
        self._normals: dict[str, str] = {}
        self._stems: dict[str, str] = {}
        self._concepts: dict[tuple[int, ...], list[Code]] = {}
        self._strings = list(knowledge.strings)
        self._phrases = Phrases.of([text.split() for text in self._strings])

    @cached_property
    def _slips(self) -> SpellingVariants:
        return SpellingVariants(list(self._vocabulary.words))

    def find(self, notes: Sequence[Note]) -> Iterator[list[TermOccurrence]]:
        """The occurrences in each note, by where they begin, longer ones first."""
        texts = [note.text or "" for note in notes]
        tokens = [_Tokens.of(text) for text in texts]
        from_training = self._phrased(self._phrases, tokens, self._normal)
        stemmed = self._phrased(self._stemmed, tokens, self._stem)
        for at, named in enumerate(self._finder.find_all(texts)):
            text = texts[at]
            found: dict[Span, TermOccurrence] = {}
            for first, last, row in from_training[at]:
                span = tokens[at].span(first, last)
                if (one := self._from_training(text, span, row)) is not None:
                    found[span] = one
            by_span: dict[Span, list[Code]] = {}
            for term in named:
                by_span.setdefault(term.span, []).append(term.code)
            for span, codes in by_span.items():
                known = found.get(span)
                if known is None:
                    found[span] = _named(
                        span, MatchKind.NAME, string_forms.normal(span.of(text)), codes
                    )
                else:
                    more = dict.fromkeys(codes[:_MOST], 0.0) | dict(known.readings)
                    found[span] = replace(known, readings=more)
            places: dict[Span, list[int]] = {}
            for first, last, row in stemmed[at]:
                span = tokens[at].span(first, last)
                if span not in found:
                    places.setdefault(span, []).append(row)
            for span, terms in places.items():
                codes = self._codes(tuple(terms))
                found[span] = _named(
                    span, MatchKind.STEMS, string_forms.normal(span.of(text)), codes
                )
            for one in list(_spelled_out(text, tokens[at], found)):
                found[one.span] = one
            yield sorted(found.values(), key=lambda o: (o.span.begin, -o.span.end))

    def _phrased(
        self, phrases: Phrases, tokens: Sequence[_Tokens], form: Callable[[str], str]
    ) -> list[list[tuple[int, int, int]]]:
        """The phrases in each note, all notes in one go."""
        words: list[str] = []
        begins = []
        for one in tokens:
            begins.append(len(words))
            words += [form(word) for word in one.words]
            words.append(_BETWEEN)
        found: list[list[tuple[int, int, int]]] = [[] for _ in tokens]
        for first, last, row in phrases.find(words):
            at = bisect_right(begins, first) - 1
            found[at].append((first - begins[at], last - begins[at], row))
        return found

    def _normal(self, word: str) -> str:
        form = self._normals.get(word)
        if form is None:
            form = self._normals[word] = string_forms.normal(word) or word
        return form

    def _stem(self, word: str) -> str:
        form = self._stems.get(word)
        if form is None:
            normal = self._normal(word)
            if self._uses_slips and self._vocabulary.numbers[normal] < 0:
                normal = self._slips.meant(normal) or normal
            form = self._stems[word] = stem_of(normal, self._vocabulary.manifest.language)
        return form

    def _from_training(self, text: str, span: Span, row: int) -> TermOccurrence | None:
        """A training string; a short one only as it was written there."""
        normal = self._strings[row]
        if len(normal) <= _SHORT and span.of(text) not in self._surfaces.get(normal, ()):
            return None
        used = self._knowledge.strings[normal]
        readings = {code: float(times) for code, times in used.codes.items()}
        return TermOccurrence(span, MatchKind.USED, normal, readings, used)

    def _codes(self, terms: tuple[int, ...]) -> list[Code]:
        codes = self._concepts.get(terms)
        if codes is None:
            numbers = np.unique(self._vocabulary.concepts_of(np.array(terms)))[:_MOST]
            codes = [self._vocabulary.code_at(number) for number in numbers.tolist()]
            self._concepts[terms] = codes
        return codes


def _named(span: Span, how: MatchKind, normal: str, codes: Sequence[Code]) -> TermOccurrence:
    return TermOccurrence(span, how, normal, dict.fromkeys(codes[:_MOST], 0.0), None)


def _spelled_out(
    text: str, tokens: _Tokens, found: Mapping[Span, TermOccurrence]
) -> Iterator[TermOccurrence]:
    """The short forms of what the note spells out and is found."""
    spelled = abbreviations_in(text)
    if not spelled:
        return
    by_text = {occurrence.normal: occurrence for occurrence in found.values()}
    meant = {
        short: one
        for short, longs in spelled.items()
        for long in longs
        if (one := by_text.get(string_forms.normal(long))) is not None
    }
    for at, word in enumerate(tokens.words):
        if (
            meant
            and not word.islower()
            and (one := meant.get(string_forms.normal(word))) is not None
        ):
            yield replace(one, span=tokens.span(at, at), how=MatchKind.SPELLED_OUT)


def stem_of(word: str, language: str) -> str:
    """The stem of one word."""
    found = string_forms.stems(word, language)
    return found[0] if found else word


def stemmed_terms(
    vocabulary: Vocabulary, terms: Iterable[int]
) -> tuple[list[list[str]], list[int]]:
    """The stems of the terms that may be found by them: of several words, or of one long one."""
    language = vocabulary.manifest.language
    phrases, rows = [], []
    for term in terms:
        words = string_forms.words(vocabulary.synonym_at(term).text)
        if len(words) > 1 or (words and len(words[0]) > _SHORT):
            phrases.append([stem_of(word, language) for word in words])
            rows.append(term)
    return phrases, rows
