"""Candidates: a range of words, a code it may be evidence for, and its features.

A match of a term is a candidate, and so is the match together with a few words before or after
it where evidence is likely to begin or end there. Each is described by numbers (how good the
string was in other charts, where evidence tends to begin and end, what else lies there) and by
the words around it, which is where negation, family history and doubt show.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import log, log1p

import numpy as np
import numpy.typing as npt
from scipy import sparse

from auscult.models.lexicon.analogy import NOT_DERIVED
from auscult.models.lexicon.boundaries import UNKNOWN, Logits
from auscult.models.lexicon.counts import CodeCounts
from auscult.models.lexicon.lexicon_text import Key, LexiconText
from auscult.models.lexicon.string_counts import PRIOR, StringCounts
from auscult.models.lexicon.terms import Matcher, Places, TermTable

_COLUMNS = 1 << 16
_MORE = 3
"""Words by which a match may be widened, before and after it together."""
_WIDER = 2
"""Wider ranges tried for a match."""
_TIGHT = 2
_DERIVED = 0
"""How close the wording of a term is that nobody has used."""


@dataclass(frozen=True, slots=True, eq=False)
class CandidateRows:
    """The candidates of a chart: words `begins[k]` up to `ends[k]` for `codes[k]`, described by
    `numbers[k]`.
    """

    begins: npt.NDArray[np.int32]
    ends: npt.NDArray[np.int32]
    codes: npt.NDArray[np.int32]
    numbers: npt.NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.begins)


@dataclass(frozen=True, slots=True)
class _Source:
    """The match that a candidate comes from, described for one code."""

    rank: tuple[int, int, float]
    precision: float
    numbers: list[float]


def levels(chart: LexiconText, key: Key, places: Places) -> tuple[str, str, str]:
    """The strings under which a match is counted, from the loosest to the exact wording."""
    begin, end = places[0], places[-1] + 1
    is_tight = end - begin - len(places) <= _TIGHT
    stems = ("s" if is_tight else "~") + " ".join(chart.stems[at] for at in places)
    # What lies between the words of a scattered term is nobody's business to keep.
    exact = "f" + " ".join(chart.folded[begin:end]) if is_tight else stems
    return "k" + " ".join(key), stems, exact


class CandidateMaker:
    """Makes the candidates of a chart from the fitted terms and counts."""

    def __init__(
        self,
        terms: TermTable,
        matcher: Matcher,
        tally: StringCounts,
        counts: CodeCounts,
    ) -> None:
        self.terms = terms
        self.matcher = matcher
        self.tally = tally
        self.counts = counts

    def rows(
        self,
        chart: LexiconText,
        edges: Logits | None,
        without: int | None = None,
    ) -> CandidateRows:
        """The candidates of a chart; `without` is the fold of a training chart."""
        ranges: dict[tuple[int, int], dict[int, _Source]] = defaultdict(dict)
        for key, places in self.matcher.matches(chart):
            sources = self._sources(chart, key, places, without)
            if not sources:
                continue
            begin, end = places[0], places[-1] + 1
            for first, last in _widened(chart, edges, begin, end):
                held = ranges[first, last]
                wider = [float(begin - first), float(last - end)]
                for code, source in sources.items():
                    rank = (-int(sum(wider)), *source.rank[1:])
                    if code not in held or held[code].rank < rank:
                        held[code] = _Source(rank, source.precision, source.numbers + wider)
        return self._described(chart, edges, ranges, without)

    def _sources(
        self, chart: LexiconText, key: Key, places: Places, without: int | None
    ) -> dict[int, _Source]:
        stems = tuple(chart.stems[at] for at in places)
        found: dict[int, _Source] = {}
        strings = levels(chart, key, places)
        between = places[-1] + 1 - places[0] - len(places)
        known = self.terms.codes(key, stems, without)
        derived = self.terms.derived_codes(key, without)
        for code in [*known, *(code for code in derived if code not in known)]:
            # A code of the fold alone, by its name or by analogy, would give itself away.
            if not self.counts.is_known(code, without):
                continue
            way = None if code in known else derived[code]
            near, charts = (_DERIVED, way.charts) if way is not None else known[code]
            numbers: list[float] = []
            expected = PRIOR
            for string in strings:
                counted = self.tally.describe(string, code, expected, without)
                expected = counted[0]
                numbers += [_log_odds(expected), *counted]
            numbers += [
                float(near), float(near == 1), log1p(charts), float(len(places)),
                float(between), float(max(map(len, stems))),
                *(way.numbers() if way is not None else NOT_DERIVED),
            ]  # fmt: skip
            found[code] = _Source((0, near, expected), expected, numbers)
        return found

    def _described(
        self,
        chart: LexiconText,
        edges: Logits | None,
        ranges: dict[tuple[int, int], dict[int, _Source]],
        without: int | None,
    ) -> CandidateRows:
        flat = [
            (begin, end, code, source)
            for (begin, end), held in sorted(ranges.items())
            for code, source in sorted(held.items())
        ]
        at_word: dict[int, list[int]] = defaultdict(list)
        of_code: dict[int, list[int]] = defaultdict(list)
        for at, (begin, end, code, _) in enumerate(flat):
            of_code[code].append(at)
            for word in range(begin, end):
                at_word[word].append(at)
        for every in of_code.values():
            every.sort(key=lambda at: -flat[at][3].precision)
        numbers: list[list[float]] = []
        begins = chart.text.begins
        ends = chart.text.ends
        for at, (begin, end, code, source) in enumerate(flat):
            near = {other for word in range(begin, end) for other in at_word[word]}
            # The best first: long charts have thousands of candidates for a code.
            elsewhere = (flat[other] for other in of_code[code] if other not in near)
            best = next(elsewhere, None)
            here = sum(flat[other][2] == code for other in near)
            numbers.append(
                [
                    *source.numbers,
                    *_edge_numbers(edges, begin, end),
                    float(end - begin),
                    float(ends[end - 1] - begins[begin]),
                    *self.counts.describe(code, without),
                    begin / len(chart),
                    log1p(len(chart)),
                    *_rivals(flat, at, near),
                    0.0 if best is None else best[3].precision,
                    log1p(len(of_code[code]) - here),
                ]
            )
        return CandidateRows(
            np.array([begin for begin, _, _, _ in flat], np.int32),
            np.array([end for _, end, _, _ in flat], np.int32),
            np.array([code for _, _, code, _ in flat], np.int32),
            np.array(numbers, np.float32),
        )


def context(chart: LexiconText, begin: int, end: int) -> Iterator[str]:
    """The words around a range in its sentence, near ones by their place."""
    sentences, length = chart.sentences, len(chart)
    for away in range(1, 15):
        at = begin - away
        if at < 0 or sentences[at] != sentences[begin]:
            yield f"^{min(away, 3)}"
            break
        if away <= 2:
            yield f"L{away}{chart.folded[at]}"
        yield ("l" if away <= 5 else "m") + chart.stems[at]
    for away in range(4):
        at = end + away
        if at >= length or sentences[at] != sentences[end - 1]:
            yield f"${min(away, 2)}"
            break
        if away < 2:
            yield f"R{away}{chart.folded[at]}"
            yield f"S{away}{chart.folded[at][-3:]}"
        yield "r" + chart.stems[at]
    yield "G" + chart.gaps[begin]
    yield "H" + (chart.gaps[end] if end < length else "^")
    yield "N" + (chart.text.notes[chart.text.note_of[begin]].category or "")


class ContextVectorizer:
    """Turns contexts into rows of a sparse matrix."""

    def __init__(self) -> None:
        self._columns: dict[str, int] = {}

    def matrix(self, contexts: Sequence[Iterable[str]]) -> sparse.csr_matrix:
        """One row for each context."""
        indices: list[int] = []
        pointer = [0]
        for words in contexts:
            for word in words:
                column = self._columns.get(word)
                if column is None:
                    column = self._columns[word] = (
                        zlib.crc32(word.encode(errors="surrogatepass")) % _COLUMNS
                    )
                indices.append(column)
            pointer.append(len(indices))
        return sparse.csr_matrix(
            (np.ones(len(indices), np.float32), np.array(indices, np.int32), np.array(pointer)),
            shape=(len(contexts), _COLUMNS),
        )


def _widened(
    chart: LexiconText, edges: Logits | None, begin: int, end: int
) -> list[tuple[int, int]]:
    """The range itself, and the most likely ones a few words wider."""
    if edges is None:
        return [(begin, end)]
    sentences = chart.sentences
    base = float(edges[begin, 0] + edges[end - 1, 1])
    likely: list[tuple[float, tuple[int, int]]] = []
    for before in range(_MORE + 1):
        first = begin - before
        if first < 0 or sentences[first] != sentences[begin]:
            break
        for after in range(_MORE + 1 - before):
            last = end + after
            if last > len(chart) or sentences[last - 1] != sentences[end - 1]:
                break
            if before or after:
                score = float(edges[first, 0] + edges[last - 1, 1]) - 0.3 * (before + after)
                if score > base - 1 or score > -1.5:
                    likely.append((-score, (first, last)))
    return [(begin, end), *(wider for _, wider in sorted(likely)[:_WIDER])]


def _edge_numbers(edges: Logits | None, begin: int, end: int) -> list[float]:
    if edges is None:
        return [0.0] * 8
    inside = edges[begin:end, 2]
    return [
        float(edges[begin, 0]),
        float(edges[end - 1, 1]),
        float(inside.min()),
        float(inside.mean()),
        float(edges[begin - 1, 2]) if begin else UNKNOWN,
        float(edges[end, 2]) if end < len(edges) else UNKNOWN,
        float(edges[begin : end - 1, 1].max()) if end - begin > 1 else UNKNOWN,
        float(edges[begin + 1 : end, 0].max()) if end - begin > 1 else UNKNOWN,
    ]


def _rivals(
    flat: list[tuple[int, int, int, _Source]], at: int, near: set[int]
) -> tuple[float, float, float, float]:
    """The best precision of what lies around the range, for another code and for the same one;
    of what is the same range, and of what merely overlaps.
    """
    begin, end, code, _ = flat[at]
    around = same = equal = across = 0.0
    for other in near:
        first, last, its_code, source = flat[other]
        if (first, last) == (begin, end):
            if other != at:
                equal = max(equal, source.precision)
        elif first <= begin and last >= end:
            if its_code == code:
                same = max(same, source.precision)
            else:
                around = max(around, source.precision)
        elif its_code != code:
            across = max(across, source.precision)
    return around, same, equal, across


def _log_odds(probability: float) -> float:
    bounded = min(max(probability, 1e-3), 1 - 1e-3)
    return log(bounded / (1 - bounded))
