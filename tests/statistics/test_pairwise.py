"""Tests between all pairs of systems, Holm's correction and groups."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ttest_rel
from statsmodels.stats.multitest import multipletests

from auscult.core import OptionError
from auscult.statistics.pairwise import PairwiseTest, groups_alike, holm, pairwise_tests


def test_worked_by_hand() -> None:
    """Differences .1 .2 .3: mean .2, standard deviation .1, t = .2 / (.1 / √3)."""
    (pair,) = pairwise_tests(np.array([[0.5, 0.6, 0.7], [0.4, 0.4, 0.4]]))
    assert pair.difference == pytest.approx(0.2)
    assert pair.t == pytest.approx(0.2 / (0.1 / np.sqrt(3)))
    assert pair.p_value == pytest.approx(0.0741799, abs=1e-6)  # two-sided, two degrees of freedom
    assert pair.corrected == pair.p_value


def test_they_are_scipys_corrected_as_statsmodels_does() -> None:
    table = np.random.default_rng(1).random((7, 20)) + np.linspace(0, 0.6, 7)[:, None]
    found = pairwise_tests(table)
    expected = [ttest_rel(table[i], table[j]) for i, j in combinations(range(7), 2)]
    assert [p.t for p in found] == pytest.approx([e.statistic for e in expected])
    assert [p.p_value for p in found] == pytest.approx([e.pvalue for e in expected])
    corrected = multipletests([e.pvalue for e in expected], method="holm")[1]
    assert [p.corrected for p in found] == pytest.approx(corrected.tolist())
    assert 0 < sum(p.differs for p in found) < len(found)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_holm_is_statsmodels(p_values: list[float]) -> None:
    expected = multipletests(p_values, method="holm")[1]
    assert holm(np.array(p_values)) == pytest.approx(expected, abs=1e-12)


def test_equal_systems_and_constant_differences() -> None:
    same, shifted = pairwise_tests(np.array([[0.1, 0.5], [0.1, 0.5], [0.4, 0.8]]))[:2]
    assert (same.p_value, same.differs) == (1.0, False)
    assert (shifted.p_value, shifted.differs) == (0.0, True)


@settings(max_examples=200)
@given(st.data())
def test_two_share_a_group_exactly_when_no_test_tells_them_apart(data: st.DataObject) -> None:
    systems = data.draw(st.integers(1, 9))
    pairs = tuple(
        PairwiseTest(i, j, 0.0, 0.0, 0.0, data.draw(st.sampled_from([0.001, 0.9])))
        for i, j in combinations(range(systems), 2)
    )
    groups = groups_alike(systems, pairs)
    for pair in pairs:
        together = any({pair.first, pair.second} <= set(group) for group in groups)
        assert together is not pair.differs
    assert {at for group in groups for at in group} == set(range(systems))
    # Nobody could be added to a group.
    differ = {frozenset((p.first, p.second)) for p in pairs if p.differs}
    for group in groups:
        for other in set(range(systems)) - set(group):
            assert any(frozenset((other, at)) in differ for at in group)


def test_one_code_is_too_few() -> None:
    with pytest.raises(OptionError, match="two codes"):
        pairwise_tests(np.ones((3, 1)))
