"""How well a coder tells the charts with a code from those without, here and elsewhere.

The paper reports AUROC and AUPRC of five runs (Table 1), and how far AUROC falls on the notes of
another hospital (Table 3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

from auscult.audit.predictor import require_code
from auscult.coders.categories import uncategorized
from auscult.coders.coder import Coder
from auscult.coders.runs import mean_and_deviation
from auscult.core import Code, Measure, OptionError
from auscult.core.progress import track
from auscult.corpus.annotators import choose_annotator
from auscult.corpus.corpus import Corpus
from auscult.corpus.readers import only_read
from auscult.statistics import bootstrap
from auscult.statistics.bootstrap import Floats

_MEASURES = {
    "auroc": (roc_auc_score, "chance that a chart with the code scores above one without it"),
    "auprc": (average_precision_score, "mean over charts with the code of the precision there"),
}


@dataclass(frozen=True, slots=True)
class Discrimination:
    """The two areas on one corpus."""

    charts: int
    positive: int
    auroc: Measure
    auprc: Measure

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "charts": self.charts,
            "positive": self.positive,
            "auroc": self.auroc.to_dict(),
            "auprc": self.auprc.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class Runs:
    """A measure of several runs of one coder."""

    name: str
    values: tuple[float, ...]
    mean: float
    deviation: float | None

    def __str__(self) -> str:
        if self.deviation is None:
            return f"{self.name} {self.mean:.4f}"
        return f"{self.name} {self.mean:.4f} ± {self.deviation:.4f} ({len(self.values)} runs)"

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"mean": self.mean, "sd": self.deviation, "runs": list(self.values)}


def discrimination(
    coder: Coder,
    corpus: Corpus,
    code: Code,
    *,
    annotator: str | None = None,
    times: int = 1000,
    seed: int = 0,
) -> Discrimination:
    """Score the charts that an annotator has read for a code, and compare with who has it."""
    require_code(coder, code)
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

    scores = np.array([score for [score] in coder.scores(asked())])
    if not gold:
        raise OptionError("There are no charts with notes to score. Check the split.")
    coder.reads.warn(without)
    has = np.array(gold)
    made = [_measure(name, has, scores, times, seed) for name in _MEASURES]
    return Discrimination(len(has), int(has.sum()), *made)


def of_runs(found: Sequence[Discrimination], name: str) -> Runs | None:
    """Mean and deviation over runs; None when one of them has no value."""
    values = [getattr(one, name).value for one in found]
    if any(value is None for value in values):
        return None
    return Runs(name, tuple(values), *mean_and_deviation(values))


def _measure(name: str, has: Any, scores: Floats, times: int, seed: int) -> Measure:
    function, definition = _MEASURES[name]
    if has.all() or not has.any():
        which = "all" if has.all() else "none"
        why = f"{which} of the {len(has):,} charts have the code"
        return Measure(name, definition, undefined=why, n=len(has))

    def statistic(weights: Floats) -> Floats:
        found = np.full((len(weights), 1), np.nan)
        for row, weight in enumerate(weights):
            drawn = weight > 0
            if 0 < has[drawn].sum() < drawn.sum():
                found[row] = function(has[drawn], scores[drawn], sample_weight=weight[drawn])
        return found

    edges = bootstrap.intervals(statistic, len(has), times=times, seed=seed)[0]
    interval = None if np.isnan(edges).any() else (float(edges[0]), float(edges[1]))
    return Measure(name, definition, float(function(has, scores)), interval, len(has))
