"""What the page of a challenge shows beside the ranking of codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from auscult.corpus.history import FunnelRow
from auscult.evaluate.evidence_ranking import EvidenceRanking
from auscult.report import metric_format


@dataclass(frozen=True, slots=True)
class ChallengeExtras:
    """The evidence track, what teams say of their systems, and how documents were selected."""

    evidence: EvidenceRanking | None = None
    descriptions: Sequence[tuple[str, str]] = field(default=(), repr=False)
    """Team and text."""
    without: Sequence[str] = ()
    """Ranked teams that sent no description."""
    funnel: Sequence[FunnelRow] = ()


def evidence_rows(found: EvidenceRanking | None) -> list[dict[str, Any]]:
    """The evidence track as rows of a table."""
    return [
        {
            "is_human": row.is_human,
            "rank": "–" if row.rank is None else str(row.rank),
            "ranks": "" if row.ranks is None else "{}–{}".format(*row.ranks),
            "name": row.name,
            "interval": metric_format.interval(row.metrics["token_f1"]),
            "metrics": [
                metric_format.value(row.metrics[name])
                for name in ("token_f1", "token_precision", "token_recall", "span_f1",
                             "token_pi_f1", "span_pi_f1")
            ],
            "spans": f"{row.spans:,}",
        }
        for row in (found.rows if found is not None else ())
    ]  # fmt: skip
