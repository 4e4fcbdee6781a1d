"""The cost-sensitive score."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auscult.core import OptionError
from auscult.statistics.cost_sensitive import PAPER, Costs, cost_sensitive

SETS = st.frozensets(st.sampled_from("ABCDEFGH"))


def score(gold: frozenset[str], given_: frozenset[str], costs: Costs = PAPER) -> float:
    right, extra, missed = (
        np.array([float(len(part))]) for part in (gold & given_, given_ - gold, gold - given_)
    )
    return float(cost_sensitive(right, extra, missed, costs)[0])


@given(SETS, SETS)
def test_with_equal_costs_it_is_the_jaccard_similarity(
    gold: frozenset[str], given_: frozenset[str]
) -> None:
    union = gold | given_
    expected = len(gold & given_) / len(union) if union else 1.0
    assert score(gold, given_, Costs(1, 1, 1)) == pytest.approx(expected, abs=1e-12)


@given(SETS, SETS)
def test_it_is_equation_1_of_the_paper(gold: frozenset[str], given_: frozenset[str]) -> None:
    missed, false = gold - given_, given_ - gold
    union = gold | given_
    for alpha in (1.0, 2.5):
        expected = (1 - (0.33 * len(missed) + len(false)) / len(union)) ** alpha if union else 1.0
        assert score(gold, given_, Costs(alpha)) == pytest.approx(expected, abs=1e-12)
        assert 0 <= score(gold, given_, Costs(alpha)) <= 1


def test_worked_by_hand() -> None:
    assert score(frozenset("AB"), frozenset("AB")) == 1
    assert score(frozenset(), frozenset()) == 1
    assert score(frozenset("A"), frozenset()) == pytest.approx(0.67)
    assert score(frozenset(), frozenset("A")) == 0
    assert score(frozenset("AB"), frozenset("BC")) == pytest.approx(1 - 1.33 / 3)


@given(SETS, st.sampled_from("ABCDEFGH"))
def test_a_code_too_many_costs_more_than_a_missed_one(gold: frozenset[str], code: str) -> None:
    without, with_ = gold - {code}, gold | {code}
    assert score(without, with_) <= score(with_, without)


@pytest.mark.parametrize(
    ("alpha", "beta", "gamma"), [(0, 0.3, 1), (1, -0.1, 1), (1, 0.3, 1.1), (float("nan"), 0.3, 1)]
)
def test_costs_that_cannot_be(alpha: float, beta: float, gamma: float) -> None:
    with pytest.raises(OptionError, match="β and γ"):
        Costs(alpha, beta, gamma)
