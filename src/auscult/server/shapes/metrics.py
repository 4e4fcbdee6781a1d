"""A metric as it goes out."""

from __future__ import annotations

from pydantic import Field

from auscult.core import Metric
from auscult.server.shapes.common import Out


class MetricOut(Out):
    """A number with its interval, or the reason why there is none."""

    value: float | None
    interval: tuple[float, float] | None
    undefined: str | None = Field(description="Why there is no value; null when there is one.")
    n: int | None = Field(description="Over how many it was taken.")


def metric_out(one: Metric) -> MetricOut:
    """A metric without its definition, which is sent once for all of them."""
    return MetricOut(value=one.value, interval=one.interval, undefined=one.undefined, n=one.n)
