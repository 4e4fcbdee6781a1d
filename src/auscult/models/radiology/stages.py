"""Training of the radiology model in stages, each on out-of-fold predictions.

So no stage relies on predictions that were overfitted to the training charts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt
from scipy.special import logit

from auscult.core.progress import track
from auscult.models import scorer_class
from auscult.models.architecture import TrainingData
from auscult.models.chart_scoring import ChartConfiguration, ChartScorer
from auscult.models.chart_text import ChartText
from auscult.models.examples import Example
from auscult.models.folds import fold
from auscult.models.forest import Forest, Growth
from auscult.models.kept_fits import KeptFits
from auscult.models.linear.scorer import Linear, LinearConfiguration
from auscult.models.radiology.code_sets import CodeSetPrior, Combination, fit_weights, subsets
from auscult.models.radiology.rows import (
    ConceptCodeLinks,
    Floats,
    Places,
    RadiologyCounts,
    RadiologyRowMaker,
    RadiologyRows,
)

ENCODER = "transformer"
"""The model that is fine-tuned next to the linear ones, if an encoder is set."""
_GROWTH = Growth(trees=100, leaf=3, tried=0.7)
_CLIP = 10.0
"""Log-odds are clipped to this."""


@dataclass(frozen=True, eq=False)
class FoldedCharts:
    """Training charts with their gold codes and folds."""

    made: Sequence[Example]
    gold: npt.NDArray[np.bool_]
    """(charts, codes)"""
    folds: Sequence[Places]

    @classmethod
    def of(cls, made: Sequence[Example], codes: int, folds: int, seed: int) -> FoldedCharts:
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


AnyScorer = TypeVar("AnyScorer", bound=ChartScorer)


@dataclass(frozen=True, eq=False)
class FoldedScorer(Generic[AnyScorer]):
    """A scorer trained on all charts, one scorer trained without each fold, and their log-odds."""

    whole: AnyScorer
    of_fold: Sequence[AnyScorer]
    """Empty where only their log-odds are needed."""
    across: Floats
    """(charts, codes) log-odds, out of fold."""


def fit_folded_linear(
    kind: type[Linear], charts: FoldedCharts, config: LinearConfiguration, seed: int
) -> FoldedScorer[Linear]:
    """Train a linear model on all charts, and one without each fold."""
    texts = [one.text for one in charts.made]
    codes = [one.codes for one in charts.made]
    size = charts.gold.shape[1]
    vocabulary = kind.vocabulary_type.of(texts, longest=config.max_ngram, least=config.min_df)
    table = vocabulary.matrix(texts)
    across = np.zeros(charts.gold.shape, np.float32)
    of_fold: list[Linear] = []
    for held in charts.folds:
        inside = charts.inside(held)
        some = [codes[at] for at in inside.tolist()]
        of_fold.append(kind.fit_table(vocabulary, table[inside], some, size, config, seed))
        across[held] = log_odds(of_fold[-1], table[held])
    return FoldedScorer(
        kind.fit_table(vocabulary, table, codes, size, config, seed), of_fold, across
    )


def log_odds(model: Linear, table: object) -> Floats:
    """The log-odds of a model for the rows of a table, clipped."""
    return _clipped(model.logits(table))


def fit_folded_encoder(
    data: TrainingData,
    charts: FoldedCharts,
    config: ChartConfiguration,
    seed: int,
    kept: KeptFits,
) -> FoldedScorer[ChartScorer]:
    """Fine-tune a transformer on all charts, and one without each fold.

    Each is kept on disk until the training is done, and in memory only while it scores its fold.
    """
    kind = scorer_class(ENCODER)
    across = np.zeros(charts.gold.shape, np.float32)
    for number, held in enumerate(track(charts.folds, "fine-tuning", len(charts.folds)), 1):
        inside = [charts.made[at] for at in charts.inside(held).tolist()]
        own = kept.within(f"{ENCODER}-fold-{number}")
        some = TrainingData(inside, [], data.labels)
        texts = [charts.made[at].text for at in held.tolist()]
        across[held] = read_log_odds(own.fit(kind, some, config, seed=seed), texts)
    every = TrainingData(charts.made, [], data.labels)
    return FoldedScorer(kept.within(ENCODER).fit(kind, every, config, seed=seed), (), across)


def read_log_odds(scorer: ChartScorer, texts: Iterable[ChartText]) -> Floats:
    """The log-odds of a scorer for charts, clipped."""
    nothing = np.zeros(0, np.int64)
    scores = [reading.scores for reading in scorer.read(texts, lambda _text, _scores: nothing)]
    with np.errstate(divide="ignore"):
        return _clipped(logit(np.stack(scores)))


def _clipped(values: npt.NDArray[np.floating[Any]]) -> Floats:
    found: Floats = np.clip(values, -_CLIP, _CLIP).astype(np.float32)
    return found


def make_rows(
    charts: FoldedCharts, named: Sequence[Sequence[tuple[str, str, str]]],
    models: Sequence[FoldedScorer[Any]],
    links: ConceptCodeLinks,
) -> list[RadiologyRows]:  # fmt: skip
    """The rows of every chart, from tallies of the charts of other folds."""
    found: dict[int, RadiologyRows] = {}
    for held in charts.folds:
        inside = charts.inside(held)
        some = [named[at] for at in inside.tolist()]
        maker = RadiologyRowMaker(links, RadiologyCounts.count(some, charts.gold[inside], links))
        for at in held.tolist():
            found[at] = maker.make(named[at], [model.across[at] for model in models])
    return [found[at] for at in range(len(charts.made))]


def train_forest(
    charts: FoldedCharts, rows: Sequence[RadiologyRows], over: Places, seed: int
) -> Forest:
    """The forest trained on some of the charts."""
    table = np.concatenate([rows[at].numbers for at in over.tolist()])
    gold = np.concatenate([charts.gold[at, rows[at].codes] for at in over.tolist()])
    return Forest.grow(table, gold, _GROWTH, seed)


@dataclass(frozen=True, eq=False)
class OutOfFoldScores:
    """Out-of-fold probabilities of the codes of every chart, and the code sets of other folds."""

    chance: Mapping[int, npt.NDArray[np.float64]]
    sets: Mapping[int, CodeSetPrior]


def out_of_fold_scores(
    charts: FoldedCharts, rows: Sequence[RadiologyRows], seed: int
) -> OutOfFoldScores:
    """Score each fold with a forest trained without it; then fit the weights of code sets."""
    chance: dict[int, npt.NDArray[np.float64]] = {}
    seen: dict[int, CodeSetPrior] = {}
    for held in charts.folds:
        inside = charts.inside(held)
        forest = train_forest(charts, rows, inside, seed)
        counted = CodeSetPrior.count(charts.sets(inside))
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
    return OutOfFoldScores(
        chance, {at: CodeSetPrior(one.counts, one.pairs, weights) for at, one in seen.items()}
    )
