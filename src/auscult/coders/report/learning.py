"""How the coder for short reports learns: each stage from what the one before says out of fold.

So no stage trusts what the one before it knows by heart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from auscult.coders.examples import Example
from auscult.coders.folds import fold
from auscult.coders.forest import Forest, Growth
from auscult.coders.linear.scorer import Linear, LinearConfiguration
from auscult.coders.report.rows import Floats, Links, Places, RowMaker, Rows, Tallies
from auscult.coders.report.sets import Combination, Sets, fit_weights, subsets

_GROWTH = Growth(trees=100, leaf=3, tried=0.7)
_CLIP = 10.0
"""Log-odds beyond this say no more."""


@dataclass(frozen=True, eq=False)
class Charts:
    """Training charts, what they have, and the folds they are in."""

    made: Sequence[Example]
    gold: npt.NDArray[np.bool_]
    """(charts, codes)"""
    folds: Sequence[Places]

    @classmethod
    def of(cls, made: Sequence[Example], codes: int, folds: int, seed: int) -> Charts:
        """Examples in folds, patients kept together."""
        place = {one.chart_id: at for at, one in enumerate(made)}
        gold = np.zeros((len(made), codes), bool)
        for at, one in enumerate(made):
            gold[at, one.codes] = True
        held = [
            np.array([place[one.chart_id] for one in outside], np.int64)
            for _, outside in fold(made, folds, seed)
        ]
        return cls(made, gold, held)

    def inside(self, held: Places) -> Places:
        """The charts that are not in a fold."""
        return np.setdiff1d(np.arange(len(self.made)), held)

    def sets(self, over: Places) -> list[Combination]:
        """The codes of charts, each chart's in order."""
        return [tuple(self.made[at].codes.tolist()) for at in over.tolist()]


@dataclass(frozen=True, eq=False)
class Voice:
    """A linear model, and those that learnt without each fold, with what they say of it."""

    whole: Linear
    of_fold: Sequence[Linear]
    across: Floats
    """(charts, codes) log-odds, out of fold."""


def learn_voice(
    kind: type[Linear], charts: Charts, config: LinearConfiguration, seed: int
) -> Voice:
    """Learn a linear model from all charts, and from all but each fold."""
    texts = [one.text for one in charts.made]
    codes = [one.codes for one in charts.made]
    size = charts.gold.shape[1]
    vocabulary = kind.vocabulary_type.of(texts, longest=config.longest_gram, least=config.least)
    table = vocabulary.matrix(texts)
    across = np.zeros(charts.gold.shape, np.float32)
    of_fold: list[Linear] = []
    for held in charts.folds:
        inside = charts.inside(held)
        some = [codes[at] for at in inside.tolist()]
        of_fold.append(kind.learn(vocabulary, table[inside], some, size, config, seed))
        across[held] = log_odds(of_fold[-1], table[held])
    return Voice(kind.learn(vocabulary, table, codes, size, config, seed), of_fold, across)


def log_odds(model: Linear, table: object) -> Floats:
    """What a model says of the rows of a table, within limits."""
    found: Floats = np.clip(model.logits(table), -_CLIP, _CLIP).astype(np.float32)
    return found


def make_rows(
    charts: Charts, named: Sequence[Sequence[tuple[str, str, str]]], voices: Sequence[Voice],
    links: Links,
) -> list[Rows]:  # fmt: skip
    """The rows of every chart, from tallies of the charts of other folds."""
    found: dict[int, Rows] = {}
    for held in charts.folds:
        inside = charts.inside(held)
        some = [named[at] for at in inside.tolist()]
        maker = RowMaker(links, Tallies.count(some, charts.gold[inside], links))
        for at in held.tolist():
            found[at] = maker.make(named[at], [voice.across[at] for voice in voices])
    return [found[at] for at in range(len(charts.made))]


def grow(charts: Charts, rows: Sequence[Rows], over: Places, seed: int) -> Forest:
    """The forest that learnt from some of the charts."""
    table = np.concatenate([rows[at].numbers for at in over.tolist()])
    gold = np.concatenate([charts.gold[at, rows[at].codes] for at in over.tolist()])
    return Forest.grow(table, gold, _GROWTH, seed)


@dataclass(frozen=True, eq=False)
class Believed:
    """What is believed of the codes of every chart, out of fold, and the sets seen elsewhere."""

    chance: Mapping[int, npt.NDArray[np.float64]]
    sets: Mapping[int, Sets]


def believe(charts: Charts, rows: Sequence[Rows], seed: int) -> Believed:
    """Let forests that learnt without a fold judge it; then fit how sets are weighed."""
    chance: dict[int, npt.NDArray[np.float64]] = {}
    seen: dict[int, Sets] = {}
    for held in charts.folds:
        inside = charts.inside(held)
        forest = grow(charts, rows, inside, seed)
        counted = Sets.count(charts.sets(inside))
        for at in held.tolist():
            chance[at] = forest.apply(rows[at].numbers).astype(np.float64)
            seen[at] = counted
    cases = []
    for at, right in enumerate(charts.sets(np.arange(len(charts.made)))):
        possible = list(subsets(rows[at].codes, chance[at]))
        if right in possible:
            table = seen[at].table(possible, rows[at].codes, chance[at])
            cases.append((table, possible.index(right)))
    weights = fit_weights(cases)
    return Believed(chance, {at: Sets(one.counts, one.pairs, weights) for at, one in seen.items()})
