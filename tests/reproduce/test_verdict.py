"""A number is reproduced within its band and on its own data; above the band fails as below."""

from __future__ import annotations

import math

import pytest

from auscult.reproduce.contract import (
    Basis,
    Claim,
    Effect,
    Measured,
    Printed,
    above,
    at_most,
    near,
)
from auscult.reproduce.verdict import (
    ClaimVerdict,
    Kind,
    Verdict,
    claim_result,
    is_inside,
    number_verdict,
)

F1 = Printed("supervised", "token F1", 43.0, within=2.0)
COUNT = Printed("charts", "Inpatient", 302, within=0.0)


@pytest.mark.parametrize("basis", [Basis.REAL, Basis.PAPER])
@pytest.mark.parametrize(
    ("printed", "value", "verdict"),
    [
        (F1, 43.0, Verdict.IN_BAND),
        (F1, 41.0, Verdict.IN_BAND),
        (F1, 45.0, Verdict.IN_BAND),
        (F1, 40.99, Verdict.TOO_LOW),
        (F1, 45.01, Verdict.TOO_HIGH),
        (F1, 99.0, Verdict.TOO_HIGH),
        (F1, math.inf, Verdict.TOO_HIGH),
        (F1, math.nan, Verdict.TOO_LOW),
        (COUNT, 302, Verdict.IN_BAND),
        (COUNT, 303, Verdict.TOO_HIGH),
        (COUNT, 301, Verdict.TOO_LOW),
    ],
)
def test_the_band_has_two_ends(
    basis: Basis, printed: Printed, value: float, verdict: Verdict
) -> None:
    assert number_verdict(printed, Measured(value, basis)) is verdict


def test_a_stand_in_reproduces_nothing_however_near_it_is() -> None:
    assert number_verdict(F1, Measured(43.0, Basis.STAND_IN)) is Verdict.STAND_IN
    assert number_verdict(F1, None) is Verdict.NEEDS_DATA
    assert (
        number_verdict(F1, Measured(None, Basis.REAL, undefined="no chart")) is Verdict.NEEDS_DATA
    )


def test_a_constant_is_compared_and_an_open_corpus_is_shown() -> None:
    """Neither can be in or out of a band, and neither is of the kind that headlines count."""
    for value, verdict in ((43.0, Verdict.SAME_SETTING), (43.5, Verdict.OTHER_SETTING)):
        assert number_verdict(F1, Measured(value, Basis.SETTING)) is verdict
        assert verdict.kind is Kind.SETTING
    for value in (43.0, 99.0):
        assert number_verdict(F1, Measured(value, Basis.OPEN)) is Verdict.OPEN_DATA
    of_the_paper = [one for one in Verdict if one.kind is Kind.PAPER_DATA]
    assert of_the_paper == [Verdict.IN_BAND, Verdict.TOO_LOW, Verdict.TOO_HIGH]


def test_the_published_number_is_looked_for_in_our_interval_on_real_data_alone() -> None:
    edges = (42.0, 43.5)
    assert is_inside(F1, Measured(42.5, Basis.REAL, edges)) is True
    assert is_inside(F1, Measured(42.5, Basis.OPEN, (42.0, 42.9))) is False
    for other in (
        Measured(42.5, Basis.STAND_IN, edges),
        Measured(43.0, Basis.SETTING, edges),
        Measured(42.5, Basis.REAL),
        None,
    ):
        assert is_inside(F1, other) is None


def decided(claim: Claim, **numbers: Measured) -> tuple[ClaimVerdict, Kind]:
    found = claim_result(claim, numbers)
    return found.verdict, found.kind


def test_a_claim_holds_only_if_its_interval_excludes_that_there_is_no_effect() -> None:
    """Half the width of a difference is the root of the sum of squares: 5 for 3 and 4."""
    claim = above("a", "b", "a beats b")

    def of(one: float, other: float) -> ClaimVerdict:
        a = Measured(one, Basis.REAL, (one - 3, one + 3))
        return decided(claim, a=a, b=Measured(other, Basis.REAL, (other - 4, other + 4)))[0]

    assert of(16, 10) is ClaimVerdict.HOLDS
    assert of(14, 10) is ClaimVerdict.UNDECIDED
    assert of(10, 14) is ClaimVerdict.UNDECIDED
    assert of(10, 16) is ClaimVerdict.DIFFERS


def test_without_an_interval_a_claim_is_undecided_unless_all_was_counted() -> None:
    claim = above("a", "b", "a beats b")
    large, small = Measured(99.0, Basis.REAL), Measured(1.0, Basis.REAL, (0.9, 1.1))
    assert decided(claim, a=large, b=small)[0] is ClaimVerdict.UNDECIDED
    counted = Measured.counted(99, Basis.REAL)
    assert decided(claim, a=counted, b=small)[0] is ClaimVerdict.HOLDS
    assert decided(claim, a=small, b=counted)[0] is ClaimVerdict.DIFFERS
    # What was counted in a stand-in is one draw of it.
    elsewhere = Measured.counted(99, Basis.STAND_IN)
    assert decided(claim, a=elsewhere, b=small)[0] is ClaimVerdict.UNDECIDED


