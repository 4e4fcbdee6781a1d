"""Whether a number is reproduced, and whether a claim holds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import StrEnum

from auscult.reproduce.contract import Basis, Claim, Measured, Printed


class Verdict(StrEnum):
    """The verdict on a published number."""

    REPRODUCED = "reproduced"
    TOO_LOW = "too low"
    TOO_HIGH = "too high"
    STAND_IN = "stand-in"
    """Measured on something else, so that its size says nothing about the printed number."""
    NEEDS_DATA = "needs data"
    """Not measured."""


class ClaimVerdict(StrEnum):
    """The verdict on a claim."""

    HOLDS = "holds"
    HOLDS_ON_STAND_IN = "holds on the stand-in"
    DIFFERS = "differs"
    DIFFERS_ON_STAND_IN = "differs on the stand-in"
    NOT_TESTED = "not tested"


_ROUNDING = 1e-9


def number_verdict(printed: Printed, measured: Measured | None) -> Verdict:
    """A number of the paper's own data must lie within the band; above it fails as below it does.

    >>> printed = Printed("Supervised", "token F1", 43.0, within=2.0)
    >>> real = [Measured(f1, Basis.REAL) for f1 in (40.9, 41.0, 45.0, 45.1)]
    >>> [number_verdict(printed, each).value for each in real]
    ['too low', 'reproduced', 'reproduced', 'too high']
    >>> number_verdict(printed, Measured(43.0, Basis.STAND_IN)).value
    'stand-in'
    """
    if measured is None or measured.value is None:
        return Verdict.NEEDS_DATA
    if measured.basis is Basis.STAND_IN:
        return Verdict.STAND_IN
    if not math.isfinite(measured.value):
        return Verdict.TOO_HIGH if measured.value > 0 else Verdict.TOO_LOW
    off = measured.value - printed.value
    if abs(off) <= printed.within + _ROUNDING * max(1.0, abs(printed.value)):
        return Verdict.REPRODUCED
    return Verdict.TOO_HIGH if off > 0 else Verdict.TOO_LOW


def claim_verdict(claim: Claim, numbers: Mapping[str, Measured]) -> ClaimVerdict:
    """Whether a claim is true of what was measured; not tested where a number is missing.

    Only when all of its numbers come from the paper's own data does it hold without more words.
    """
    found: dict[str, float] = {}
    for key in claim.keys:
        measured = numbers.get(key)
        if measured is None or measured.value is None or not math.isfinite(measured.value):
            return ClaimVerdict.NOT_TESTED
        found[key] = measured.value
    is_real = all(numbers[key].basis is not Basis.STAND_IN for key in claim.keys)
    if claim.holds(found):
        return ClaimVerdict.HOLDS if is_real else ClaimVerdict.HOLDS_ON_STAND_IN
    return ClaimVerdict.DIFFERS if is_real else ClaimVerdict.DIFFERS_ON_STAND_IN
