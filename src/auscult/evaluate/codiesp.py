"""Evaluation of evidence by the rule of CodiEsp's sub-task X.

A predicted code of a note is right when one of its ranges contains one of the gold references of
that code there, with at most ten characters to spare at either end. A discontinuous reference is
its whole extent. Note and code count once, however many references they have.

Miranda-Escalada et al. 2020, "Overview of automatic clinical coding: annotations, guidelines, and
solutions for non-English clinical cases at CodiEsp track of CLEF eHealth 2020".
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from auscult.core.metric_definition import MetricDefinition
from auscult.evaluate.sides import Sides

SLACK = 10
CODIESP = MetricDefinition(
    "codiesp",
    f"CodiEsp X: note and code are the same, and a predicted range contains a gold reference with "
    f"at most {SLACK} characters to spare at either end",
    "CodiEsp's rule",
    "Miranda-Escalada et al. 2020, overview of CodiEsp at CLEF eHealth 2020",
)
_PAIR = ["chart_id", "note_id", "system", "code"]
_IN_CHART = ["chart_id", "system", "code"]


def counts_by_chart(sides: Sides) -> NDArray[np.int64]:
    """TP, FP and FN of every chart, over distinct pairs of note and code.

    A predicted code without a span is wrong. A gold code without one, which sub-task X does not
    have, is left out.
    """
    gold = _ranges(sides.gold.lazy_annotations).filter(pl.col("begin").is_not_null())
    predicted = _ranges(sides.predicted.lazy_annotations)
    # A code on the whole chart adds nothing where the same code has evidence.
    placed = predicted.filter(pl.col("begin").is_not_null()).select(_IN_CHART).unique()
    predicted = pl.concat(
        [
            predicted.filter(~pl.col("on_chart")),
            predicted.filter(pl.col("on_chart")).join(placed, on=_IN_CHART, how="anti"),
        ]
    )
    before = pl.col("begin") - pl.col("begin_predicted")
    after = pl.col("end_predicted") - pl.col("end")
    right = (
        gold.join(predicted, on=_PAIR, suffix="_predicted")
        .filter(before.is_between(0, SLACK) & after.is_between(0, SLACK))
        .select(_PAIR)
        .unique()
    )
    found = (
        pl.concat(
            [
                table.select(_PAIR).unique().select("chart_id", side=pl.lit(side))
                for side, table in (("tp", right), ("predicted", predicted), ("held", gold))
            ]
        )
        .group_by("chart_id", "side")
        .len()
        .collect()
    )
    place = {chart_id: at for at, chart_id in enumerate(sides.chart_ids)}
    counts = {name: np.zeros(len(place), dtype=np.int64) for name in ("tp", "predicted", "held")}
    for chart_id, side, number in found.iter_rows():
        counts[side][place[chart_id]] = number
    tp = counts["tp"]
    return np.stack([tp, counts["predicted"] - tp, counts["held"] - tp], axis=1)


def _ranges(annotations: pl.LazyFrame) -> pl.LazyFrame:
    """Each annotation given, of a note or a whole chart, with its extent; null without spans."""
    spans = pl.col("spans").list
    return annotations.with_columns(
        pl.coalesce("note_id", "chart_id").alias("note_id"),
        on_chart=pl.col("note_id").is_null(),
    ).select(
        *_PAIR,
        "on_chart",
        begin=spans.eval(pl.element().struct.field("begin")).list.min(),
        end=spans.eval(pl.element().struct.field("end")).list.max(),
    )
