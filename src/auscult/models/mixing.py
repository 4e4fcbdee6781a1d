"""Stacking: combine the scores of several models, and select the models that help.

A logistic regression over the log-odds of the members (and the frequency of the code) combines
them. The best member is always included; another is added only if the combination then does better
on charts of patients that the regression has not seen, so that a weak member does no harm.

Out-of-fold scores leak a little of a chart's own codes: a code on k charts is on k - 1 of the other
charts where it is right, and on k where it is wrong. A regression could therefore find that rarer
codes, and codes with lower member scores, are right, which does not hold for new charts. So no
member's weight may be negative, nor may a more frequent code become less likely.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression

from auscult.core.counts import Counts
from auscult.core.threads import one_blas_thread
from auscult.learning.arrays import row_products
from auscult.models.chart_scoring import Scores
from auscult.models.decoding import count_at, tune_codes
from auscult.models.examples import Example, count_codes
from auscult.models.folds import fold, fold_places
from auscult.models.kept_readings import PREDICTED, KeptReading, Reading, SparseScores

Floats = npt.NDArray[np.float64]
Share = npt.NDArray[np.float64]
"""The log of the share of charts with each code."""

_LEAST = 1e-4


@dataclass(frozen=True)
class ScoreMixture:
    """A logistic regression over the log-odds of the members."""

    weights: tuple[float, ...]
    common: float
    """The weight of the code's frequency."""
    bias: float

    @classmethod
    @one_blas_thread()
    def fit(
        cls,
        by_chart: Sequence[Sequence[Reading]],
        made: Sequence[Example],
        shares: Sequence[Share],
    ) -> ScoreMixture | None:
        """Fit to the members' scores of each chart; None if all codes are right, or none is.

        `shares` holds for each chart the frequency of the codes among the charts that the members
        were trained on to score it. The frequency among all charts would leak: a code on a single
        chart is never right where the members know it, nor known where it is right.
        """
        features, gold = [np.zeros((0, len(by_chart[0]) + 1))], [np.zeros(0, bool)]
        for readings, one, share in zip(by_chart, made, shares, strict=True):
            given = [SparseScores.of(reading.scores) for reading in readings]
            active = _predicted(given)
            features.append(_features(_evenly(given, active), share[active]))
            gold.append(np.isin(active, one.codes))
        is_so = np.concatenate(gold)
        if is_so.all() or not is_so.any():
            return None
        table = np.concatenate(features)
        model = LogisticRegression(C=1.0, solver="lbfgs", max_iter=500).fit(table, is_so)
        found = cls._of([*model.coef_[0].tolist(), float(model.intercept_[0])])
        return found if found.is_monotone else cls._of(_monotone(table, is_so))

    @classmethod
    def _of(cls, numbers: Sequence[float]) -> ScoreMixture:
        *weights, common, bias = numbers
        return cls(tuple(weights), common, bias)

    @property
    def is_monotone(self) -> bool:
        """Whether no weight of a member, and not their sum with the frequency's, is negative."""
        return min(self.weights) >= 0 and self.common + sum(self.weights) >= 0

    def scores(self, given: Sequence[Scores], share: Share) -> Scores:
        """The combined scores of a chart. Codes that no member predicts keep a tiny score."""
        best = np.maximum.reduce(given)
        active = np.flatnonzero(best >= PREDICTED)
        found: Scores = (best * _LEAST).astype(np.float32)
        found[active] = self._mixed(np.stack([one[active] for one in given]), share[active])
        return found

    def kept_scores(self, given: Sequence[SparseScores], share: Share) -> SparseScores:
        """The same for sparse scores."""
        codes = reduce(np.union1d, [one.codes for one in given]).astype(np.int32)
        values = (np.maximum.reduce([one.at(codes) for one in given]) * _LEAST).astype(np.float32)
        active = _predicted(given)
        at = np.searchsorted(codes, active)
        values[at] = self._mixed(_evenly(given, active), share[active])
        left = given[0].size - len(codes)
        return SparseScores(
            given[0].size,
            codes,
            values,
            min(left, max(one.others for one in given)),
            _LEAST * max(one.rest for one in given),
            _LEAST * max(one.ceiling for one in given),
        )

    def _mixed(self, given: npt.NDArray[np.float32], share: Share) -> npt.NDArray[np.float64]:
        """The combined scores of codes that a member predicts; `given` has a row per member."""
        mixed = expit(row_products(_features(given, share), self._column) + self.bias)
        found: npt.NDArray[np.float64] = np.maximum(mixed, PREDICTED * _LEAST)
        return found  # never below the rest

    @property
    def _column(self) -> npt.NDArray[np.float64]:
        return np.array([*self.weights, self.common])


def _monotone(table: Floats, is_so: npt.NDArray[np.bool_]) -> list[float]:
    """The most likely mixture without negative weights, under the same prior as the regression.

    The last number but one stands for the sum of the weights until the end: that must not be
    negative. A member's log-odds have how common the code is in them, so the weight of that alone
    may be, to take back what is counted twice.
    """
    members = table.shape[1] - 1
    around = np.column_stack([table[:, :members] - table[:, [members]], table[:, members]])
    sign = np.where(is_so, 1.0, -1.0)

    def loss(numbers: Floats) -> tuple[float, Floats]:
        weights, bias = numbers[:-1], numbers[-1]
        common = weights[members] - weights[:members].sum()
        odds = sign * (around @ weights + bias)
        slope = -sign * expit(-odds)
        value = (
            np.logaddexp(0, -odds).sum() + (weights[:members] @ weights[:members] + common**2) / 2
        )
        gradient = around.T @ slope + np.append(weights[:members] - common, common)
        return float(value), np.append(gradient, slope.sum())

    bounds = [(0.0, None)] * (members + 1) + [(None, None)]
    found = minimize(loss, np.zeros(members + 2), jac=True, method="L-BFGS-B", bounds=bounds)
    *weights, total, bias = found.x.tolist()
    return [*weights, total - sum(weights), bias]


