"""True positives, false positives and false negatives by chart, and their ratios."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from auscult.core import Metric
from auscult.core.counts import Counts
from auscult.core.metric_definition import MetricDefinition
from auscult.core.results import MetricRow, Result
from auscult.statistics import bootstrap
from auscult.statistics.bootstrap import Floats, Statistic

RATIOS = ("precision", "recall", "f1")
DEFINITIONS = {
    "precision": "TP / (TP + FP)",
    "recall": "TP / (TP + FN)",
    "f1": "2TP / (2TP + FP + FN)",
}
UNDEFINED = {
    "precision": "nothing was predicted",
    "recall": "gold has nothing to find",
    "f1": "gold and predictions are both empty",
}


@dataclass(frozen=True, slots=True, repr=False)
class MatchMetrics(Result):
    """Precision, recall and micro-F1 of one way of counting.

    `per_chart` has a row (TP, FP, FN) for every chart; `counts` is their sum. Where the way of
    counting cannot be applied, all of it is undefined and there are no counts.
    """

    name: str
    definition: str
    counts: Counts | None
    precision: Metric
    recall: Metric
    f1: Metric
    per_chart: NDArray[np.int64] = field(repr=False, compare=False)

    def metric_rows(self, **labels: str | None) -> Iterator[MetricRow]:
        """Precision, recall and F1 under these names, with labels if there are any."""
        for ratio in RATIOS:
            metric: Metric = getattr(self, ratio)
            definition = f"{metric.definition}; {self.definition}"
            yield labels, replace(metric, name=ratio, definition=definition)

    def headline(self) -> str:
        """The definition and the counts."""
        counted = "" if self.counts is None else f", {self.counts}"
        return f"{self.name}{counted}"

    def to_dict(self) -> dict[str, object]:
        """For JSON: the counts and the ratios as numbers, and the interval of each ratio."""
        counts = self.counts
        ratios = {ratio: getattr(self, ratio) for ratio in RATIOS}
        written: dict[str, object] = {
            "tp": None if counts is None else counts.tp,
            "fp": None if counts is None else counts.fp,
            "fn": None if counts is None else counts.fn,
            **{ratio: metric.value for ratio, metric in ratios.items()},
            "interval": {ratio: metric.interval for ratio, metric in ratios.items()},
            "definition": self.definition,
        }
        why = {ratio: m.undefined for ratio, m in ratios.items() if m.undefined is not None}
        return {**written, "undefined": why} if why else written


def ratios(sums: Floats) -> Floats:
    """Precision, recall and F1 of sums (…, 3) of TP, FP, FN, in their place; NaN for 0 / 0."""
    tp, fp, fn = np.moveaxis(sums, -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.stack([tp / (tp + fp), tp / (tp + fn), 2 * tp / (2 * tp + fp + fn)], axis=-1)


def ratio_statistic(per_chart: Mapping[str, NDArray[np.int64]]) -> Statistic:
    """Precision, recall and F1 of every name, one after the other."""
    if not per_chart:
        return lambda weights: np.empty((len(weights), 0))
    table = np.concatenate([np.asarray(c, dtype=np.float64) for c in per_chart.values()], axis=1)

    def statistic(weights: Floats) -> Floats:
        sums = (weights @ table).reshape(len(weights), len(per_chart), 3)
        return ratios(sums).reshape(len(weights), -1)

    return statistic


def ratio_definitions(name: str) -> tuple[MetricDefinition, ...]:
    """Precision, recall and F1 of one way of counting, in the order of `ratio_statistic`."""
    return tuple(
        MetricDefinition(f"{name}_{ratio}", DEFINITIONS[ratio], undefined=UNDEFINED[ratio])
        for ratio in RATIOS
    )


def match_metrics(
    name: str, definition: str, per_chart: NDArray[np.int64], metrics: Sequence[Metric]
) -> MatchMetrics:
    """One way of counting, whose precision, recall and F1 are already computed."""
    total = Counts(*(int(count) for count in per_chart.sum(axis=0)))
    precision, recall, f1 = metrics
    return MatchMetrics(name, definition, total, precision, recall, f1, per_chart)


def metric_counts(
    per_chart: Mapping[str, NDArray[np.int64]],
    definitions: Mapping[str, str],
    *,
    times: int,
    seed: int,
) -> dict[str, MatchMetrics]:
    """The metrics of every name, with intervals from the same resamples of the charts."""
    if not per_chart:
        return {}
    charts = len(next(iter(per_chart.values())))
    statistic = ratio_statistic(per_chart)
    values = bootstrap.point(statistic, charts)
    edges = bootstrap.intervals(statistic, charts, times=times, seed=seed)
    found = {}
    for at, (name, counts) in enumerate(per_chart.items()):
        metrics = [
            one.metric(float(values[column]), (float(edges[column][0]), float(edges[column][1])),
                       charts)
            for column, one in enumerate(ratio_definitions(name), 3 * at)
        ]  # fmt: skip
        found[name] = match_metrics(name, definitions[name], counts, metrics)
    return found


def undefined(name: str, definition: str, why: str) -> MatchMetrics:
    """A way of counting that cannot be applied, with the reason."""
    precision, recall, f1 = (
        Metric(f"{name}_{ratio}", DEFINITIONS[ratio], undefined=why) for ratio in RATIOS
    )
    none = np.empty((0, 3), dtype=np.int64)
    return MatchMetrics(name, definition, None, precision, recall, f1, none)
