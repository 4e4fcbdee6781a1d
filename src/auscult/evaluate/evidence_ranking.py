"""Ranking of many systems by the evidence they give, on the same charts.

The ranking is by F1 of matched tokens, end to end: a correct span of a wrong code counts as wrong.
Cheng et al. 2023, "MDACE: MIMIC Documents Annotated with Code Evidence", section 6.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from auscult.core import Metric
from auscult.core.plurals import counted
from auscult.core.results import MetricRow, Result
from auscult.evaluate.evidence import WAYS, EvidenceResult, evidence_metrics
from auscult.evaluate.matching import RATIOS
from auscult.evaluate.ranked import (
    RankedRow,
    definitions,
    ranked_metric_rows,
    require_names_apart,
)
from auscult.evaluate.resampled_ranks import resampled_ranks
from auscult.evaluate.sides import Sides

RANKED_BY = "token"


@dataclass(frozen=True, slots=True)
class RankedEvidence(RankedRow):
    """A system or a person, with the metrics of every way of counting, such as `token_f1`."""

    spans: int
    """How many were predicted."""

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            **self.placed(),
            "spans": self.spans,
        }


@dataclass(frozen=True, slots=True, repr=False)
class EvidenceRanking(Result):
    """The systems and people in the order of token F1."""

    rows: tuple[RankedEvidence, ...]
    charts: int
    gold_spans: int

    def metric_rows(self) -> Iterator[MetricRow]:
        """Every metric of every system, in the order of the ranking; a person has no rank."""
        return ranked_metric_rows(self.rows)

    def headline(self) -> str:
        """How many systems, on how many charts."""
        systems = counted(sum(not row.is_human for row in self.rows), "system")
        return f"{systems}, {counted(self.charts, 'chart')}, {self.gold_spans:,} gold spans"

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "charts": self.charts,
            "gold_spans": self.gold_spans,
            "ranking": [row.to_dict() for row in self.rows],
            "definitions": definitions(self.rows),
        }


def chosen_metrics(found: EvidenceResult) -> dict[str, Metric]:
    """The metrics that a ranking shows, each under the name of its way of counting and ratio."""
    return {
        f"{way.name}_{ratio}": replace(
            metric, name=f"{way.name}_{ratio}", definition=f"{metric.definition}; {way.definition}"
        )
        for way in WAYS
        for ratio in ("f1", *(one for one in RATIOS if one != "f1"))
        for metric in (getattr(found.metrics[way.name], ratio),)
    }


def rank_evidence(
    systems: Mapping[str, Sides],
    humans: Mapping[str, Sides] | None = None,
    *,
    times: int = 1000,
    seed: int = 0,
) -> EvidenceRanking:
    """Rank systems by the token F1 of their evidence, and place people among them.

    All sides have the same gold and the same charts. Systems with the same F1 share a rank.
    """
    people = humans or {}
    require_names_apart(systems, people)
    found = {
        name: evidence_metrics(sides, times=times, seed=seed)
        for name, sides in {**systems, **people}.items()
    }
    tables = {name: found[name].metrics[RANKED_BY].per_chart for name in systems}
    ranks = resampled_ranks(tables, times, seed)
    places = {name: at for at, name in enumerate(systems)}
    rows = [
        RankedEvidence(
            name,
            ranks.now[places[name]] if name in places else None,
            ranks.intervals[places[name]] if name in places else None,
            chosen_metrics(one),
            one.predicted_spans,
        )
        for name, one in found.items()
    ]
    rows.sort(key=lambda row: (-(row.metrics[f"{RANKED_BY}_f1"].value or 0.0), row.name))
    first = next(iter(found.values()), None)
    return EvidenceRanking(
        tuple(rows), first.charts if first else 0, first.gold_spans if first else 0
    )
