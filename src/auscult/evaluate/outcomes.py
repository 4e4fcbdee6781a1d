"""Gold, prediction and rank of each pair of chart and code."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from auscult.core import Code, Status
from auscult.core.option_names import option
from auscult.corpus import Corpus
from auscult.evaluate.sides import Sides

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Outcomes:
    """One row for each chart and code that gold has, that was predicted, or that was ranked.

    `chart` and `code` are places in `chart_ids` and `codes`. `codes` is the whole label space:
    those on either side, and those a training corpus has. `score` is NaN where there is none.
    """

    chart_ids: tuple[str, ...] = field(repr=False)
    codes: tuple[Code, ...] = field(repr=False)
    chart: Ints = field(repr=False)
    code: Ints = field(repr=False)
    gold: Bools = field(repr=False)
    predicted: Bools = field(repr=False)
    score: NDArray[np.float64] = field(repr=False)
    no_ranking: str | None = None
    """Why metrics that need a ranking are undefined."""
    no_areas: str | None = None
    """Why the areas under the curve, which need the full ranking, are undefined."""
    models: int = 1
    """Number of models; the charts of each follow those of the one before."""

    @property
    def charts(self) -> int:
        """How many charts there are."""
        return len(self.chart_ids)

    def by_chart(self, which: Bools) -> Ints:
        """How many of the chosen rows each chart has."""
        return np.bincount(self.chart[which], minlength=self.charts)

    def counts_by_chart(self, among: Bools | None = None) -> Ints:
        """TP, FP and FN of every chart, all codes or those chosen by place."""
        chosen = np.ones(len(self.code), dtype=bool) if among is None else among[self.code]
        return np.stack(
            [
                self.by_chart(chosen & self.gold & self.predicted),
                self.by_chart(chosen & ~self.gold & self.predicted),
                self.by_chart(chosen & self.gold & ~self.predicted),
            ],
            axis=1,
        )


def outcomes(sides: Sides, label_space: Collection[Code] = ()) -> Outcomes:
    """The codes of every chart as sets; a duplicate counts once, with its highest score.

    Whether a code is on the chart or on one of its notes makes no difference. A code of status
    ranked is in the ranking and not predicted; one that was only asked for is neither.
    """
    scored_rows = pl.concat(
        [
            sides.gold.lazy_annotations.select(
                "chart_id", "system", "code", score=pl.lit(None, pl.Float64), kind=pl.lit("gold")
            ),
            sides.predicted.lazy_all_annotations.filter(pl.col("status") != Status.ASKED).select(
                "chart_id",
                "system",
                "code",
                "score",
                kind=pl.when(pl.col("status") == Status.RANKED)
                .then(pl.lit("ranked"))
                .otherwise(pl.lit("predicted")),
            ),
        ]
    )
    kind = pl.col("kind")
    table = (
        scored_rows.group_by("chart_id", "system", "code")
        .agg(
            gold=(kind == "gold").any(),
            predicted=(kind == "predicted").any(),
            ranked=(kind == "ranked").any(),
            score=pl.col("score").max(),
        )
        .sort("system", "code", "chart_id")
        .collect()
    )
    every = {Code(*pair) for pair in table.select("system", "code").unique().iter_rows()}
    codes = tuple(sorted(every.union(label_space)))
    numbers = pl.DataFrame(
        {
            "system": [code.system for code in codes],
            "code": [code.value for code in codes],
            "at": np.arange(len(codes), dtype=np.int64),
        },
        schema={"system": pl.String, "code": pl.String, "at": pl.Int64},
    )
    places = pl.DataFrame(
        {"chart_id": sides.chart_ids, "chart": np.arange(len(sides.chart_ids), dtype=np.int64)},
        schema={"chart_id": pl.String, "chart": pl.Int64},
    )
    placed = table.join(numbers, on=["system", "code"], maintain_order="left").join(
        places, on="chart_id", maintain_order="left"
    )
    return Outcomes(
        sides.chart_ids,
        codes,
        placed["chart"].to_numpy(),
        placed["at"].to_numpy(),
        placed["gold"].to_numpy(),
        placed["predicted"].to_numpy(),
        placed["score"].fill_null(np.nan).to_numpy(),
        _why_no_ranking(placed),
        _why_no_areas(placed),
    )


def codes_of(corpus: Corpus) -> dict[Code, int]:
    """The codes of a corpus and on how many charts each is."""
    counted = (
        corpus.lazy_annotations.group_by("system", "code")
        .agg(pl.col("chart_id").n_unique())
        .collect()
    )
    return {Code(system, value): count for system, value, count in counted.iter_rows()}


def joined(first: Outcomes, second: Outcomes) -> Outcomes:
    """Two models on the same charts, the second's after the first's, in one label space."""
    codes = tuple(sorted({*first.codes, *second.codes}))
    place = {code: at for at, code in enumerate(codes)}

    def recoded(one: Outcomes) -> Ints:
        new = np.array([place[code] for code in one.codes], dtype=np.int64)
        return new[one.code] if len(new) else one.code

    code = np.concatenate([recoded(first), recoded(second)])
    chart = np.concatenate([first.chart, second.chart + first.charts])
    order = np.lexsort((chart, code))

    def both(name: str) -> NDArray[np.generic]:
        glued: NDArray[np.generic] = np.concatenate([getattr(first, name), getattr(second, name)])
        return glued[order]

    return Outcomes(
        first.chart_ids + second.chart_ids,
        codes,
        chart[order],
        code[order],
        both("gold").astype(np.bool_),
        both("predicted").astype(np.bool_),
        both("score").astype(np.float64),
        first.no_ranking or second.no_ranking,
        first.no_areas or second.no_areas,
        first.models + second.models,
    )


def _why_no_ranking(table: pl.DataFrame) -> str | None:
    scored_rows = table.filter(pl.col("predicted") | pl.col("ranked"))
    without = scored_rows["score"].is_null() | scored_rows["score"].is_nan()
    if not len(scored_rows):
        return "nothing was predicted"
    if without.any():
        return f"{without.sum():,} of {len(scored_rows):,} predicted codes have no score"
    if not scored_rows["ranked"].any():
        return (
            "the predictions have no codes below the threshold, which a ranking needs: "
            + option("predict --ranked 200", "Model.predict(ranked=200)")
        )
    return None


def _why_no_areas(table: pl.DataFrame) -> str | None:
    """Why there is no area: in a truncated ranking, it would depend on where it was cut."""
    scored = table.filter(pl.col("score").is_not_null() & pl.col("score").is_not_nan())
    charts, codes = scored["chart_id"].n_unique(), scored["at"].n_unique()
    if len(scored) == charts * codes:
        return None
    return (
        f"only {len(scored) / (charts * codes):.0%} of the pairs of chart and code are "
        "ranked, and the area under a curve needs all: "
        + option("predict --ranked all", "Model.predict(ranked=len(model.labels))")
    )
