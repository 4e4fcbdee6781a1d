"""The overview and the chart pages say the same, and claim only what was looked at."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from auscult.core import Annotation, Code, Note, Span
from auscult.corpus import Corpus
from auscult.corpus.doctor import examine
from auscult.report.corpus_report import corpus_report

HTN, CHF, CXR = Code("ICD-10-CM", "I10"), Code("ICD-9-CM", "428.0"), Code("CPT", "71045")


def pages(out: Path, *, splits: tuple[str | None, str | None]) -> tuple[str, str]:
    """The overview, and a chart with one code by two people and two codes without evidence."""
    first, second = splits
    corpus = Corpus.of(
        [
            Note("n1", "c1", "p1", text="HTN, CHF", split=first),
            Note("n2", "c2", "p2", text="CXR", split=second),
        ],
        [
            Annotation("ann", HTN, "c1", "n1", (Span(0, 3),)),
            Annotation("bob", HTN, "c1", "n1", (Span(0, 3),)),
            Annotation("billing", CHF, "c1"),
            Annotation("billing", CXR, "c1"),
        ],
    )
    index = corpus_report(
        corpus,
        out,
        charts=["c1"],
        findings=examine(corpus),
        title="Ours",
        lead="",
        shows_text="made up",
    )
    return index.read_text(encoding="utf-8"), (out / "chart-c1.html").read_text(encoding="utf-8")


@pytest.fixture
def overview_and_chart(tmp_path: Path) -> tuple[str, str]:
    return pages(tmp_path, splits=(None, None))


def test_both_count_different_codes(overview_and_chart: tuple[str, str]) -> None:
    overview, chart = overview_and_chart
    assert "1 note, 3 codes by 3 annotators, 2 annotations with evidence" in chart
    row = overview.split("chart-c1.html")[1].split("</tr>")[0]
    assert re.findall(r'<td class="n">(\d+)</td>', row) == ["1", "3", "2"]


def test_only_codes_with_evidence_can_be_chosen(overview_and_chart: tuple[str, str]) -> None:
    _, chart = overview_and_chart
    panel = chart.split('aria-label="Codes"')[1].split("</aside>")[0]
    buttons = re.findall(r"<button.*?</button>", panel, re.DOTALL)
    assert ["I10" in button for button in buttons] == [True, True]
    assert panel.count("no evidence") == 2


def test_codes_are_listed_by_system_and_cpt_by_section(overview_and_chart: tuple[str, str]) -> None:
    overview, _ = overview_and_chart
    listed = overview.split("Most frequent codes")[1].split("</section>")[0]
    assert re.findall(r'scope="rowgroup">([^<]+)<', listed) == ["CPT", "ICD-10-CM", "ICD-9-CM"]
    assert "Radiology" in listed


def test_the_way_back_is_there(overview_and_chart: tuple[str, str]) -> None:
    overview, chart = overview_and_chart
    link = '<a class="back" href="index.html">'
    assert link in chart
    assert link not in overview


def test_only_what_was_looked_at_is_claimed(
    overview_and_chart: tuple[str, str], tmp_path: Path
) -> None:
    overview, _ = overview_and_chart
    assert "every span covers text" in overview
    assert "in its code table (CPT has no table)" in overview
    assert "two splits" not in overview
    split, _ = pages(tmp_path / "split", splits=("train", "test"))
    assert "no patient is in two splits" in split
