"""The page that compares two models on the same charts."""

from __future__ import annotations

from pathlib import Path

from tests.contracts.test_models import ward

from auscult.experiment import compare
from auscult.models.fitting import fit
from auscult.report.comparison_report import ComparedModel, comparison_report


def test_every_metric_of_both_models_is_on_the_page(tmp_path: Path) -> None:
    corpus = ward(60)
    first, second = fit(corpus, "linear"), fit(corpus, "lexicon")
    found = compare(corpus.select(splits=["test"]), first, second, bootstrap=50)
    page = tmp_path / "page.html"
    comparison_report(
        found,
        page,
        first=ComparedModel("linear", "linear.html"),
        second=ComparedModel("lexicon"),
        about={"corpus": "ward"},
        title="Linear or lexicon",
        remark="Only a test.",
    )
    html = page.read_text(encoding="utf-8")
    assert '<a href="linear.html">linear</a>' in html
    assert "Only a test." in html
    for row in found.to_polars().iter_rows(named=True):
        assert row["metric"] in html
        assert row["first"] is None or f"{row['first']:.3f}" in html


def test_models_that_are_equal_are_not_said_to_differ(tmp_path: Path) -> None:
    corpus = ward(60)
    model = fit(corpus, "linear")
    found = compare(corpus.select(splits=["test"]), model, model, bootstrap=50)
    page = tmp_path / "page.html"
    comparison_report(
        found,
        page,
        first=ComparedModel("one"),
        second=ComparedModel("other"),
        about={},
        title="The same twice",
    )
    html = page.read_text(encoding="utf-8")
    assert "no significant difference" in html
    assert "is better by" not in html
