"""From a heading down to a billable code."""

from __future__ import annotations

import pytest

from auscult.codes.lookup.descent import Descent
from auscult.codes.lookup.words import stem_of
from auscult.codes.tabular.current import tabular_list


@pytest.fixture(scope="module")
def descent() -> Descent:
    return Descent(tabular_list())


@pytest.mark.parametrize(
    ("heading", "default"),
    [
        ("I50", "I50.9"),  # not I50.1, left ventricular failure, unspecified
        ("E11", "E11.9"),  # without complications, not with unspecified ones
        ("J45", "J45.909"),
        ("K35", "K35.80"),
        ("C50", "C50.919"),
        ("S72.0", "S72.009A"),  # the initial encounter for a closed fracture
        ("G40", "G40.909"),  # not intractable, without status epilepticus
        ("J96", "J96.90"),  # unspecified whether with hypoxia or hypercapnia
        ("S06.9X", "S06.9XAA"),  # loss of consciousness unknown
        ("O41.00", "O41.00X0"),  # of which fetus is not applicable
        ("F32", "F32.A"),
        ("Q21", "Q21.9"),
        ("I10", "I10"),
    ],
)
def test_what_stands_for_a_heading(descent: Descent, heading: str, default: str) -> None:
    assert descent.default(heading) == default


def test_every_heading_has_a_billable_default(descent: Descent) -> None:
    book = tabular_list()
    headings = [entry.value for entry in book if not entry.billable]
    assert [value for value in headings if not book.is_billable(descent.default(value))] == []


def test_words_lead_down_and_those_that_did_are_told(descent: Descent) -> None:
    words = [frozenset({"left"}), frozenset({"subsequ"}), frozenset({"banana"})]
    assert descent.down("S42.009A", words) == ("S42.002D", [0, 1])
    assert descent.down("I50", []) == ("I50.9", [])


def test_the_way_begins_at_what_a_code_stands_for(descent: Descent) -> None:
    assert descent.heading("I65.29") == "I65.2"
    assert descent.heading("S93.409A") == "S93.4"  # S93 is dislocations and feet, too
    assert descent.heading("I50.21") is None


@pytest.mark.parametrize(
    ("code", "words", "other"),
    [
        ("J96.91", "acute", "J96.01"),
        ("L89.629", "unstageable", "L89.620"),
        ("H35.3130", "dry early", "H35.3131"),
        ("J45.909", "mild intermittent", "J45.20"),
        ("J45.909", "mild", "J45.909"),  # persistent or intermittent is not said
        ("J96.01", "chronic", "J96.01"),  # it leaves nothing open
        ("S82.202A", "displaced", "S82.202A"),  # hundreds of others
    ],
)
def test_words_beside_say_what_a_code_leaves_open(
    descent: Descent, code: str, words: str, other: str
) -> None:
    said = [stem_of(word) for word in words.split()]
    found, met = descent.beside(code, said)
    assert found == other
    assert len(met) == (len(said) if other != code else 0)
