"""The sensitivity of a model to single words: scores, ranks and their intervals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from auscult.audit.coverage import Coverage, cover
from auscult.audit.filters.contract import ReplacementFilter
from auscult.audit.predictor import Predictor, require_probabilities, scores_of_charts
from auscult.audit.ranks import intervals, ranks, resampled
from auscult.audit.sampling import Budget, Sampler, standard_error
from auscult.audit.trial_table import Floats, TrialTable, overall
from auscult.audit.trials import Occurrences, Swap, Trial, propose
from auscult.audit.words_of_interest import WordFinder
from auscult.core import Code, Metric, OptionError
from auscult.core.plurals import counted
from auscult.core.progress import track
from auscult.core.results import MetricRow, Result
from auscult.corpus.corpus import Chart

DEFINITION = "mean over the charts with the word of the mean over replacements of |f(x) − f(g(x))|"


@dataclass(frozen=True, slots=True)
class WordScore:
    """A word: the mean change of the score by its replacement, its rank, and their intervals."""

    word: str = field(repr=False)
    score: Metric
    rank: float | None
    rank_interval: tuple[float, float] | None
    by_filter: dict[str, float]
    error: float | None
    """The standard error from sampling charts; 0 if all were tried."""
    coverage: Coverage

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "word": self.word,
            "score": self.score.value,
            "interval": self.score.interval,
            "undefined": self.score.undefined,
            "rank": self.rank,
            "rank_interval": self.rank_interval,
            "notes": self.coverage.tried,
            "by_filter": self.by_filter,
            "sampling_error": self.error,
            "coverage": self.coverage.to_dict(),
        }


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(Result):
    """How sensitive a model is to each word, and the trials behind it."""

    quoting: ClassVar[frozenset[str]] = frozenset({"word"})

    code: Code
    swap: Swap
    words: tuple[WordScore, ...]
    table: TrialTable = field(repr=False)
    draws: Floats = field(repr=False)
    """Overall scores in resamples of the charts, (times, words); the same charts for all audits of
    as many charts with the same seed."""

    @cached_property
    def scores(self) -> Floats:
        """The overall score of each word, NaN where undefined, in the words' order."""
        return np.array([np.nan if w.score.value is None else w.score.value for w in self.words])

    def metric_rows(self) -> Iterator[MetricRow]:
        """The sensitivity to each word, the highest first; words that were not tried come last."""
        for one in (*self.ranked(), *self.undefined()):
            low, high = one.rank_interval or (None, None)
            labels = {"word": one.word, "rank": one.rank, "rank_low": low, "rank_high": high}
            yield labels, replace(one.score, name="sensitivity")

    def headline(self) -> str:
        """Which code, and how much was tried."""
        words = counted(len(self.words), "word")
        return f"{self.code}, {words}, {counted(len(self.table), 'trial')}"

    def ranked(self) -> list[WordScore]:
        """The words that have a rank, the most sensitive first."""
        known = [word for word in self.words if word.rank is not None]
        return sorted(known, key=lambda word: (word.rank, word.word))

    def undefined(self) -> list[WordScore]:
        """The words that have none."""
        return [word for word in self.words if word.rank is None]

    def of(self, word: str) -> WordScore:
        """The result of a word."""
        return next(one for one in self.words if one.word == word)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "code": {"system": self.code.system, "value": self.code.value},
            "swap": self.swap,
            "charts": len(self.table.charts),
            "trials": len(self.table),
            "words": [word.to_dict() for word in (*self.ranked(), *self.undefined())],
        }


def sensitivity(
    predictor: Predictor,
    charts: Iterable[Chart] | Occurrences,
    code: Code,
    words: Sequence[str] = (),
    filters: Sequence[ReplacementFilter] = (),
    *,
    swap: Swap = "first",
    case: bool = False,
    budget: Budget | None = None,
    times: int = 1000,
    seed: int = 0,
) -> Sensitivity:
    """Measure how sensitive a model's score of a code is to single words.

    Each word is replaced in the charts that have it; its sensitivity is the mean absolute change of
    the score (Cao et al. 2022, section 2.3). `swap` chooses whether the first occurrence is
    replaced or all. A word that no chart has is undefined. With a `budget`, words are tried on
    samples of their charts.

    >>> from auscult.audit.filters import UniformFilter
    >>> from auscult.audit.predictor import TextPredictor
    >>> from auscult.core import Note
    >>> chart = Chart("c", (Note("n", "c", text="his mom visited"),), ())
    >>> f = TextPredictor(lambda text: 0.75 if "mom" in text else 0.25)
    >>> to_dad = UniformFilter(["dad", "aunt"], number=1)
    >>> found = sensitivity(f, [chart], Code("x", "y"), ["mom", "uncle"], [to_dad])
    >>> for word in found.words:
    ...     print(word.score)
    mom = 0.500
    uncle is undefined: it is in none of the 1 charts
    """
    found = charts if isinstance(charts, Occurrences) else _found(charts, words, case)
    if not filters:
        raise OptionError(
            "An audit needs at least one filter, which proposes replacements for words."
        )
    sampler = Sampler(found, filters, budget or Budget(), seed)
    runner = _Runner(found, predictor, code)
    equal: dict[str, int] = {}
    while pairs := sampler.next(runner.table()):
        proposed = propose(found, pairs, filters, swap)
        for word, count in proposed.equal.items():
            equal[word] = equal.get(word, 0) + count
        runner.run(sampler.affordable(proposed.trials))
    table = runner.table([one.name for one in filters])
    coverage = cover(found, table, predictor, equal, swap)
    return _summary(code, swap, found, table, coverage, times, seed)


