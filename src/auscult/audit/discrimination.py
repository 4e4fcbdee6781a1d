"""Discrimination: AUROC and AUPRC of a code, on one corpus and on others.

The paper reports AUROC and AUPRC of five runs (Table 1), and how far AUROC falls on the notes of
another hospital (Table 3).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

from auscult.audit.predictor import require_code
from auscult.core import Code, Metric, OptionError
from auscult.core.plurals import counted
from auscult.core.progress import track
from auscult.core.results import MetricRow, Result
from auscult.corpus.annotators import choose_annotator
from auscult.corpus.corpus import Corpus
from auscult.corpus.readers import only_read
from auscult.models.categories import uncategorized
from auscult.models.model import Model
from auscult.models.training import mean_and_deviation
from auscult.statistics import bootstrap
from auscult.statistics.bootstrap import Floats

_MEASURES = {
    "auroc": (
        roc_auc_score,
        "probability that a chart with the code scores higher than one without it",
    ),
    "auprc": (
        average_precision_score,
        "mean over the charts with the code of the precision at their rank",
    ),
}


@dataclass(frozen=True, slots=True, repr=False)
class Discrimination(Result):
    """AUROC and AUPRC of a code on one corpus."""

    charts: int
    positive: int
    auroc: Metric
    auprc: Metric

    def metric_rows(self) -> Iterator[MetricRow]:
        """AUROC and AUPRC."""
        yield {}, self.auroc
        yield {}, self.auprc

    def headline(self) -> str:
        """How many charts, and how many have the code."""
        return f"{counted(self.charts, 'chart')}, {self.positive:,} with the code"

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "charts": self.charts,
            "positive": self.positive,
            "auroc": self.auroc.to_dict(),
            "auprc": self.auprc.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class RepeatedRuns:
    """A metric of several runs of one model."""

    name: str
    values: tuple[float, ...]
    mean: float
    deviation: float | None
    seeds: tuple[int, ...] = ()
    """Those the models were trained with, in the order of the values, where they are known."""

    def __str__(self) -> str:
        if self.deviation is None:
            return f"{self.name} {self.mean:.4f}"
        seeds = f", seeds {', '.join(map(str, self.seeds))}" if self.seeds else ""
        runs = f"{len(self.values)} runs{seeds}"
        return f"{self.name} {self.mean:.4f} ± {self.deviation:.4f} ({runs})"

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "mean": self.mean,
            "sd": self.deviation,
            "runs": list(self.values),
            "seeds": list(self.seeds),
        }


def discrimination(
    model: Model,
    corpus: Corpus,
    code: Code,
    *,
    annotator: str | None = None,
    times: int = 1000,
    seed: int = 0,
) -> Discrimination:
    """Score a code on the charts that an annotator has read; AUROC and AUPRC against the gold."""
    require_code(model, code)
    chosen = choose_annotator(corpus, annotator)
    if chosen is not None:
        corpus = only_read(corpus, chosen).select(annotators=[chosen])
    gold: list[bool] = []
    without = 0

    def asked() -> Any:
        nonlocal without
        for chart in track(corpus.charts(), "scoring"):
            if chart.notes:
                without += uncategorized(chart.notes)
                gold.append(any(one.code == code for one in chart.annotations))
                yield chart.notes, [code]

    scores = np.array([score for [score] in model.scores(asked())])
    if not gold:
        raise OptionError("There are no charts with notes to score. Check the split.")
    model.reads.warn(without)
    has = np.array(gold)
    made = [_metric(name, has, scores, times, seed) for name in _MEASURES]
    return Discrimination(len(has), int(has.sum()), *made)


def of_runs(
    found: Sequence[Discrimination], name: str, seeds: Sequence[int] = ()
) -> RepeatedRuns | None:
    """Mean and standard deviation over runs; None when one of them has no value."""
    values = [getattr(one, name).value for one in found]
    if any(value is None for value in values):
        return None
    return RepeatedRuns(name, tuple(values), *mean_and_deviation(values), tuple(seeds))


def _metric(name: str, has: Any, scores: Floats, times: int, seed: int) -> Metric:
    function, definition = _MEASURES[name]
    if has.all() or not has.any():
        which = "all" if has.all() else "none"
        why = f"{which} of the {len(has):,} charts have the code"
        return Metric(name, definition, undefined=why, n=len(has))

    def statistic(weights: Floats) -> Floats:
        found = np.full((len(weights), 1), np.nan)
        for row, weight in enumerate(weights):
            drawn = weight > 0
            if 0 < has[drawn].sum() < drawn.sum():
                found[row] = function(has[drawn], scores[drawn], sample_weight=weight[drawn])
        return found

    edges = bootstrap.intervals(statistic, len(has), times=times, seed=seed)[0]
    interval = None if np.isnan(edges).any() else (float(edges[0]), float(edges[1]))
    return Metric(name, definition, float(function(has, scores)), interval, len(has))
