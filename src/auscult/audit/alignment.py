"""Alignment: do the words a model is sensitive to agree with clinicians' ratings?

Spearman's correlation here is Pearson's of average ranks, which handles ties. The paper's
formula (E.3), 1 − 6ΣD² / n(n² − 1), is valid only without ties: on its Tables 8 and 9 it gives
0.594 and 0.180, whereas the paper reports 0.575 and 0.126, as Auscult does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from scipy import stats

from auscult.audit.ranks import ranks
from auscult.audit.ratings import ClinicianRatings
from auscult.audit.sensitivity import Sensitivity
from auscult.audit.trial_table import Floats
from auscult.core import Metric
from auscult.core.results import MetricRow, Result
from auscult.statistics import bootstrap

_SHUFFLES = 10_000
SPEARMAN = "Pearson's correlation of the average ranks of sensitivity and of importance"


@dataclass(frozen=True, slots=True)
class RankedWord:
    """A word's rank among the rated words by the model and by the clinicians; 1 is the first."""

    word: str = field(repr=False)
    model: float
    clinicians: float

    @property
    def difference(self) -> float:
        """Above 0 where the model ranks the word higher than clinicians do."""
        return self.clinicians - self.model


@dataclass(frozen=True, slots=True, repr=False)
class Alignment(Result):
    """The correlation, its p-value, and each word's two ranks."""

    spearman: Metric
    p_value: Metric
    words: tuple[RankedWord, ...]

    def disagreements(self, number: int = 5) -> tuple[list[RankedWord], list[RankedWord]]:
        """The words the model overrates most, and those it underrates most."""
        order = sorted(self.words, key=lambda one: (-one.difference, one.word))
        over = [one for one in order if one.difference > 0][:number]
        under = [one for one in reversed(order) if one.difference < 0][:number]
        return over, under

    def metric_rows(self) -> Iterator[MetricRow]:
        """The correlation, and its p-value."""
        yield {}, self.spearman
        yield {}, self.p_value

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "spearman": self.spearman.to_dict(),
            "p_value": self.p_value.value,
            "words": [{**asdict(one), "difference": one.difference} for one in self.words],
        }


def spearman(one: Floats, other: Floats) -> float:
    """Spearman's correlation with average ranks; NaN if all values of one side are equal.

    >>> round(spearman(np.array([1.0, 2.0, 3.0]), np.array([2.0, 2.0, 9.0])), 4)
    0.866
    """
    if len(one) < 2 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return float("nan")
    return float(np.corrcoef(stats.rankdata(one), stats.rankdata(other))[0, 1])


def printed_spearman(one: Floats, other: Floats) -> float:
    """The formula printed in the paper, 1 − 6ΣD² / n(n² − 1), which is wrong with ties.

    Only for comparison; `spearman` is what is reported.
    """
    size = len(one)
    return float(1 - 6 * ((one - other) ** 2).sum() / (size * (size**2 - 1)))


def align(found: Sensitivity, ratings: ClinicianRatings, *, seed: int = 0) -> Alignment:
    """Correlate the model's ranks with clinicians' importance, over the words that have both.

    The interval resamples charts; the p-value is two-sided, from permuted ratings.
    """
    places, importance = _rated(found, ratings)
    scores = found.scores[places]
    value = spearman(scores, importance)
    size = len(places)
    if np.isnan(value):
        why = "fewer than two rated words have a score" if size < 2 else "all words are tied"
        return Alignment(
            Metric("spearman", SPEARMAN, undefined=why, n=size),
            Metric("p_value", _definition(), undefined=why),
            _placed(found, places, importance),
        )
    edges = bootstrap.percentiles(correlations(found, places, importance)[:, None])[0]
    interval = None if np.isnan(edges).any() else (float(edges[0]), float(edges[1]))
    return Alignment(
        Metric("spearman", SPEARMAN, value, interval, size),
        Metric("p_value", _definition(), permutation_p(scores, importance, seed)),
        _placed(found, places, importance),
    )


def difference(one: Sensitivity, other: Sensitivity, ratings: ClinicianRatings) -> Metric:
    """The difference of two models' alignments on the same charts and words."""
    places, importance = _rated(one, ratings)
    first = spearman(one.scores[places], importance)
    second = spearman(other.scores[places], importance)
    definition = "spearman of the first model − spearman of the second, charts resampled for both"
    if np.isnan(first) or np.isnan(second):
        return Metric("spearman_difference", definition, undefined="a correlation is undefined")
    draws = correlations(one, places, importance) - correlations(other, places, importance)
    edges = bootstrap.percentiles(draws[:, None])[0]
    interval = None if np.isnan(edges).any() else (float(edges[0]), float(edges[1]))
    return Metric("spearman_difference", definition, first - second, interval, len(places))


def correlations(found: Sensitivity, places: Sequence[int], importance: Floats) -> Floats:
    """The correlation in each resample, over the words that are in it."""
    made = np.full(len(found.draws), np.nan)
    for row, draw in enumerate(found.draws[:, places]):
        there = ~np.isnan(draw)
        made[row] = spearman(draw[there], importance[there])
    return made


def permutation_p(one: Floats, other: Floats, seed: int, times: int = _SHUFFLES) -> float:
    """The two-sided p-value of a correlation, from permuted ratings."""
    left = _standard(stats.rankdata(one))
    right = _standard(stats.rankdata(other))
    dice = np.random.default_rng(seed)
    shuffled = dice.permuted(np.tile(right, (times, 1)), axis=1)
    larger = np.abs(shuffled @ left) >= abs(right @ left) - 1e-12
    return float((larger.sum() + 1) / (times + 1))


def _rated(found: Sensitivity, ratings: ClinicianRatings) -> tuple[list[int], Floats]:
    """The places of the words that have a score and a rating, and the ratings."""
    places = [
        at
        for at, word in enumerate(found.words)
        if word.rank is not None and word.word in ratings.importance
    ]
    return places, np.array([ratings.importance[found.words[at].word] for at in places])


def _placed(
    found: Sensitivity, places: Sequence[int], importance: Floats
) -> tuple[RankedWord, ...]:
    model, clinicians = ranks(found.scores[list(places)]), ranks(importance)
    made = [
        RankedWord(found.words[at].word, float(model[row]), float(clinicians[row]))
        for row, at in enumerate(places)
    ]
    return tuple(sorted(made, key=lambda one: (one.model, one.word)))


def _standard(values: Floats) -> Floats:
    centered: Floats = values - values.mean()
    return centered / np.linalg.norm(centered)


def _definition() -> str:
    return f"share of {_SHUFFLES:,} shuffles of the ratings that correlate at least as much"