def _found(charts: Iterable[Chart], words: Sequence[str], case: bool) -> Occurrences:
    found = Occurrences.of(charts, WordFinder(words, case=case))
    if not found.charts:
        raise OptionError("There are no charts to try words on. Check the split.")
    return found


class _Runner:
    """Runs the predictor chart by chart and collects the scores."""

    def __init__(self, found: Occurrences, predictor: Predictor, code: Code) -> None:
        self._found, self._predictor, self._code = found, predictor, code
        self._trials: list[Trial] = []
        self._before: list[float] = []
        self._after: list[float] = []

    def run(self, trials: Sequence[Trial]) -> None:
        by_chart: dict[int, list[Trial]] = {}
        for trial in trials:
            by_chart.setdefault(trial.chart, []).append(trial)
        charts = sorted(by_chart)
        # Two filters may propose the same word: it is tried once.
        once = {
            chart: {(one.word, one.replacement): one.perturbation for one in by_chart[chart]}
            for chart in charts
        }
        asked = ((self._found.charts[chart].notes, list(once[chart].values())) for chart in charts)
        scored = scores_of_charts(self._predictor, asked, self._code)
        for chart, scores in zip(
            charts, track(scored, "replacing words", len(charts)), strict=True
        ):
            require_probabilities(scores)
            some = by_chart[chart]
            given = dict(zip(once[chart], scores[1:], strict=True))
            self._trials += some
            self._before += [scores[0]] * len(some)
            self._after += [given[trial.word, trial.replacement] for trial in some]

    def table(self, filters: Sequence[str] = ()) -> TrialTable:
        """The results so far."""
        names = tuple(dict.fromkeys([*filters, *(trial.filter for trial in self._trials)]))
        place = {word: at for at, word in enumerate(self._found.words)}
        named = {name: at for at, name in enumerate(names)}
        return TrialTable(
            self._found.words,
            tuple(chart.chart_id for chart in self._found.charts),
            names,
            np.array([place[trial.word] for trial in self._trials], np.int64),
            np.array([trial.chart for trial in self._trials], np.int64),
            np.array([named[trial.filter] for trial in self._trials], np.int64),
            np.array(self._before, np.float64),
            np.array(self._after, np.float64),
            [trial.replacement for trial in self._trials],
        )


def _summary(
    code: Code,
    swap: Swap,
    found: Occurrences,
    table: TrialTable,
    coverage: Sequence[Coverage],
    times: int,
    seed: int,
) -> Sensitivity:
    level = table.note_level()
    scores = overall(level)
    placed = ranks(scores)
    filtered = {name: overall(table.note_level(name)) for name in table.filters}
    draws = np.zeros((0, len(scores)))
    if len(level) > 1 and times:
        draws = np.array(list(resampled(level, times, seed)))
    score_edges = intervals(draws)
    rank_edges = intervals(np.array([ranks(one) for one in draws]).reshape(draws.shape))
    words = []
    for at, word in enumerate(found.words):
        if np.isnan(scores[at]):
            metric = Metric(word, DEFINITION, undefined=_why(found, coverage[at]), n=0)
        else:
            metric = Metric(
                word, DEFINITION, float(scores[at]), score_edges[at], coverage[at].tried
            )
        by_filter = {n: float(v[at]) for n, v in filtered.items() if not np.isnan(v[at])}
        rank = None if np.isnan(placed[at]) else float(placed[at])
        edges = None if rank is None else rank_edges[at]
        error = standard_error(level[:, at], coverage[at].charts)
        words.append(WordScore(word, metric, rank, edges, by_filter, error, coverage[at]))
    return Sensitivity(code, swap, tuple(words), table, draws)


def _why(found: Occurrences, coverage: Coverage) -> str:
    if not coverage.charts:
        return f"it is in none of the {len(found.charts):,} charts"
    return "no filter proposed another word"
