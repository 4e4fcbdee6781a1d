"""What every ranking has: rows of systems in their order, and people placed among them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from auscult.core import Metric, OptionError
from auscult.core.results import MetricRow


@dataclass(frozen=True, slots=True)
class RankedRow:
    """One system, or a person, who is placed among the systems without a rank."""

    name: str
    rank: int | None
    ranks: tuple[int, int] | None
    """The 95% interval of the rank over resamples."""
    metrics: Mapping[str, Metric] = field(repr=False)

    @property
    def is_human(self) -> bool:
        """Whether it is a person."""
        return self.rank is None

    def placed(self) -> dict[str, object]:
        """For JSON: place and metrics, to which each ranking adds its own."""
        return {
            "name": self.name,
            "human": self.is_human,
            "rank": self.rank,
            "rank_interval": self.ranks,
            **{name: metric.value for name, metric in self.metrics.items()},
            "intervals": {n: m.interval for n, m in self.metrics.items() if m.interval},
            "undefined": {n: m.undefined for n, m in self.metrics.items() if m.undefined},
        }


def ranked_metric_rows(rows: Sequence[RankedRow]) -> Iterator[MetricRow]:
    """Every metric of every system, in the order of the ranking; a person has no rank."""
    for row in rows:
        for metric in row.metrics.values():
            yield {"rank": row.rank, "system": row.name}, metric


def definitions(rows: Sequence[RankedRow]) -> dict[str, str]:
    """What the metrics of a ranking are."""
    measured = rows[0].metrics.values() if rows else ()
    return {metric.name: metric.definition for metric in measured}


def require_names_apart(systems: Collection[str], people: Collection[str]) -> None:
    """An error where a system is called like a person."""
    if both := set(systems) & set(people):
        raise OptionError(f"A system and a person are both called {min(both)}; rename the system.")
