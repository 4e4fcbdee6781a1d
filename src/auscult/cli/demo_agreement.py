"""The part of the demo about people: how far the hospital's three coders agree, and on what not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from auscult.agreement import AgreementUnit
from auscult.cli.demo_part import DemoPart
from auscult.corpus import Corpus, formats
from auscult.report.agreement_report import agreement_page
from auscult.report.page import PageLink

PAGE = "agreement.html"
CODERS = ("coder_a", "coder_b", "coder_c")
_RESAMPLES = 500


def show_agreement(hospital: Path, corpus: Corpus, out: Path) -> DemoPart:
    """Compare the three coders on the charts that all of them coded, and write the page.

    Leaves the corpus `coded` in `out`.
    """
    said = formats.read("jsonl", hospital / "coders" / "annotations.jsonl")
    charts = (hospital / "coders" / "charts.txt").read_text(encoding="utf-8").split()
    notes = corpus.select(charts=charts, annotators=[])
    coded = replace(notes, lazy_all_annotations=said.lazy_annotations).write(out / "coded")
    found = agreement_page(
        coded, CODERS, out / "report" / PAGE, unit=AgreementUnit.CHART, times=_RESAMPLES
    )
    alpha = found.metrics["alpha_masi"].value or 0.0
    page = PageLink(
        PAGE,
        "Three coders compared",
        f"On {len(charts):,} charts Krippendorff's α (MASI) is {alpha:.2f}: where they differ, "
        "and why",
    )
    return DemoPart((page,))
