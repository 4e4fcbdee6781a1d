"""The lexicon: strings that were evidence before, and how far each is to be trusted here."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from auscult.coders.contract import Configuration, Pointed, Reading, Scores, Wanted
from auscult.coders.examples import Example
from auscult.coders.labels import LabelSpace
from auscult.coders.lexicon import learning
from auscult.coders.lexicon.edges import Edges, Logits, targets_of
from auscult.coders.lexicon.gold import Gold
from auscult.coders.lexicon.rows import Candidates, Contexts, Row, context, levels
from auscult.coders.lexicon.tally import Count, Tally
from auscult.coders.lexicon.terms import Matcher, Terms
from auscult.coders.lexicon.trust import Trust
from auscult.coders.lexicon.words import Prepared, Reader, common_words, guess_language
from auscult.coders.sequence import ChartText
from auscult.codes.index.stems import check_language
from auscult.core import AuscultError
from auscult.core.progress import track

_FILE = "lexicon.json"
_ALTERNATIVE = 0.2
"""The part of the best one's trust that an overlapping range must have to be shown too."""
_BATCH = 64
_TAUGHT = 4_000
"""Charts from which it is learnt how far to trust a match; those with evidence come first."""


class LexiconConfiguration(Configuration):
    """How the lexicon reads."""

    language: str | None = Field(
        None, description="Language of the notes, such as spanish; guessed from them by default."
    )
    descriptions: bool | None = Field(
        None, description="Learn terms from the English names of codes; by default in English."
    )


class Lexicon:
    """A matcher of learnt terms; the match is the evidence."""

    config_type: ClassVar[type[Configuration]] = LexiconConfiguration
    evidence_step: ClassVar[float] = 0.05
    joins_words: ClassVar[bool] = False
    folds: ClassVar[int] = 5

    held_out: Sequence[Reading] = ()

    def __init__(
        self,
        labels: LabelSpace,
        reader: Reader,
        candidates: Candidates,
        frequency: Counter[str],
        edges: Edges | None,
        trust: Trust,
    ) -> None:
        self._labels = labels
        self._reader = reader
        self._candidates = candidates
        self._frequency = frequency
        self._edges = edges
        self._trust = trust

    @classmethod
    def fit(
        cls,
        train: Sequence[Example],
        dev: Sequence[Example],
        labels: LabelSpace,
        config: LexiconConfiguration,
        *,
        seed: int,
        directory: Path | None = None,
    ) -> Self:
        """Learn terms, how good each is, and what around a match says that it counts."""
        language = config.language or guess_language(one.text for one in train)
        check_language(language)
        reader = Reader(language)
        charts = [reader.prepare(one.text) for one in train]
        golds = [Gold.of(one) for one in train]
        terms = Terms()
        common = common_words(charts)
        learning.from_evidence(terms, charts, golds, common)
        named = language == "english" if config.descriptions is None else config.descriptions
        if named:
            learning.from_descriptions(terms, labels, reader)
        learning.from_company(terms, charts, golds, common)
        frequency = Counter(key for chart in charts for key in chart.keys)
        matcher = Matcher(terms.wordings, frequency)
        tally = _tally(terms, matcher, charts, golds)
        having = Counter(code for gold in golds for code in gold.codes)
        counts = [having[code] for code in range(len(labels))]
        candidates = Candidates(terms, matcher, tally, counts)
        pointed = [at for at, gold in enumerate(golds) if gold.extents]
        edges, judged = None, dict[int, Logits]()
        if pointed:
            edges, judged = _edges(charts, golds, pointed, seed)
        rest = [at for at in range(len(charts)) if not golds[at].extents]
        taught = sorted((pointed + rest)[:_TAUGHT])
        rows: list[list[Row]] = []
        around: list[list[str]] = []
        for at in track(taught, "learning what to trust", len(taught)):
            if edges is not None and at not in judged:
                judged[at] = edges.judge([charts[at]])[0]
            rows.append(candidates.rows(charts[at], judged.get(at), at, golds[at].codes))
            around += [list(context(charts[at], row.begin, row.end)) for row in rows[-1]]
        chart_of = np.repeat(np.arange(len(rows)), [len(found) for found in rows])
        gold = [
            golds[at].matches(row.begin, row.end, row.code)
            for at, found in zip(taught, rows, strict=True)
            for row in found
        ]
        table = _table([row for found in rows for row in found])
        trust = Trust.fit(table, Contexts().matrix(around), np.array(gold, bool), chart_of, seed)
        needed = {word for key in terms.wordings for word in key}
        frequency = Counter({word: frequency[word] for word in sorted(needed)})
        terms.charts.clear()
        tally.forget_charts()
        return cls(labels, reader, candidates, frequency, edges, trust)

    def read(self, texts: Iterable[ChartText], wanted: Wanted) -> Iterator[Reading]:
        """Score charts: a code by its best match, and every match as evidence.

        Weights are relative to the best match of the code, so that a code given has evidence.
        """
        contexts = Contexts()
        texts = iter(texts)
        while batch := list(islice(texts, _BATCH)):
            charts = [self._reader.prepare(text) for text in batch]
            judged: Sequence[Logits | None] = (
                self._edges.judge(charts) if self._edges else [None] * len(charts)
            )
            for chart, edges in zip(charts, judged, strict=True):
                rows = self._candidates.rows(chart, edges)
                yield self._reading(chart, rows, contexts, wanted)

    def _reading(
        self, chart: Prepared, rows: list[Row], contexts: Contexts, wanted: Wanted
    ) -> Reading:
        scores: Scores = np.zeros(len(self._labels), np.float32)
        if not rows:
            wanted(chart.text, scores)
            return Reading(chart.text, scores)
        around = [list(context(chart, row.begin, row.end)) for row in rows]
        trusted = self._trust.apply(_table(rows), contexts.matrix(around))
        codes = np.array([row.code for row in rows])
        np.maximum.at(scores, codes, trusted)
        begins = np.array([row.begin for row in rows], np.int32)
        ends = np.array([row.end for row in rows], np.int32)
        evidence: dict[int, Pointed] = {}
        for code in wanted(chart.text, scores).tolist():
            here = codes == code
            if here.any():
                evidence[code] = _alternatives(begins[here], ends[here], trusted[here])
        return Reading(chart.text, scores, evidence)

    def save(self, directory: Path) -> None:
        """Write terms and counts as JSON, weights as arrays."""
        terms = [
            [list(key), list(wording), sorted(codes.items())]
            for key, wordings in sorted(self._candidates.terms.wordings.items())
            for wording, codes in sorted(wordings.items())
        ]
        counts = [
            [string, count.times, count.hits, sorted(count.codes.items())]
            for string, count in sorted(self._candidates.tally.whole.items())
        ]
        held = {
            "language": self._reader.language,
            "terms": terms,
            "counts": counts,
            "frequency": dict(self._frequency),
            "charts": list(self._candidates.charts_with),
            "edges": self._edges is not None,
        }
        text = json.dumps(held, ensure_ascii=False, separators=(",", ":"))
        (directory / _FILE).write_text(text + "\n", encoding="utf-8")
        self._trust.save(directory)
        if self._edges is not None:
            self._edges.save(directory)

    @classmethod
    def load(cls, directory: Path, labels: LabelSpace, config: LexiconConfiguration) -> Self:
        """What `save` wrote."""
        try:
            held = json.loads((directory / _FILE).read_text(encoding="utf-8"))
            terms, tally = Terms(), Tally()
            for key, wording, codes in held["terms"]:
                wordings = terms.wordings.setdefault(tuple(key), {})
                wordings[tuple(wording)] = dict(codes)
            for string, times, hits, codes in held["counts"]:
                tally.whole[string] = Count(times, hits, dict(codes))
            frequency = Counter(held["frequency"])
            counts = list(held["charts"])
            reader = Reader(held["language"])
            edges = Edges.load(directory) if held["edges"] else None
            trust = Trust.load(directory)
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise AuscultError(
                f"{directory} does not hold a whole lexicon: a file is missing or damaged. "
                "Train it again."
            ) from error
        matcher = Matcher(terms.wordings, frequency)
        candidates = Candidates(terms, matcher, tally, counts)
        return cls(labels, reader, candidates, frequency, edges, trust)


