"""The rules of a challenge as a page: submission format, validation, scoring."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from auscult.report.page import write_page
from auscult.statistics.cost_sensitive import Costs


def rules_page(
    out: Path,
    *,
    name: str,
    train: int,
    test: int,
    codes: int,
    systems: Sequence[str],
    attempts: int,
    gives_scores: bool,
    takes_best: bool,
    costs: Costs,
    schema: str,
    stage: str = "all",
    has_evidence: bool = False,
    dates: Sequence[tuple[str, str]] = (),
) -> None:
    """Write the page. It reveals nothing about the test documents but their number."""
    write_page(
        out,
        "challenge_rules.html",
        made={"challenge": name},
        home="",
        shows_text="",
        title=f"{name}: rules",
        lead=f"{train:,} training documents with codes, {test:,} test documents to code, "
        f"{codes:,} codes of {' and '.join(systems)}.",
        attempts=attempts,
        gives_scores=gives_scores,
        takes_best=takes_best,
        costs=costs,
        schema=schema,
        has_train=stage != "test",
        has_test=stage != "training",
        has_evidence=has_evidence,
        dates=dates,
    )
