"""Every table and figure of the papers is there, and says of the printed numbers what is true."""

from __future__ import annotations

import pytest
from tests.docs.test_commands import _parse as parse

from auscult.core import OptionError
from auscult.reproduce.contract import Reproduction
from auscult.reproduce.registry import PAPERS, named, reproductions
from auscult.reproduce.sources import SOURCES

PRINTED = {
    "mdace": {*(f"Table {n}" for n in range(1, 12)), "Figure 1", "Figure 2",
              "Released predictions"},
    "challenge": {"Table 1", "Table 2", "Table 3", "Figure 1"},
    "complaints": {"S1", "S2", "S3", "S4"},
    "sensitivity": {*(f"Table {n}" for n in range(1, 10)), "Figure 1", "Figure 2"},
    "entities": {
        "Table 1", "Table 2", "Table 3", "Figure 1", "Figure 2", "Figure 3", "Section 3.2",
        "Section 3.3", "Section 4.3", "Section 5.2", "Appendix B",
    },
}  # fmt: skip
"""What the five papers have, by their own headings."""


@pytest.fixture(scope="module")
def every() -> list[Reproduction]:
    return reproductions()


def test_every_table_and_figure_of_the_papers_is_there(every: list[Reproduction]) -> None:
    there: dict[str, set[str]] = {paper.name: set() for paper in PAPERS}
    for one in every:
        assert one.label not in there[one.paper], f"{one.name} is there twice"
        there[one.paper].add(one.label)
    assert there == PRINTED


def test_each_says_what_it_needs_and_how_to_do_it_by_hand(every: list[Reproduction]) -> None:
    assert len({one.name for one in every}) == len(every)
    for one in every:
        assert one.name.startswith(f"{one.paper}-")
        assert one.needs
        assert one.stand_in
        assert one.calls
        assert one.published or one.claims
        assert set(one.options) <= set(SOURCES)
        keys = [printed.key for printed in one.published]
        assert len(set(keys)) == len(keys), one.name
        assert all(printed.within >= 0 for printed in one.published)


def test_claims_are_true_of_the_printed_numbers(every: list[Reproduction]) -> None:
    tested = 0
    for one in every:
        printed = {number.key: number.value for number in one.published}
        for claim in one.claims:
            if all(key in printed for key in claim.keys):
                assert claim.holds(printed), f"{one.name}: {claim.says}"
                tested += 1
    assert tested >= 40


def test_printed_numbers_that_follow_from_each_other_do(every: list[Reproduction]) -> None:
    """Typing errors in the tables would show where a paper's numbers hang together."""
    values = {one.name: {p.key: p.value for p in one.published} for one in every}
    bills = values["mdace-table-5"]
    for practice in ("Inpatient", "Profee"):
        assert (
            bills[f"Agreed · {practice}"] + bills[f"Missed · {practice}"]
            == (bills[f"MIMIC · {practice}"])
        )
        spans = sum(
            value
            for key, value in values["mdace-table-6"].items()
            if key.endswith(f"· {practice}") and "%" not in key
        )
        assert spans == values["mdace-table-3"][f"Evidence for ICD-9 · {practice}"]
    for key, f1 in values["mdace-table-9"].items():
        if " F1 ·" in key and "CAML" not in key:
            p, r = (values["mdace-table-9"][key.replace(" F1 ", f" {each} ")] for each in "PR")
            assert f1 == pytest.approx(2 * p * r / (p + r), abs=0.6), key
    spans_given = values["entities-table-1"]
    for row in ("All", "Top 100 CUI", "Multi-word", "Unseen text", "Unseen CUI"):
        average, best, pooled = (
            spans_given[f"{row} · {c} Acc"] for c in ("Average", "Max", "Pooled")
        )
        assert average < best < pooled


def test_the_calls_by_hand_are_commands_that_exist(every: list[Reproduction]) -> None:
    tried = 0
    for one in every:
        for call in one.calls:
            if call.startswith("auscult "):
                parse(call)
                tried += 1
    assert tried >= 50


def test_a_name_that_is_not_there_is_an_error_with_a_hint() -> None:
    assert named("mdace-table-3").label == "Table 3"
    with pytest.raises(OptionError, match="mdace-table-3"):
        named("mdace-table-33")
