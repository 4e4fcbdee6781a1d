"""Several coders' scores made one, and which coders are worth it.

A logistic regression over the log-odds the members give a code (and how common the code is) learns
to combine them. The best member is there from the start; another joins only if all together then do
better on charts whose patients the regression has not seen, so that a weak member does no harm.

What a member says of a chart out of fold has a trace of the chart's own codes in it: a code that k
charts have is in k - 1 of the others where it is right, and in k where it is wrong. So a regression
could learn that rarer codes, and those a member believes less, are right, which no chart that is
new will confirm. No weight may therefore turn round what its member says, nor all of them together
that the more common of two codes is the likelier one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression

from auscult.coders.contract import Reading, Scores
from auscult.coders.decoding import count_at, tune_codes
from auscult.coders.examples import Example, count_codes
from auscult.coders.folds import fold, fold_places
from auscult.core.counts import Counts

Floats = npt.NDArray[np.float64]
Share = npt.NDArray[np.float64]
"""The log of the part of the charts that has each code."""

_LEAST = 1e-4
_SPEAKS = 0.01
"""The score from which a member is taken to say something of a code."""


@dataclass(frozen=True)
class Mix:
    """How the log-odds of members become one score."""

    weights: tuple[float, ...]
    common: float
    """The weight of the code's share."""
    bias: float

    @classmethod
    def fit(
        cls,
        said: Sequence[Sequence[Reading]],
        made: Sequence[Example],
        shares: Sequence[Share],
    ) -> Mix | None:
        """Learn it from what members said of each chart; None where all, or nothing, was so.

        `shares` has for each chart how common codes are among the charts that the members learnt
        from to read it. Among all charts it would not do: a code that one chart has is never right
        where members know it, nor known where it is right.
        """
        features, gold = [np.zeros((0, len(said[0]) + 1))], [np.zeros(0, bool)]
        for readings, one, share in zip(said, made, shares, strict=True):
            given = np.stack([reading.scores for reading in readings])
            spoken = np.flatnonzero(given.max(axis=0) >= _SPEAKS)
            features.append(_features(given[:, spoken], share[spoken]))
            gold.append(np.isin(spoken, one.codes))
        is_so = np.concatenate(gold)
        if is_so.all() or not is_so.any():
            return None
        table = np.concatenate(features)
        model = LogisticRegression(C=1.0, solver="lbfgs", max_iter=500).fit(table, is_so)
        found = cls._of([*model.coef_[0].tolist(), float(model.intercept_[0])])
        return found if found.is_fair else cls._of(_fair(table, is_so))

    @classmethod
    def _of(cls, numbers: Sequence[float]) -> Mix:
        *weights, common, bias = numbers
        return cls(tuple(weights), common, bias)

    @property
    def is_fair(self) -> bool:
        """Whether no member is turned round, nor how common a code is, which each of them knows."""
        return min(self.weights) >= 0 and self.common + sum(self.weights) >= 0

    def scores(self, given: Sequence[Scores], share: Share) -> Scores:
        """The combined scores of a chart. Codes of which nobody speaks keep a trace of one."""
        best = np.maximum.reduce(given)
        spoken = np.flatnonzero(best >= _SPEAKS)
        found: Scores = (best * _LEAST).astype(np.float32)
        heard = np.stack([one[spoken] for one in given])
        mixed = expit(_features(heard, share[spoken]) @ self._column + self.bias)
        found[spoken] = np.maximum(mixed, _SPEAKS * _LEAST)  # never below what nobody speaks of
        return found

    @property
    def _column(self) -> npt.NDArray[np.float64]:
        return np.array([*self.weights, self.common])


def _fair(table: Floats, is_so: npt.NDArray[np.bool_]) -> list[float]:
    """The numbers of the likeliest mix that is fair, under the same prior as the regression's.

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
    """How common the codes of a label space are among charts; never quite 0."""
    share: Share = np.log((count_codes(charts, labels) + 0.5) / (len(charts) + 1))
    return share


def shares_inside(made: Sequence[Example], labels: int, folds: int, seed: int) -> list[Share]:
    """For each chart, how common codes are in the other folds, those that `out_of_fold` learns."""
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
    """The members to keep: the best one, then each that makes the mix better, the best first."""
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
    """The counts on each fold when members, mix and threshold are chosen by the other folds.

    Chosen by the same charts that are counted, the best of several always looks too good.
    """
    total = Counts()
    for inside, outside in fold_places(made, folds, seed):
        some, theirs = [made[at] for at in inside], [shares[at] for at in inside]
        kept = choose({kind: [one[at] for at in inside] for kind, one in read.items()},
                      some, theirs, seed)  # fmt: skip
        mix = None
        if len(kept) > 1:
            mix = Mix.fit([[read[kind][at] for kind in kept] for at in inside], some, theirs)
        mixed = {
            at: read[kept[0]][at] if mix is None
            else Reading(made[at].text,
                         mix.scores([read[kind][at].scores for kind in kept], shares[at]))
            for at in (*inside, *outside)
        }  # fmt: skip
        tuned = tune_codes([mixed[at] for at in inside], some)
        total += count_at(
            [mixed[at] for at in outside], [made[at] for at in outside], tuned.threshold
        )
    return total


def _halves(made: Sequence[Example], seed: int) -> list[list[int]]:
    """The places of the charts in two halves, patients kept together."""
    return [half for _, half in fold_places(made, 2, seed)]


def _together(
    read: Sequence[Sequence[Reading]],
    made: Sequence[Example],
    shares: Sequence[Share],
    halves: Sequence[Sequence[int]],
) -> float:
    """The micro-F1 of members mixed, each half as the other one taught; 0 where it could not."""
    if len(halves) < 2:
        return 0.0
    across: dict[int, Reading] = {}
    for taught, judged in zip(halves, halves[::-1], strict=True):
        said = [[one[at] for one in read] for at in taught]
        mix = Mix.fit(said, [made[at] for at in taught], [shares[at] for at in taught])
        if mix is None:
            return 0.0
        for at in judged:
            scores = mix.scores([one[at].scores for one in read], shares[at])
            across[at] = Reading(made[at].text, scores)
    return tune_codes([across[at] for at in range(len(made))], made).counts.f1 or 0.0


def _features(given: npt.NDArray[np.float32], share: Share) -> npt.NDArray[np.float64]:
    odds = logit(np.clip(given.astype(np.float64), _LEAST, 1 - _LEAST))
    return np.vstack([odds, share]).T
