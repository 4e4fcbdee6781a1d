"""The contract of a metric module: metrics that one computation gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from auscult.core.metric_definition import MetricDefinition
from auscult.evaluate.outcomes import Outcomes
from auscult.statistics.bootstrap import Statistic


class Need(StrEnum):
    """What predictions must hold for a metric to be defined."""

    CODES = "codes"
    """The predicted codes of every chart."""
    RANKING = "ranking"
    """Scores, and codes below the threshold too."""
    FULL_RANKING = "full ranking"
    """A score for every code on every chart."""

    def lacking(self, outcomes: Outcomes) -> str | None:
        """Why the predictions do not meet the need; None where they do."""
        if self is Need.CODES:
            return None
        if self is Need.RANKING or outcomes.no_ranking is not None:
            return outcomes.no_ranking
        return outcomes.no_areas


@dataclass(frozen=True, slots=True)
class MetricFamily:
    """Metrics that are computed together, in the order of the statistic's columns."""

    metrics: tuple[MetricDefinition, ...]
    statistic: Callable[[Outcomes], Statistic]
    needs: Need = Need.CODES
    is_mean_over_codes: bool = False
    """Then `n` counts codes, and intervals are centered, since resamples lower such means."""
