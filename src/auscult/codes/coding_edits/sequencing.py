"""Codes that cannot be listed first: manifestations and external causes."""

from __future__ import annotations

from collections.abc import Iterator

from auscult.codes.coding_edits.coded_chart import CodedChart
from auscult.codes.coding_edits.finding import CodingFinding, EditSeverity, official

_INJURIES = ("S", "T")


def check_manifestation_first(chart: CodedChart) -> Iterator[CodingFinding]:
    """A manifestation code that is listed first."""
    if chart.in_order and chart.facts and chart.facts[0].is_manifestation:
        code = chart.facts[0]
        notes = [note.cited for note in code.companions if note.kind.value == "code-first"]
        yield CodingFinding(
            "manifestation-first",
            EditSeverity.ERROR,
            (code.value,),
            f"{code.value} ({code.description}) is listed first",
            "List the underlying disease first, then this code.",
            official("I.A.13"),
            notes[-1] if notes else None,
        )


def check_external_causes(chart: CodedChart) -> Iterator[CodingFinding]:
    """External-cause codes that are listed first, or have no condition that they caused."""
    causes = [code for code in chart.facts if code.is_external_cause]
    if not causes:
        return
    if len(causes) == len(chart.facts) or (chart.in_order and chart.facts[0].is_external_cause):
        alone = len(causes) == len(chart.facts)
        yield CodingFinding(
            "external-cause-alone" if alone else "external-cause-first",
            EditSeverity.ERROR,
            tuple(code.value for code in (causes if alone else causes[:1])),
            "there is no condition beside the external cause"
            if alone
            else f"{causes[0].value} is an external cause and is listed first",
            "Code the injury or condition first; an external cause is never the first diagnosis.",
            official("I.C.20.a.6"),
        )
        return
    # Care, place, activity and status (Y62–Y99) go with a condition of any chapter.
    harmful = [code for code in causes if code.value < "Y62"]
    if harmful and not chart.has(*_INJURIES):
        yield CodingFinding(
            "external-cause-without-injury",
            EditSeverity.NOTE,
            tuple(code.value for code in harmful),
            f"{harmful[0].value} ({harmful[0].description}) is coded, and no injury (S00–T88)",
            "Code the injury. There is none to code if another condition is due to the cause.",
            official("I.C.20.a.1"),
        )
