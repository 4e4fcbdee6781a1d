"""Finding every occurrence of a vocabulary's terms in a text, nested and overlapping ones too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from auscult.codes.concept import Synonym
from auscult.codes.filters import TermFilter
from auscult.codes.index.folding import Folded, fold
from auscult.codes.index.scan import scan
from auscult.codes.index.table import look_up
from auscult.codes.index.wordlists import ordinary_words
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Code, Span
from auscult.core.names import require_known

_CHARACTERS_AT_ONCE = 1 << 16
_REMEMBERED = 200_000


class CaseRule(StrEnum):
    """When an abbreviation in capitals (`AS`, `COPD`) matches text in another case.

    STRICT: never. LOOSE: unless the text is an ordinary English word (`as`). IGNORE: always.
    """

    STRICT = "strict"
    LOOSE = "loose"
    IGNORE = "ignore"


class TermMatch(NamedTuple):
    """A term at its place: the span, one concept it may mean, and the vocabulary's own wording.

    `score` is the share of this concept among those it may mean here, by how often a corpus used
    the wording for each, every concept being counted once more than it was used.
    """

    span: Span
    code: Code
    term: str
    score: float


class _Reading(NamedTuple):
    code: Code
    term: str
    uses: int
    exactly: frozenset[str] | None
    """The exact spellings to require when this concept's only names here are short forms."""


class TermFinder:
    """Finds the terms of a vocabulary.

    `types` and `sources` keep to concepts of those semantic types and terms of those sources.
    Terms shorter than `shortest` characters, and those without a letter, are left alone.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        *,
        types: Sequence[str] = (),
        sources: Sequence[str] = (),
        case: CaseRule | str = CaseRule.STRICT,
        shortest: int = 2,
    ) -> None:
        self.vocabulary = vocabulary
        self._filter = TermFilter(vocabulary, types, sources)
        self._case = CaseRule(require_known(case, list(CaseRule), "case rule"))
        self._shortest = shortest
        self._ordinary = ordinary_words(vocabulary.manifest.language)
        self._slots = vocabulary.arrays["word_slots"]
        self._values = vocabulary.arrays["word_values"]
        self._readings: dict[int, tuple[_Reading, ...]] = {}

    def find(self, text: str) -> list[TermMatch]:
        """All occurrences in a text, by where they begin, longer ones first."""
        return next(self.find_all([text]))

    def find_all(self, texts: Iterable[str]) -> Iterator[list[TermMatch]]:
        """The occurrences in each text. Many short texts together are quicker than each alone."""
        waiting: list[Folded] = []
        size = 0
        for text in texts:
            waiting.append(fold(text))
            size += len(text)
            if size >= _CHARACTERS_AT_ONCE:
                yield from self._find(waiting)
                waiting, size = [], 0
        if waiting:
            yield from self._find(waiting)

    def _find(self, texts: list[Folded]) -> list[list[TermMatch]]:
        # The blank line keeps a term from reaching from one text into the next.
        tokens = scan("\n\n".join(folded.text for folded in texts))
        words = look_up(tokens.numbers, self._slots, self._values)
        first, last, nodes = self.vocabulary.trie.walk(words, tokens.paragraphs)
        order = np.lexsort((-last, first))
        begins, ends = tokens.begins[first[order]], tokens.ends[last[order]]
        starts = np.cumsum([0, *(len(folded.text) + 2 for folded in texts[:-1])])
        which = np.searchsorted(starts, begins, side="right") - 1
        places = (which, begins - starts[which], ends - starts[which], nodes[order])
        found: list[list[TermMatch]] = [[] for _ in texts]
        for text, begin, end, node in zip(*(part.tolist() for part in places), strict=True):
            readings = self._readings.get(node)
            if readings is None:
                if len(self._readings) >= _REMEMBERED:
                    self._readings.clear()
                readings = self._readings[node] = self._read(node)
            if not readings:
                continue
            folded = texts[text]
            place = (begin, end) if folded.origins is None else folded.span(begin, end)
            if place is None:
                continue
            span = Span(*place)
            meant = [
                reading
                for reading in readings
                if reading.exactly is None
                or self._is_short_form(folded.original, span, reading.exactly)
            ]
            total = sum(reading.uses for reading in meant)
            found[text] += [TermMatch(span, r.code, r.term, r.uses / total) for r in meant]
        return found

    def _read(self, node: int) -> tuple[_Reading, ...]:
        """What a node may mean, most prevalent first."""
        vocabulary = self.vocabulary
        terms = vocabulary.trie.terms(node)
        concepts = vocabulary.concepts_of(terms)
        allowed = self._filter.allows(terms, concepts)
        terms, concepts = terms[allowed], concepts[allowed]
        short = vocabulary.arrays["term_is_short"]
        meant: dict[int, list[tuple[Synonym, bool]]] = {}
        for term, concept in zip(terms.tolist(), concepts.tolist(), strict=True):
            meant.setdefault(concept, []).append((vocabulary.synonym_at(term), bool(short[term])))
        counts = {concept: 1 + sum(s.count for s, _ in of) for concept, of in meant.items()}
        readings = []
        for concept, of in sorted(meant.items(), key=lambda item: (-counts[item[0]], item[0])):
            wording = of[0][0].text
            if len(wording) >= self._shortest and any(map(str.isalpha, wording)):
                insists = self._case is not CaseRule.IGNORE and all(is_short for _, is_short in of)
                readings.append(
                    _Reading(
                        vocabulary.code_at(concept),
                        wording,
                        counts[concept],
                        frozenset(s.text for s, _ in of) if insists else None,
                    )
                )
        return tuple(readings)

    def _is_short_form(self, text: str, span: Span, exactly: frozenset[str]) -> bool:
        """Whether the text is the short form and not a word that looks like it."""
        said = span.of(text)
        is_ordinary = said.lower() in self._ordinary
        if said not in exactly:
            return self._case is CaseRule.LOOSE and not is_ordinary
        # An ordinary word has a capital where a sentence begins, and all in a line of capitals.
        return not is_ordinary or (said.isupper() and not _in_capitals(text, span))


def _in_capitals(text: str, span: Span) -> bool:
    """Whether the whole line is in capitals, and is more than the span."""
    begin = text.rfind("\n", 0, span.begin) + 1
    end = text.find("\n", span.end)
    rest = text[begin : span.begin] + text[span.end : end if end >= 0 else len(text)]
    return rest.isupper() and sum(map(str.isalpha, rest)) > len(span)


def longest(occurrences: Sequence[TermMatch]) -> list[TermMatch]:
    """Those that are not inside a longer one.

    >>> code = Code("x", "1")
    >>> places = [Span(0, 26), Span(0, 6), Span(7, 26), Span(7, 13), Span(20, 30)]
    >>> [(o.span.begin, o.span.end) for o in longest([TermMatch(s, code, "", 1) for s in places])]
    [(0, 26), (20, 30)]
    """
    kept: list[TermMatch] = []
    reach = -1
    for occurrence in sorted(occurrences, key=lambda o: (o.span.begin, -o.span.end)):
        span = occurrence.span
        if span.end > reach or (kept and kept[-1].span == span):
            kept.append(occurrence)
            reach = max(reach, span.end)
    return kept
