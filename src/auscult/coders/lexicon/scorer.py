"""The lexicon: strings that were evidence before, and how far each is to be trusted here."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from auscult.coders.contract import Configuration, Pointed, Reading, Scores, Wanted
from auscult.coders.examples import Example
from auscult.coders.labels import LabelSpace
from auscult.coders.lexicon import excerpts, learning
from auscult.coders.lexicon.analogy import Derived
from auscult.coders.lexicon.company import from_company
from auscult.coders.lexicon.counts import CodeCounts
from auscult.coders.lexicon.edges import Edges, Logits, targets_of
from auscult.coders.lexicon.gold import Gold
from auscult.coders.lexicon.judging import Judged, learn_trust
from auscult.coders.lexicon.rows import Candidates, Contexts, Rows, context, levels
from auscult.coders.lexicon.tally import Count, Tally
from auscult.coders.lexicon.terms import Matcher, Terms
from auscult.coders.lexicon.trust import Trust, Trusted
from auscult.coders.lexicon.words import Prepared, Reader, common_words, guess_language
from auscult.coders.sequence import ChartText
from auscult.codes.index.stems import check_language
from auscult.core import AuscultError
from auscult.core.progress import track

_FILE = "lexicon.json"
_VERSION = 2
"""Of what is judged of a candidate. 2: also how long its chart is."""
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
    analogies: bool = Field(
        True, description="Try terms nobody has used, by analogy with those in use."
    )
    excerpts: bool = Field(
        True, description="Learn from excerpts of charts too, so that short notes are believed."
    )
    alternatives: float = Field(
        0.6,
        gt=0,
        le=1,
        description="How good a range that overlaps a better one must be, as a part of that one, "
        "to be an alternative to it, which predict --alternatives shows too; 1 finds none.",
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
        alternatives: float,
    ) -> None:
        self._alternatives = alternatives
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
        golds = Gold.of_all(train)
        terms = Terms()
        common = common_words(charts)
        learning.from_evidence(terms, charts, golds, common)
        named = language == "english" if config.descriptions is None else config.descriptions
        if named:
            learning.from_descriptions(terms, labels, reader)
        if config.analogies:
            terms.derive(labels)
        from_company(terms, charts, golds, common)
        frequency = Counter(key for chart in charts for key in chart.keys)
        matcher = Matcher(terms.all_keys(), frequency)
        tally = _tally(terms, matcher, charts, golds)
        counts = CodeCounts.of(labels, golds)
        candidates = Candidates(terms, matcher, tally, counts)
        pointed = [at for at, gold in enumerate(golds) if gold.extents]
        edges, judged = None, dict[int, Logits]()
        if pointed:
            edges, judged = _edges(charts, golds, pointed, seed)
        rest = [at for at in range(len(charts)) if not golds[at].extents]
        taught = sorted((pointed + rest)[:_TAUGHT])
        whole, parts = list[Judged](), list[Judged]()
        for at in track(taught, "learning what to trust", len(taught)):
            if edges is not None and at not in judged:
                judged[at] = edges.judge([charts[at]])[0]
            chart, gold, found = charts[at], golds[at], judged.get(at)
            whole.append(Judged(chart, gold, candidates.rows(chart, found, gold.fold)))
            dice = np.random.default_rng([seed, at])
            for begin, end in excerpts.places(chart, gold, dice) if config.excerpts else ():
                part, its_gold = excerpts.cut(chart, gold, begin, end)
                its_edges = None if found is None else found[begin:end]
                rows = candidates.rows(part, its_edges, gold.fold)
                parts.append(Judged(part, its_gold, rows))
        trust = learn_trust(whole, parts, seed)
        terms.forget_charts()
        needed = {word for key in terms.all_keys() for word in key}
        frequency = Counter({word: frequency[word] for word in sorted(needed)})
        tally.forget_folds()
        candidates.matcher = Matcher(terms.all_keys(), frequency)
        return cls(labels, reader, candidates, frequency, edges, trust, config.alternatives)

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
                trusted = None
                if len(rows):
                    places = zip(rows.begins.tolist(), rows.ends.tolist(), strict=True)
                    around = contexts.matrix([context(chart, *place) for place in places])
                    trusted = self._trust.apply(rows.numbers, around)
                yield self._reading(chart, rows, trusted, wanted)

    def _reading(
        self,
        chart: Prepared,
        rows: Rows,
        trusted: Trusted | None,
        wanted: Wanted,
    ) -> Reading:
        scores: Scores = np.zeros(len(self._labels), np.float32)
        if trusted is None:
            wanted(chart.text, scores)
            return Reading(chart.text, scores)
        np.maximum.at(scores, rows.codes, trusted.code)
        evidence: dict[int, Pointed] = {}
        for code in wanted(chart.text, scores).tolist():
            here = rows.codes == code
            if here.any():
                evidence[code] = _extents(
                    rows.begins[here], rows.ends[here], trusted.evidence[here], self._alternatives
                )
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
            "version": _VERSION,
            "language": self._reader.language,
            "terms": terms,
            "derived": [
                [list(key), [[code, *astuple(way)] for code, way in sorted(codes.items())]]
                for key, codes in sorted(self._candidates.terms.derived[None].items())
            ],
            "counts": counts,
            "frequency": dict(self._frequency),
            "charts": list(self._candidates.counts.charts),
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
            held = _of_this_version(json.loads((directory / _FILE).read_text(encoding="utf-8")))
            terms, tally = Terms(), Tally()
            for key, wording, codes in held["terms"]:
                wordings = terms.wordings.setdefault(tuple(key), {})
                wordings[tuple(wording)] = dict(codes)
            terms.derived[None] = {
                tuple(key): {code: Derived(*way) for code, *way in codes}
                for key, codes in held["derived"]
            }
            for string, times, hits, codes in held["counts"]:
                tally.whole[string] = Count(times, hits, dict(codes))
            frequency = Counter(held["frequency"])
            counts = CodeCounts(labels, held["charts"])
            reader = Reader(held["language"])
            edges = Edges.load(directory) if held["edges"] else None
            trust = Trust.load(directory)
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise AuscultError(
                f"{directory} does not hold a whole lexicon: a file is missing, damaged or of an "
                "older version. Train it again."
            ) from error
        matcher = Matcher(terms.all_keys(), frequency)
        candidates = Candidates(terms, matcher, tally, counts)
        return cls(labels, reader, candidates, frequency, edges, trust, config.alternatives)


def _of_this_version(held: dict[str, Any]) -> dict[str, Any]:
    if held["version"] != _VERSION:
        raise ValueError("its candidates are described in another way")
    return held


def _tally(
    terms: Terms, matcher: Matcher, charts: Sequence[Prepared], golds: Sequence[Gold]
) -> Tally:
    """Count every match in the training text, and how many of them were evidence."""
    tally = Tally()
    pairs = zip(charts, golds, strict=True)
    for chart, gold in track(pairs, "counting matches", len(charts)):
        for key, places in matcher.matches(chart):
            begin, end = places[0], places[-1] + 1
            hits = [code for code in terms.all_codes(key) if gold.covers(begin, end, code)]
            for string in levels(chart, key, places):
                tally.add(string, hits, gold.fold)
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
    folds = [golds[at].fold for at in pointed]
    edges, judged = Edges.fit([charts[at] for at in pointed], targets, folds, seed)
    return edges.rounded(), {pointed[order]: logits for order, logits in judged.items()}


def _extents(
    begins: npt.NDArray[np.int32],
    ends: npt.NDArray[np.int32],
    trusted: npt.NDArray[np.float32],
    alternatives: float,
) -> Pointed:
    """Ranges of one code: of those that overlap the most trusted, and others nearly as good.

    All of a place weigh what its best one does, relative to the best place of all, so that a code
    that is given has evidence. They come in the order of trust: the best before its alternatives.
    """
    kept: list[int] = []
    weights: list[float] = []
    leaders: list[int] = []
    place_of = np.full(int(ends.max()), -1)  # the place among the leaders of who has a word
    top = max(float(trusted.max()), 1e-9)
    for at in np.argsort(-trusted, kind="stable").tolist():
        words = place_of[begins[at] : ends[at]]
        over = words[words >= 0]
        leader = leaders[over.min()] if len(over) else at
        if leader == at:
            words[:] = len(leaders)
            leaders.append(at)
        elif alternatives >= 1 or trusted[at] < alternatives * trusted[leader]:
            continue
        kept.append(at)
        weights.append(float(trusted[leader]) / top)
    return Pointed(begins[kept], ends[kept], np.array(weights, np.float32))
