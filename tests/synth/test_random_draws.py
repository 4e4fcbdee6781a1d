"""Chance is the same everywhere, and fair."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from auscult.synth.random_draws import RandomDraws, logistic


def test_throws_are_pinned() -> None:
    # Written down once. If this fails on a new machine or Python, hospitals differ between them.
    dice = RandomDraws("0:7")
    assert [dice.below(1000) for _ in range(8)] == [139, 169, 706, 962, 212, 111, 232, 982]
    assert dice.fork("person").between(1, 10**9) == 90459990


def test_forks_do_not_disturb_each_other() -> None:
    left, right = RandomDraws("a"), RandomDraws("a")
    left.fork("x").random()
    assert left.random() == right.random()
    assert RandomDraws("a").fork("x").random() != RandomDraws("a").fork("y").random()


def test_ranges_include_both_ends() -> None:
    dice = RandomDraws("ranges")
    assert {dice.between(3, 5) for _ in range(200)} == {3, 4, 5}
    assert {dice.below(2) for _ in range(100)} == {0, 1}


def test_weights_decide_how_often() -> None:
    dice = RandomDraws("weights")
    counts = Counter(dice.weighted("abc", (0.7, 0.2, 0.1)) for _ in range(5000))
    assert abs(counts["a"] / 5000 - 0.7) < 0.03
    assert abs(counts["c"] / 5000 - 0.1) < 0.02


def test_shuffling_keeps_everything_and_favors_no_order() -> None:
    dice = RandomDraws("shuffle")
    orders = Counter("".join(dice.shuffled("abc")) for _ in range(6000))
    assert len(orders) == 6
    assert min(orders.values()) > 850


def test_bell_has_mean_zero_and_variance_one() -> None:
    dice = RandomDraws("bell")
    throws = [dice.bell() for _ in range(5000)]
    mean = sum(throws) / 5000
    assert abs(mean) < 0.05
    assert abs(sum((t - mean) ** 2 for t in throws) / 5000 - 1.0) < 0.06


@pytest.mark.parametrize("log_odds", [-6.0, -2.5, -0.1, 0.0, 0.3, 1.7, 4.0])
def test_logistic_is_the_logistic_function(log_odds: float) -> None:
    assert logistic(log_odds) == pytest.approx(1 / (1 + math.exp(-log_odds)), rel=0.01)
