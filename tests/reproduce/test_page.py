"""The page has a row for everything, says which stand-in was used, and fetches nothing."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

from auscult.reproduce.contract import (
    Basis,
    Measured,
    Printed,
    Reproduction,
    ReproductionOutcome,
    UsedData,
    above,
)
from auscult.reproduce.page import reproduce_page
from auscult.reproduce.registry import reproductions
from auscult.reproduce.run import ReproductionResult
from auscult.reproduce.side_by_side import side_by_side


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
            numbers,
            (used,) if basis is Basis.STAND_IN else (),
            ("remarked",),
            (3, 4),
            commands=("auscult made --by hand",),
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
    assert "auscult made --by hand" in page
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


def tiles(page: str) -> dict[str, str]:
    """The headline: what is counted, and how many there are."""
    found = re.findall(r'class="tile"><b>([^<]*)</b><span>([^<]*)</span>', page)
    return {unescape(what): count for count, what in found}


def shown(folder: Path, *numbers: Measured) -> str:
    """The page of one table of as many rows, all printed as 1.0, and a claim about two of them."""
    rows = [f"row {at}" for at in range(len(numbers))]
    printed = tuple(Printed(row, "F1", 1.0, 0.1, ".1f") for row in rows)
    one = Reproduction(
        "mdace-x", "mdace", "Table X", "A table", "much", "a hospital of clay", ("auscult x",),
        lambda _work: ReproductionOutcome({}, ()), printed,
        (above("row 0 · F1", "row 1 · F1", "The first is better."),),
    )  # fmt: skip
    used = UsedData("hospital", Basis.STAND_IN, "ab" * 32, "clay of ten patients")
    measured = {printed.key: number for printed, number in zip(printed, numbers, strict=True)}
    found = ReproductionOutcome(measured, (used,))
    reproduce_page([ReproductionResult(one, found)], folder / "one.html")
    return (folder / "one.html").read_text(encoding="utf-8")


def test_the_headline_counts_only_the_papers_own_data(tmp_path: Path) -> None:
    page = shown(
        tmp_path,
        Measured(1.0, Basis.REAL, (0.5, 1.5)),
        Measured(3.0, Basis.PAPER, (2.9, 3.1)),
        *[Measured(1.0, basis) for basis in (Basis.OPEN, Basis.STAND_IN, Basis.SETTING)],
        Measured(None, Basis.REAL, undefined="nobody knows"),
    )
    assert tiles(page) == {
        "measured on the papers' data": "2", "in band": "1", "outside": "1",
        "claims hold on the papers' data": "0",
    }  # fmt: skip
    # Beside them one of each other kind, and of the two intervals one with the published number.
    assert re.findall(r'<td class="n[^"]*">([^<]*)</td>', page)[:8] == [
        "6", "1", "1", "1 of 2", "1", "1", "1", "1",
    ]  # fmt: skip


def test_the_page_says_what_stood_in_for_data_and_for_a_system(tmp_path: Path) -> None:
    page = shown(
        tmp_path,
        Measured(0.9, Basis.STAND_IN, (0.8, 1.0), by="a small BERT, pretrained for 200 steps"),
        Measured(0.5, Basis.STAND_IN, (0.4, 0.6)),
    )
    assert "a hospital of clay; a small BERT, pretrained for 200 steps; clay of ten" in page
    assert "here: a small BERT, pretrained for 200 steps" in page
    assert "holds on the stand-in" in page
    assert "Measured: a small BERT, pretrained for 200 steps." in page


def test_what_stood_in_is_said_once_for_all_numbers_of_a_column_or_a_row() -> None:
    printed = [Printed(row, column, 1.0, 0.0) for row in "ab" for column in "xyz"]
    by = {"a · x": "clay", "b · x": "clay", "b · y": "wax", "b · z": "wax"}
    numbers = {
        one.key: Measured(1.0, Basis.STAND_IN, by=by.get(one.key))
        for one in printed
        if one.key != "a · z"
    }
    found = side_by_side(printed, numbers)
    assert [column["by"] for column in found["columns"]] == ["clay", "", "wax"]
    assert [[cell["by"] for cell in row["cells"]] for row in found["rows"]] == [
        ["", "", ""], ["", "wax", ""],
    ]  # fmt: skip
