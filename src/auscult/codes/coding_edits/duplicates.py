"""A code that is given more than once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from auscult.codes.coding_edits.coded_chart import CodedChart
from auscult.codes.coding_edits.finding import CodingFinding, EditSeverity, official


def check_duplicates(chart: CodedChart) -> Iterator[CodingFinding]:
    """Codes that are there twice; each is reported once for an encounter."""
    for value, count in Counter(chart.given).items():
        if count > 1:
            yield CodingFinding(
                "duplicate-code",
                EditSeverity.ERROR,
                (value,),
                f"{value} is given {count} times",
                "Keep one: a diagnosis code is reported once for an encounter, also when the "
                "condition is bilateral or two conditions have the same code.",
                official("I.B.8"),
            )
