"""The definition of a metric, written once and used by results, pages, score files and docs."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan

from auscult.core.metric import Metric


@dataclass(frozen=True, slots=True)
class MetricDefinition:
    """A metric before it has a value.

    >>> recall = MetricDefinition("recall", "TP / (TP + FN)", undefined="gold has no codes")
    >>> print(recall.metric(0.5, (0.4, 0.6)))
    recall = 0.500 [0.400, 0.600]
    >>> print(recall.metric(float("nan")))
    recall is undefined: gold has no codes
    """

    name: str
    """Unique; the key in every result and file."""
    definition: str
    label: str = ""
    """A short name for tables and plots, where `name` would be too long."""
    reference: str = ""
    """The publication that defines it, where there is one."""
    undefined: str = "the denominator is 0"
    """The reason reported when the formula gives no value."""

    def metric(
        self,
        value: float,
        interval: tuple[float, float] | None = None,
        n: int | None = None,
    ) -> Metric:
        """The metric with its value, which is undefined where `value` is NaN."""
        if isnan(value):
            return Metric(self.name, self.definition, n=n, undefined=self.undefined)
        edges = None if interval is None or isnan(interval[0]) else interval
        return Metric(self.name, self.definition, value, edges, n)

    def without(self, why: str) -> Metric:
        """The metric where what it needs is not there."""
        return Metric(self.name, self.definition, undefined=why)
