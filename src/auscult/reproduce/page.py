"""Reproductions as one page: published numbers beside measured ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from auscult.report.page import write_page
from auscult.reproduce.contract import Basis
from auscult.reproduce.registry import PAPERS
from auscult.reproduce.run import ReproductionResult, command
from auscult.reproduce.side_by_side import MARKS, css_class, side_by_side
from auscult.reproduce.summary import VerdictCounts
from auscult.reproduce.verdict import (
    ClaimResult,
    ClaimVerdict,
    Kind,
    Verdict,
)

_LEGEND: dict[Verdict | ClaimVerdict, str] = {
    Verdict.IN_BAND: "measured on the paper's own data, or on data printed in the paper, and "
    "within tolerance",
    Verdict.TOO_LOW: "measured on the paper's own data, below the tolerance",
    Verdict.TOO_HIGH: "measured on the paper's own data, above the tolerance: a number that is "
    "too good fails as well",
    Verdict.OPEN_DATA: "measured on open data that are not the paper's, or only a part of them; "
    "shown, not judged",
    Verdict.STAND_IN: "measured on stand-in data, or by a stand-in for the paper's system; the "
    "values are not comparable",
    Verdict.SAME_SETTING: "a constant or a size in Auscult that equals the paper's; nothing was "
    "measured",
    Verdict.OTHER_SETTING: "a constant or a size in Auscult that differs from the paper's",
    Verdict.NEEDS_DATA: "not measured; the required data is listed below the table",
    ClaimVerdict.HOLDS: "a claim of the paper: the effect has the right sign, and its 95% "
    "interval excludes zero",
    ClaimVerdict.DIFFERS: "the interval of the effect lies wholly on the other side",
    ClaimVerdict.UNDECIDED: "the interval includes zero, or there is no interval",
}
_REAL = {
    Basis.PAPER: "Computed from data printed in the paper; no other data needed.",
    Basis.REAL: "Measured on the paper's own data.",
    Basis.OPEN: "Measured on open data that are not the paper's, or only a part of them.",
    Basis.SETTING: "Constants and sizes in Auscult beside the paper's; nothing is measured.",
}
_ON = {
    Kind.PAPER_DATA: "", Kind.OPEN_DATA: "on open data", Kind.STAND_IN: "on the stand-in",
    Kind.SETTING: "", Kind.NEEDS_DATA: "",
}  # fmt: skip


def reproduce_page(results: Sequence[ReproductionResult], out: Path, *, home: str = "") -> None:
    """Write the page. It quotes no note."""
    whole = VerdictCounts.of(results)
    ours = Kind.PAPER_DATA
    minutes = sum(one.seconds for one in results) / 60
    busy = sum(one.processor for one in results) / 60
    papers = {
        paper: [one for one in results if one.reproduction.paper == paper.name] for paper in PAPERS
    }
    write_page(
        out,
        "reproduce.html",
        made={
            "command": "auscult reproduce",
            "computed in": f"{minutes:.1f} minutes ({busy:.1f} minutes of processor time)",
            "versions": ", ".join(sorted({one.version for one in results})),
        },
        home=home,
        shows_text="",
        title="Reproduction of published results",
        lead=f"{len(results):,} tables, figures and sections of five papers. A number can only "
        "be reproduced on the data it was published for, and only such numbers are counted "
        "here. Without that data, stand-in data shows whether the same effects occur.",
        tiles=[
            ("measured on the papers' data", f"{whole.of_kind(ours):,}",
             f"of {whole.published:,} published numbers"),
            ("in band", f"{whole.verdicts.get(Verdict.IN_BAND, 0):,}", ""),
            ("outside", f"{whole.outside:,}", ""),
            ("claims hold on the papers' data",
             f"{whole.claims_of(ClaimVerdict.HOLDS, ours):,}",
             f"{whole.claims_of(ClaimVerdict.UNDECIDED, ours):,} undecided, "
             f"{whole.claims_of(ClaimVerdict.DIFFERS, ours):,} differ"),
        ],
        legend=[(MARKS[one], one.value, css_class(one), says) for one, says in _LEGEND.items()],
        papers=[
            {
                "cited": paper.cited,
                "counts": _counts(VerdictCounts.of(rows)),
                "rows": [_row(one) for one in rows],
            }
            for paper, rows in papers.items()
            if rows
        ],
    )  # fmt: skip


def _counts(found: VerdictCounts) -> dict[str, Any]:
    return {
        "all": found.published,
        "in_band": found.verdicts.get(Verdict.IN_BAND, 0),
        "outside": found.outside,
        "inside": f"{found.inside} of {found.with_interval}" if found.with_interval else "",
        "open": found.of_kind(Kind.OPEN_DATA),
        "stand_in": found.of_kind(Kind.STAND_IN),
        "setting": found.of_kind(Kind.SETTING),
        "needs_data": found.of_kind(Kind.NEEDS_DATA),
        "claims": found.describe_claims(),
    }


def _row(result: ReproductionResult) -> dict[str, Any]:
    one, found = result.reproduction, result.found
    bases = list(dict.fromkeys(m.basis for m in found.numbers.values())) if found else []
    return {
        "name": one.name,
        "label": one.label,
        "title": one.title,
        "failed": result.failed,
        "stand_in": result.stand_in,
        "real": " ".join(_REAL[basis] for basis in bases if basis in _REAL),
        "counts": _counts(VerdictCounts.of([result])),
        "grid": side_by_side(one.published, found.numbers if found else {}),
        "claims": [_claim(claim) for claim in result.claim_results],
        "figure": Markup(found.figure) if found and found.figure else None,
        "remarks": [*([one.remark] if one.remark else []), *(found.remarks if found else ())],
        "needs": one.needs,
        "command": command(result),
        "commands": found.commands if found else (),
        "calls": one.calls,
        "used": found.used if found else (),
        "made": _made(result),
    }


def _claim(found: ClaimResult) -> dict[str, Any]:
    return {
        "text": found.claim.says,
        "verdict": f"{found.verdict.value} {_ON[found.kind]}".rstrip(),
        "kind": css_class(found.verdict),
        "mark": MARKS[found.verdict],
        "by": "; ".join(found.by),
        "effects": [_effect(*effect) for effect in found.effects],
    }


def _effect(value: float, edges: tuple[float, float] | None) -> str:
    """How far an effect is above none, in the unit of its numbers."""
    if edges is None:
        return f"{value:.3g}, no interval"
    return f"{value:.3g}" if edges == (value, value) else (
        f"{value:.3g} (95% {edges[0]:.3g} to {edges[1]:.3g})"
    )  # fmt: skip


def _made(result: ReproductionResult) -> str:
    seeds = result.found.seeds if result.found else ()
    text = (
        f"in {result.seconds:.1f} s ({result.processor:.1f} s of processor time) by Auscult "
        f"{result.version}"
    )
    return f"{text}, seeds {', '.join(map(str, seeds))}" if seeds else text