def test_two_that_gain_do_not_lose_more_and_two_that_differ_do_not_align() -> None:
    """More of what is not there at all: drops below 0, and correlations of the wrong sign."""

    def of(one: float, other: float, half: float) -> ClaimVerdict:
        claim = above("larger", "smaller", "more", floor=0)
        larger = Measured(one, Basis.STAND_IN, (one - half, one + half))
        smaller = Measured(other, Basis.STAND_IN, (other - half, other + half))
        return decided(claim, larger=larger, smaller=smaller)[0]

    assert of(-0.019, -0.040, 0.005) is ClaimVerdict.DIFFERS
    assert of(-0.09, -0.45, 0.2) is ClaimVerdict.UNDECIDED
    assert of(0.11, 0.07, 0.005) is ClaimVerdict.HOLDS


def test_a_claim_is_worth_the_least_of_its_numbers() -> None:
    claim = above("a", "b", "a beats b")
    real, stand_in = (
        Measured(9.0, basis, (8.0, 10.0), by=by)
        for basis, by in ((Basis.REAL, None), (Basis.STAND_IN, "a small BERT"))
    )
    small = Measured(1.0, Basis.OPEN, (0.0, 2.0))
    assert decided(claim, a=real, b=small) == (ClaimVerdict.HOLDS, Kind.OPEN_DATA)
    assert decided(claim, a=stand_in, b=small) == (ClaimVerdict.HOLDS, Kind.STAND_IN)
    assert claim_result(claim, {"a": stand_in, "b": small}).by == ("a small BERT",)


def test_a_claim_without_its_numbers_is_not_tested() -> None:
    claim = above("a", "b", "a beats b")
    one = Measured(1.0, Basis.REAL, (0.5, 1.5))
    for other in (Measured(None, Basis.REAL), Measured(math.nan, Basis.REAL)):
        assert decided(claim, a=one, b=other)[0] is ClaimVerdict.NOT_TESTED
    assert decided(claim)[0] is ClaimVerdict.NOT_TESTED


def test_nearness_has_two_sides_and_a_limit_one() -> None:
    def sized(value: float, half: float) -> Measured:
        return Measured(value, Basis.REAL, (value - half, value + half))

    close = near("a", "b", 0.01, "alike")
    assert decided(close, a=sized(0.5, 0.001), b=sized(0.502, 0.001))[0] is ClaimVerdict.HOLDS
    assert decided(close, a=sized(0.5, 0.1), b=sized(0.502, 0.1))[0] is ClaimVerdict.UNDECIDED
    assert decided(close, a=sized(0.5, 0.001), b=sized(0.6, 0.001))[0] is ClaimVerdict.DIFFERS
    few = at_most("a", 10, "few")
    assert decided(few, a=sized(8.0, 1.0))[0] is ClaimVerdict.HOLDS
    assert decided(few, a=sized(8.0, 3.0))[0] is ClaimVerdict.UNDECIDED
    assert decided(few, a=sized(12.0, 1.0))[0] is ClaimVerdict.DIFFERS


def test_an_effect_s_interval_is_that_of_many_draws() -> None:
    """Against a simulation: independent normal numbers, weighted and added."""
    import numpy as np

    dice = np.random.default_rng(0)
    weights, means, sds = (2.0, -1.0, 0.5), (3.0, 1.0, -2.0), (1.0, 2.0, 4.0)
    draws = sum(w * dice.normal(m, s, 400_000) for w, m, s in zip(weights, means, sds, strict=True))
    numbers = {
        str(at): Measured(mean, Basis.REAL, (mean - 1.96 * sd, mean + 1.96 * sd))
        for at, (mean, sd) in enumerate(zip(means, sds, strict=True))
    }
    effect = Effect(tuple((str(at), weight) for at, weight in enumerate(weights)), 1.0)
    found = effect.interval(numbers)
    assert found is not None
    assert found == pytest.approx(tuple(np.quantile(draws - 1.0, [0.025, 0.975])), abs=0.05)


def test_an_effect_s_interval_is_as_lopsided_as_those_of_its_numbers() -> None:
    """By hand: 5 - 1 is 4; below it lie 1 of the first and 1 of the second, above it 2 and 3."""
    numbers = {
        "a": Measured(5.0, Basis.REAL, (4.0, 7.0)),
        "b": Measured(1.0, Basis.REAL, (-2.0, 2.0)),
    }
    found = Effect((("a", 1.0), ("b", -1.0))).interval(numbers)
    assert found == pytest.approx((4 - math.sqrt(2), 4 + math.sqrt(13)))
