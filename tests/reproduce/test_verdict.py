"""A number is reproduced within its band and on its own data; above the band fails as below."""

from __future__ import annotations

import math

import pytest

from auscult.reproduce.contract import Basis, Claim, Measured, Printed, above
from auscult.reproduce.verdict import ClaimVerdict, Verdict, claim_verdict, number_verdict

F1 = Printed("supervised", "token F1", 43.0, within=2.0)
COUNT = Printed("charts", "Inpatient", 302, within=0.0)


@pytest.mark.parametrize("basis", [Basis.REAL, Basis.PART, Basis.PAPER])
@pytest.mark.parametrize(
    ("printed", "value", "verdict"),
    [
        (F1, 43.0, Verdict.REPRODUCED),
        (F1, 41.0, Verdict.REPRODUCED),
        (F1, 45.0, Verdict.REPRODUCED),
        (F1, 40.99, Verdict.TOO_LOW),
        (F1, 45.01, Verdict.TOO_HIGH),
        (F1, 99.0, Verdict.TOO_HIGH),
        (F1, math.inf, Verdict.TOO_HIGH),
        (F1, math.nan, Verdict.TOO_LOW),
        (COUNT, 302, Verdict.REPRODUCED),
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


def test_a_claim_holds_without_more_words_only_on_real_data() -> None:
    claim = above("a", "b", "a beats b")

    def found(one: float | None, other: float | None, basis: Basis) -> ClaimVerdict:
        return claim_verdict(claim, {"a": Measured(one, basis), "b": Measured(other, Basis.REAL)})

    assert found(2, 1, Basis.REAL) is ClaimVerdict.HOLDS
    assert found(1, 1, Basis.REAL) is ClaimVerdict.DIFFERS
    assert found(2, 1, Basis.STAND_IN) is ClaimVerdict.HOLDS_ON_STAND_IN
    assert found(1, 2, Basis.STAND_IN) is ClaimVerdict.DIFFERS_ON_STAND_IN
    assert found(None, 1, Basis.REAL) is ClaimVerdict.NOT_TESTED
    assert found(math.nan, 1, Basis.REAL) is ClaimVerdict.NOT_TESTED
    assert claim_verdict(claim, {}) is ClaimVerdict.NOT_TESTED
    assert claim_verdict(Claim("none", (), lambda _found: True), {}) is ClaimVerdict.HOLDS