def share_of(charts: Sequence[Example], labels: int) -> Share:
    """The log-frequency of the codes of a label space among charts; never quite 0."""
    share: Share = np.log((count_codes(charts, labels) + 0.5) / (len(charts) + 1))
    return share


def shares_inside(made: Sequence[Example], labels: int, folds: int, seed: int) -> list[Share]:
    """For each chart, the frequency of codes in the other folds, on which `out_of_fold` trains."""
    found: dict[str, Share] = {}
    for inside, outside in fold(made, folds, seed):
        found |= dict.fromkeys((one.chart_id for one in outside), share_of(inside, labels))
    return [found[one.chart_id] for one in made]


def choose(
    read: Mapping[str, Sequence[Reading]],
    made: Sequence[Example],
    shares: Sequence[Share],
    seed: int,
) -> list[str]:
    """Forward selection of members: the best one, then each that improves the mixture."""
    alone = {kind: tune_codes(readings, made).counts.f1 or 0.0 for kind, readings in read.items()}
    kept = [max(alone, key=alone.__getitem__)]
    reached = alone[kept[0]]
    halves = _halves(made, seed)
    while others := [kind for kind in read if kind not in kept]:
        tried = {
            kind: _together([read[one] for one in (*kept, kind)], made, shares, halves)
            for kind in others
        }
        best = max(tried, key=tried.__getitem__)
        if tried[best] <= reached:
            break
        kept.append(best)
        reached = tried[best]
    return kept


def count_out_of_fold(
    read: Mapping[str, Sequence[Reading]],
    made: Sequence[Example],
    shares: Sequence[Share],
    folds: int,
    seed: int,
) -> Counts:
    """The counts on each fold, with members, mixture and threshold selected on the other folds.

    Selected on the same charts that are counted, the best of several is always too optimistic.
    """
    total = Counts()
    for inside, outside in fold_places(made, folds, seed):
        some, theirs = [made[at] for at in inside], [shares[at] for at in inside]
        kept = choose({kind: [one[at] for at in inside] for kind, one in read.items()},
                      some, theirs, seed)  # fmt: skip
        mix = None
        if len(kept) > 1:
            mix = ScoreMixture.fit(
                [[read[kind][at] for kind in kept] for at in inside], some, theirs
            )
        mixed: dict[int, Reading] = {
            at: read[kept[0]][at] if mix is None
            else _mixture(mix, [read[kind][at] for kind in kept], shares[at])
            for at in (*inside, *outside)
        }  # fmt: skip
        tuned = tune_codes([mixed[at] for at in inside], some)
        total += count_at(
            [mixed[at] for at in outside], [made[at] for at in outside], tuned.threshold
        )
    return total


def _halves(made: Sequence[Example], seed: int) -> list[list[int]]:
    """The indices of the charts in two halves, patients kept together."""
    return [half for _, half in fold_places(made, 2, seed)]


def _together(
    read: Sequence[Sequence[Reading]],
    made: Sequence[Example],
    shares: Sequence[Share],
    halves: Sequence[Sequence[int]],
) -> float:
    """The micro-F1 of a mixture, each half scored by the other half's; 0 if it cannot be fitted."""
    if len(halves) < 2:
        return 0.0
    across: dict[int, KeptReading] = {}
    for inside, outside in zip(halves, halves[::-1], strict=True):
        by_chart = [[one[at] for one in read] for at in inside]
        mix = ScoreMixture.fit(by_chart, [made[at] for at in inside], [shares[at] for at in inside])
        if mix is None:
            return 0.0
        for at in outside:
            across[at] = _mixture(mix, [one[at] for one in read], shares[at])
    return tune_codes([across[at] for at in range(len(made))], made).counts.f1 or 0.0


def _mixture(mix: ScoreMixture, readings: Sequence[Reading], share: Share) -> KeptReading:
    scores = [SparseScores.of(reading.scores) for reading in readings]
    return KeptReading(readings[0].text, mix.kept_scores(scores, share))


def _predicted(given: Sequence[SparseScores]) -> npt.NDArray[np.int32]:
    """The codes that a member predicts; their scores are always kept."""
    some = [one.codes[one.values >= PREDICTED] for one in given]
    return reduce(np.union1d, some).astype(np.int32)


def _evenly(given: Sequence[SparseScores], codes: npt.NDArray[np.int32]) -> Scores:
    """The scores of some codes, a row per member; low scores are replaced by their mean."""
    return np.stack([one.evenly(codes) for one in given])


def _features(given: npt.NDArray[np.float32], share: Share) -> npt.NDArray[np.float64]:
    odds = logit(np.clip(given.astype(np.float64), _LEAST, 1 - _LEAST))
    return np.vstack([odds, share]).T