def _tally(
    terms: Terms, matcher: Matcher, charts: Sequence[Prepared], golds: Sequence[Gold]
) -> Tally:
    """Count every match in the training text, and how many of them were evidence."""
    tally = Tally()
    pairs = zip(charts, golds, strict=True)
    for at, (chart, gold) in enumerate(track(pairs, "counting matches", len(charts))):
        for key, places in matcher.matches(chart):
            begin, end = places[0], places[-1] + 1
            hits = [code for code in terms.all_codes(key) if gold.covers(begin, end, code)]
            for string in levels(chart, key, places):
                tally.add(string, hits, at)
    return tally


def _edges(
    charts: Sequence[Prepared], golds: Sequence[Gold], pointed: list[int], seed: int
) -> tuple[Edges, dict[int, Logits]]:
    targets = [
        targets_of(
            len(charts[at]),
            [parts for found in golds[at].example.references.values() for parts in found],
        )
        for at in pointed
    ]
    edges, judged = Edges.fit([charts[at] for at in pointed], targets, seed)
    return edges.rounded(), {pointed[order]: logits for order, logits in judged.items()}


def _table(rows: Sequence[Row]) -> npt.NDArray[np.float32]:
    return np.array([row.numbers for row in rows], np.float32).reshape(len(rows), -1)


def _alternatives(
    begins: npt.NDArray[np.int32], ends: npt.NDArray[np.int32], trusted: npt.NDArray[np.float32]
) -> Pointed:
    """Ranges of one code, weighed by how far the best of those that overlap is trusted.

    Where it is open how far a string reaches, the likelier readings stand side by side. Weights
    are relative to the best match of all, so that a code that is given has evidence.
    """
    kept: list[int] = []
    weights: list[float] = []
    leaders: list[int] = []
    top = max(float(trusted.max()), 1e-9)
    for at in np.argsort(-trusted, kind="stable").tolist():
        over = [one for one in leaders if begins[one] < ends[at] and begins[at] < ends[one]]
        if not over:
            leaders.append(at)
        leader = over[0] if over else at
        if trusted[at] >= _ALTERNATIVE * trusted[leader]:
            kept.append(at)
            weights.append(float(trusted[leader]) / top)
    return Pointed(begins[kept], ends[kept], np.array(weights, np.float32))
