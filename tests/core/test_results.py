"""Metrics count as numbers, and every result is a table and shows itself on one screen."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import ClassVar

import polars as pl
import pytest

from auscult.core import AuscultError, Metric, MissingExtraError
from auscult.core.results import COLUMNS, MetricRow, Result

_F1 = Metric("f1", "2TP / (2TP + FP + FN)", 0.5, (0.4, 0.6), 30)
_NONE = Metric("alpha", "1 − D_o / D_e < 1", undefined="only one code occurs")


def test_a_metric_counts_as_its_number() -> None:
    assert float(_F1) == 0.5
    assert f"{_F1:.2f} {_F1:.0%}" == "0.50 50%"
    assert f"{_F1}" == str(_F1) == "f1 = 0.500 [0.400, 0.600]"
    assert repr(_F1) == "Metric(f1 = 0.500 [0.400, 0.600], n = 30)"


def test_an_undefined_metric_has_no_number() -> None:
    with pytest.raises(AuscultError, match="alpha is undefined: only one code occurs"):
        float(_NONE)
    assert f"{_NONE:.3f}" == "undefined"
    assert repr(_NONE) == "Metric(alpha is undefined: only one code occurs)"
    assert "D_e &lt; 1" in _NONE._repr_html_()


class Many(Result):
    """A result with a metric of the whole and more of its parts."""

    def metric_rows(self) -> Iterator[MetricRow]:
        yield {}, _F1
        yield {}, _NONE
        for at in range(100):
            yield {"code": f"C{at}", "rank": at}, Metric("share", "", at / 100)

    def headline(self) -> str:
        return "100 codes & more"


class Words(Result):
    """A result about words of notes."""

    quoting: ClassVar[frozenset[str]] = frozenset({"word"})

    def metric_rows(self) -> Iterator[MetricRow]:
        yield {"word": "SECRET", "rank": 1.5}, _F1


def test_a_result_is_a_long_table() -> None:
    table = Many().to_polars()
    assert tuple(table.columns) == ("code", "rank", *COLUMNS)
    assert table.height == 102
    assert table.row(0, named=True) == {
        "code": None, "rank": None, "name": "f1", "value": 0.5, "low": 0.4, "high": 0.6, "n": 30,
        "definition": _F1.definition, "undefined": None,
    }  # fmt: skip
    assert table.row(1, named=True)["undefined"] == "only one code occurs"
    frame = Many().to_pandas()
    assert frame.shape == (102, 9)
    assert frame["value"].isna().sum() == 1


def test_a_result_fits_on_a_screen() -> None:
    assert repr(Many()).splitlines() == [
        "Many: 100 codes & more",
        "  f1     0.500  [0.400, 0.600]",
        "  alpha      –  only one code occurs",
        "100 more rows, by code, rank: .to_polars()",
    ]
    html = Many()._repr_html_()
    assert "100 codes &amp; more" in html
    assert html.count("<tr>") == 3


class LongNames(Result):
    """A result whose names and reasons have no room on a line."""

    def metric_rows(self) -> Iterator[MetricRow]:
        why = "the predictions have no codes below the threshold, which a ranking needs: predict"
        for which in ("all", "gold"):
            name = f"macro_f1_from_macro_precision_and_recall_over_{which}_codes"
            yield {"about": "codes"}, Metric(name, "", 0.5, (0.4, 0.6))
            yield {"about": "codes"}, Metric(f"auc_{which}", "", undefined=why)
        yield {"system": "a" * 90}, _F1


def test_long_names_and_reasons_are_broken_and_not_cut() -> None:
    assert repr(LongNames()).splitlines() == [
        "LongNames",
        "  codes · macro_f1_from_macro_precision_and_    0.500  [0.400, 0.600]",
        "    recall_over_all_codes",
        "  codes · auc_all                                   –  (1)",
        "  codes · macro_f1_from_macro_precision_and_    0.500  [0.400, 0.600]",
        "    recall_over_gold_codes",
        "  codes · auc_gold                                  –  (1)",
        f"  {'a' * 44}  0.500  [0.400, 0.600]",
        f"    {'a' * 44}",
        "    aa · f1",
        "  (1) the predictions have no codes below the threshold, which a ranking needs:",
        "      predict",
    ]


def test_words_of_notes_are_not_in_a_repr_and_announced_in_html() -> None:
    assert repr(Words()) == "Words\n  rank 1.5 · f1  0.500  [0.400, 0.600]"
    assert "SECRET" in Words()._repr_html_()
    assert "quotes text of clinical notes" in Words()._repr_html_()


def test_without_pandas_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setattr(pl.DataFrame, "to_pandas", lambda _: __import__("pandas"))
    with pytest.raises(MissingExtraError, match=r"auscult\[pandas\]"):
        Many().to_pandas()


def test_results_bring_no_tables_along() -> None:
    code = "import sys, auscult.core.results; print('polars' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
