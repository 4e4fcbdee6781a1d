"""Two systems on the same charts: every metric of both, and whether they differ."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from auscult.core import Annotation
from auscult.core.results import NAME, as_pandas, broken
from auscult.corpus import Corpus
from auscult.corpus.split import part_of
from auscult.evaluate import compare_codes, compare_evidence
from auscult.experiment.assessing import Assessment, assess, assess_predictions
from auscult.models.model import Model
from auscult.statistics.significance import Comparison

if TYPE_CHECKING:
    import polars as pl

Predicted = Model | Corpus | Iterable[Annotation]
"""A model to run, or the predictions that a system made."""
_LINES = 20
_COLUMNS = ("first", "second", "difference", "low", "high", "p_value")


@dataclass(frozen=True, slots=True, repr=False)
class SystemComparison:
    """Two systems evaluated on the same charts, and the paired test of every metric."""

    first: Assessment
    second: Assessment
    codes: tuple[Comparison, ...]
    evidence: tuple[Comparison, ...] = field(default=())

    def to_polars(self) -> pl.DataFrame:
        """One row per metric; null where a value, an interval or a test is undefined."""
        import polars as pl

        rows = []
        for about, compared in (("codes", self.codes), ("evidence", self.evidence)):
            for one in compared:
                low, high = one.difference.interval or (None, None)
                values = (one.first, one.second, one.difference.value, low, high, one.p_value.value)
                rows.append((about, one.name, *values))
        schema = {"about": pl.String, "metric": pl.String, **dict.fromkeys(_COLUMNS, pl.Float64)}
        return pl.DataFrame(rows, schema, orient="row")

    def to_pandas(self) -> Any:
        """The same table as a pandas data frame (extra `pandas`)."""
        return as_pandas(self.to_polars())

    def __repr__(self) -> str:
        charts = len(self.first.codes.outcomes.chart_ids)
        tested = [
            one
            for one in (*self.codes, *self.evidence)
            if None not in (one.first, one.second, one.difference.value, one.p_value.value)
        ]
        lines, shown = [f"SystemComparison on {charts:,} charts: first, second, difference, p"], 0
        for one in tested:
            name, *rest = broken(one.name, NAME).split("\n")
            if len(lines) + len(rest) > _LINES:
                break
            lines.append(
                f"  {name:<{NAME}} {one.first:6.3f} {one.second:6.3f} "
                f"{one.difference.value:+7.3f}  p = {one.p_value.value:.3f}"
            )
            lines += [f"    {line}" for line in rest]
            shown += 1
        left = len(self.codes) + len(self.evidence) - shown
        return "\n".join([*lines, *([f"{left:,} more rows: .to_polars()"] if left else [])])

    def _repr_html_(self) -> str:
        html: str = self.to_polars()._repr_html_()
        return html


def compare(
    gold: Corpus,
    first: Predicted,
    second: Predicted,
    *,
    annotator: str | None = None,
    split: str | None = None,
    bootstrap: int = 1000,
    seed: int = 0,
) -> SystemComparison:
    """Compare two models, or two systems' predictions, on the charts of `gold`.

    The difference of each metric is the first system's value minus the second's, with an interval
    from paired bootstrap resamples of the charts and the p-value of an approximate randomization
    test. A model is run on the notes of `gold`.
    """
    part = gold if split is None else part_of(gold, split)
    both = [
        _assessed(part, one, annotator=annotator, times=bootstrap, seed=seed)
        for one in (first, second)
    ]
    codes = compare_codes(both[0].codes, both[1].codes, times=bootstrap, seed=seed)
    evidence = compare_evidence(both[0].evidence, both[1].evidence, times=bootstrap, seed=seed)
    return SystemComparison(both[0], both[1], tuple(codes), tuple(evidence))


def as_predicted(gold: Corpus, predicted: Corpus | Iterable[Annotation]) -> Corpus:
    """Predictions as a corpus on the notes of `gold`."""
    if isinstance(predicted, Corpus):
        return predicted
    return gold.select(annotators=[]).with_annotations(predicted)


def run_entities(gold: Corpus, predicted: Predicted) -> Corpus:
    """Entity mentions as a corpus; a model is run on the notes of `gold`."""
    if isinstance(predicted, Model):
        return as_predicted(gold, predicted.predict(gold))
    return as_predicted(gold, predicted)


def _assessed(gold: Corpus, predicted: Predicted, **options: Any) -> Assessment:
    if isinstance(predicted, Model):
        return assess(predicted, gold, **options)
    return assess_predictions(gold, as_predicted(gold, predicted), **options)
