"""The page has a row for everything, says which stand-in was used, and fetches nothing."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from auscult.reproduce.contract import Basis, Measured, ReproductionOutcome, UsedData
from auscult.reproduce.page import reproduce_page
from auscult.reproduce.registry import reproductions
from auscult.reproduce.run import ReproductionResult


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Every reproduction: one of each kind of result, the others not run."""
    results = []
    used = UsedData("hospital", Basis.STAND_IN, "ab" * 32, "a hospital of <b>clay</b>")
    for at, one in enumerate(reproductions()):
        if at % 4 == 3:
            results.append(ReproductionResult(one, None, "the file has no charts."))
            continue
        basis = (Basis.REAL, Basis.STAND_IN, Basis.REAL)[at % 4]
        higher = (0.0, 0.0, 1e6)[at % 4]
        numbers = {
            p.key: Measured(p.value + higher, basis, (p.value, p.value + 1.0), 0.5)
            for p in one.published
        }
        found = ReproductionOutcome(
            numbers, (used,) if basis is Basis.STAND_IN else (), ("remarked",), (3, 4)
        )
        results.append(ReproductionResult(one, found, None, 1.5))
    out = tmp_path_factory.mktemp("page") / "reproduce.html"
    reproduce_page(results, out)
    return out.read_text(encoding="utf-8")


def test_every_table_and_figure_has_its_row_and_its_section(page: str) -> None:
    for one in reproductions():
        assert page.count(f'href="#{one.name}"') == 1
        assert page.count(f'id="{one.name}"') == 1
        assert f"auscult reproduce run {one.name}" in page


def test_verdicts_can_be_read_without_color(page: str) -> None:
    for words in ("✓", "↑ too high", "≈", "– needs data", "Not run: the file has no charts."):
        assert words in page
    assert "a hospital of &lt;b&gt;clay" in page
    assert "SHA-256 abababababababab" in page
    assert "seeds 3, 4" in page


def test_nothing_is_fetched_and_the_markup_is_whole(page: str) -> None:
    assert not re.search(r'(?:src|href)="(?!#)[^"]*//', page)
    assert "@import" not in page
    assert "url(" not in page
    open_tags: list[str] = []

    class Checker(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            if tag not in ("meta", "br", "path", "circle"):
                open_tags.append(tag)

        def handle_endtag(self, tag: str) -> None:
            if tag not in ("path", "circle"):
                assert open_tags.pop() == tag

    Checker().feed(page)
    assert open_tags == []
