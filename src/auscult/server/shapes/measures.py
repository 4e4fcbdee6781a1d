"""A measure as it goes out."""

from __future__ import annotations

from pydantic import Field

from auscult.core import Measure
from auscult.server.shapes.common import Out


class MeasureOut(Out):
    """A number with its interval, or the reason why there is none."""

    value: float | None
    interval: tuple[float, float] | None
    undefined: str | None = Field(description="Why there is no value; null when there is one.")
    n: int | None = Field(description="Over how many it was taken.")


def measure_out(one: Measure) -> MeasureOut:
    """What is told of a measure; its definition goes out once, beside all of them."""
    return MeasureOut(value=one.value, interval=one.interval, undefined=one.undefined, n=one.n)
