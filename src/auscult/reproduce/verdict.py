"""Whether a number is reproduced, and whether a claim holds.

There are five kinds of verdict, and they are never added up: only a number that was measured on the
paper's own data can be in or out of its band. A constant that equals the paper's is no measurement.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from auscult.reproduce.contract import Basis, Claim, Measured, Printed


class Kind(StrEnum):
    """What a verdict says anything about."""

    PAPER_DATA = "the paper's data"
    OPEN_DATA = "open data"
    STAND_IN = "stand-in"
    SETTING = "same setting"
    NEEDS_DATA = "needs data"


class Verdict(StrEnum):
    """The verdict on a published number."""

    IN_BAND = "in band"
    TOO_LOW = "too low"
    TOO_HIGH = "too high"
    OPEN_DATA = "open data"
    """Measured on real notes that are not, or not all of, the paper's: shown, not judged."""
    STAND_IN = "stand-in"
    """Measured on something else, so that its size says nothing about the printed number."""
    SAME_SETTING = "same setting"
    OTHER_SETTING = "other setting"
    NEEDS_DATA = "needs data"
    """Not measured."""

    @property
    def kind(self) -> Kind:
        """What it says anything about."""
        return _KINDS[self]


_KINDS = {
    Verdict.IN_BAND: Kind.PAPER_DATA,
    Verdict.TOO_LOW: Kind.PAPER_DATA,
    Verdict.TOO_HIGH: Kind.PAPER_DATA,
    Verdict.OPEN_DATA: Kind.OPEN_DATA,
    Verdict.STAND_IN: Kind.STAND_IN,
    Verdict.SAME_SETTING: Kind.SETTING,
    Verdict.OTHER_SETTING: Kind.SETTING,
    Verdict.NEEDS_DATA: Kind.NEEDS_DATA,
}
OUTSIDE = (Verdict.TOO_LOW, Verdict.TOO_HIGH)


class ClaimVerdict(StrEnum):
    """The verdict on a claim."""

    HOLDS = "holds"
    """Every effect has the right sign, and its interval excludes that there is none."""
    DIFFERS = "differs"
    """The interval of an effect lies wholly on the other side."""
    UNDECIDED = "undecided"
    NOT_TESTED = "not tested"


@dataclass(frozen=True, slots=True)
class ClaimResult:
    """Whether a claim holds, and for what."""

    claim: Claim
    verdict: ClaimVerdict
    kind: Kind
    """The least of the kinds of its numbers."""
    effects: tuple[tuple[float, tuple[float, float] | None], ...] = ()
    """Each effect, which is above 0 if it is there, with its interval."""
    by: tuple[str, ...] = ()
    """What was measured, where it is not what the claim names."""


_ROUNDING = 1e-9
_RANKED = (Basis.PAPER, Basis.REAL, Basis.OPEN, Basis.STAND_IN, Basis.SETTING)
_OF_BASIS = {
    Basis.PAPER: Kind.PAPER_DATA, Basis.REAL: Kind.PAPER_DATA, Basis.OPEN: Kind.OPEN_DATA,
    Basis.STAND_IN: Kind.STAND_IN, Basis.SETTING: Kind.SETTING,
}  # fmt: skip


def number_verdict(printed: Printed, measured: Measured | None) -> Verdict:
    """A number of the paper's own data must lie within the band; above it fails as below it does.

    >>> printed = Printed("Supervised", "token F1", 43.0, within=2.0)
    >>> real = [Measured(f1, Basis.REAL) for f1 in (40.9, 41.0, 45.0, 45.1)]
    >>> [number_verdict(printed, each).value for each in real]
    ['too low', 'in band', 'in band', 'too high']
    >>> number_verdict(printed, Measured(43.0, Basis.STAND_IN)).value
    'stand-in'
    >>> number_verdict(printed, Measured(43.0, Basis.SETTING)).value
    'same setting'
    """
    if measured is None or measured.value is None:
        return Verdict.NEEDS_DATA
    if measured.basis is Basis.STAND_IN:
        return Verdict.STAND_IN
    if measured.basis is Basis.OPEN:
        return Verdict.OPEN_DATA
    off = measured.value - printed.value
    slack = _ROUNDING * max(1.0, abs(printed.value))
    if measured.basis is Basis.SETTING:
        return Verdict.SAME_SETTING if abs(off) <= slack else Verdict.OTHER_SETTING
    if not math.isfinite(measured.value):
        return Verdict.TOO_HIGH if measured.value > 0 else Verdict.TOO_LOW
    if abs(off) <= printed.within + slack:
        return Verdict.IN_BAND
    return Verdict.TOO_HIGH if off > 0 else Verdict.TOO_LOW


def is_inside(printed: Printed, measured: Measured | None) -> bool | None:
    """Whether the published number is inside our interval; None where that cannot be asked.

    It is asked of real data only: a stand-in's interval is about the stand-in.
    """
    if measured is None or measured.interval is None or not measured.is_known:
        return None
    if number_verdict(printed, measured).kind not in (Kind.PAPER_DATA, Kind.OPEN_DATA):
        return None
    low, high = measured.interval
    return low <= printed.value <= high


def claim_result(claim: Claim, numbers: Mapping[str, Measured]) -> ClaimResult:
    """Whether a claim holds for what was measured; not tested where a number is missing.

    It holds if each of its effects has the right sign and an interval that excludes that there is
    none, and differs if one has an interval wholly on the other side. Without an interval, or with
    one that includes 0, it is undecided, however large the effect.
    """
    known = {key: numbers[key] for key in claim.keys if key in numbers and numbers[key].is_known}
    if len(known) < len(claim.keys):
        return ClaimResult(claim, ClaimVerdict.NOT_TESTED, Kind.NEEDS_DATA)
    kind = _OF_BASIS[max((one.basis for one in known.values()), key=_RANKED.index)]
    values = {key: one.value or 0.0 for key, one in known.items()}
    effects = tuple((one.of(values), one.interval(known)) for one in claim.effects)
    by = tuple(dict.fromkeys(one.by for one in known.values() if one.by))
    return ClaimResult(claim, _decided([edges for _, edges in effects]), kind, effects, by)


def _decided(intervals: list[tuple[float, float] | None]) -> ClaimVerdict:
    if any(edges is not None and edges[1] < 0 for edges in intervals):
        return ClaimVerdict.DIFFERS
    if all(edges is not None and edges[0] > 0 for edges in intervals):
        return ClaimVerdict.HOLDS
    return ClaimVerdict.UNDECIDED
