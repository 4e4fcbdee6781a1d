"""What a reproduction is: a published table or figure, how to make it, and what counts as made.

A paper prints numbers. Each is `Printed`, with how far a number that was measured may lie from it,
to either side. What was measured is `Measured`, and says on what: only what comes from the paper's
own data can be a reproduction of a number. On a stand-in only the shape can be the same, and that
is what a `Claim` is about: a sentence that is true of the printed numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from auscult.core import Metric

if TYPE_CHECKING:
    from auscult.reproduce.work import Workspace


class Basis(StrEnum):
    """What a number was measured on."""

    PAPER = "paper"
    """Data printed in the paper itself."""
    REAL = "real"
    """The paper's own data."""
    OPEN = "open"
    """Open data that are not the paper's, or a part of them."""
    STAND_IN = "stand-in"
    """Synthetic data, or another system than the paper's."""
    SETTING = "setting"
    """Nothing: it is a constant or a size of Auscult's."""


@dataclass(frozen=True, slots=True)
class Printed:
    """A published number, and the tolerance for a measured one."""

    row: str
    column: str
    value: float
    within: float
    style: str = ",g"
    spread: float | None = None
    """The ± beside it, where there is one."""

    @property
    def key(self) -> str:
        """What it is called: its row and its column."""
        return f"{self.row} · {self.column}"


@dataclass(frozen=True, slots=True)
class Measured:
    """A number that was measured, or why there is none."""

    value: float | None
    basis: Basis
    interval: tuple[float, float] | None = None
    spread: float | None = None
    """The standard deviation over runs, where there are several."""
    n: int | None = None
    undefined: str | None = None
    exact: bool = False
    """Counted in all of the data, so that without an interval it is certain."""
    by: str | None = None
    """What was measured, where it is not what the paper's row or column names."""

    @classmethod
    def of(
        cls, metric: Metric, basis: Basis, *, times: float = 1.0, by: str | None = None
    ) -> Measured:
        """A metric, as many times as large (100 for per cent)."""
        if metric.value is None:
            return cls(None, basis, n=metric.n, undefined=metric.undefined, by=by)
        edges = metric.interval
        interval = None if edges is None else (edges[0] * times, edges[1] * times)
        return cls(metric.value * times, basis, interval, n=metric.n, by=by)

    @classmethod
    def counted(cls, value: float, basis: Basis, *, n: int | None = None) -> Measured:
        """A count or a share of all of the data."""
        return cls(value, basis, n=n, exact=True)

    @property
    def is_known(self) -> bool:
        """Whether there is a finite number."""
        return self.value is not None and math.isfinite(self.value)

    @property
    def edges(self) -> tuple[float, float] | None:
        """Its interval; of what was counted in the data that a claim is about, itself."""
        if self.interval is not None or self.value is None:
            return self.interval
        is_certain = self.basis is Basis.PAPER or (self.exact and self.basis is Basis.REAL)
        return (self.value, self.value) if is_certain else None


@dataclass(frozen=True, slots=True)
class Effect:
    """A weighted sum of numbers, and the limit that it exceeds if there is the effect."""

    weights: tuple[tuple[str, float], ...]
    beyond: float = 0.0

    def of(self, found: Mapping[str, float]) -> float:
        """How far the sum is above the limit."""
        return sum(weight * found[key] for key, weight in self.weights) - self.beyond

    def interval(self, numbers: Mapping[str, Measured]) -> tuple[float, float] | None:
        """Its interval from those of the numbers; None where one of them has none.

        By the method of variance estimates recovery (Zou and Donner 2008), for independent
        numbers. The scores of two systems on the same notes tend to rise and fall together: the
        interval of their difference is then too wide rather than too narrow, that of their sum
        too narrow.

        >>> both = {"a": Measured(5.0, Basis.REAL, (4.0, 7.0)),
        ...         "b": Measured(1.0, Basis.REAL, (-2.0, 2.0))}
        >>> low, high = Effect((("a", 1.0), ("b", -1.0))).interval(both)
        >>> print(f"{low:.3f} {high:.3f}")  # 4 - sqrt(1 + 1) and 4 + sqrt(4 + 9)
        2.586 7.606
        """
        below = above = 0.0
        for key, weight in self.weights:
            number = numbers[key]
            edges = number.edges
            if edges is None or number.value is None:
                return None
            here = weight * number.value
            low, high = sorted(weight * edge for edge in edges)
            below += max(0.0, here - low) ** 2
            above += max(0.0, high - here) ** 2
        middle = self.of({key: numbers[key].value or 0.0 for key, _ in self.weights})
        return middle - math.sqrt(below), middle + math.sqrt(above)


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement about some of the numbers, and the effects that it says there are."""

    says: str
    effects: tuple[Effect, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """The numbers that it is about."""
        every = [key for effect in self.effects for key, _ in effect.weights]
        return tuple(dict.fromkeys(every))

    def holds(self, found: Mapping[str, float]) -> bool:
        """Whether it is true of numbers without uncertainty, such as the printed ones."""
        return all(effect.of(found) > 0 for effect in self.effects)


@dataclass(frozen=True, slots=True)
class UsedData:
    """Data used by a reproduction."""

    name: str
    basis: Basis
    digest: str
    """SHA-256 of its files."""
    description: str
    """Description in words."""


@dataclass(frozen=True, slots=True)
class ReproductionOutcome:
    """The outcome of running a reproduction."""

    numbers: Mapping[str, Measured]
    used: tuple[UsedData, ...]
    remarks: tuple[str, ...] = ()
    seeds: tuple[int, ...] = ()
    figure: str | None = field(default=None, repr=False)
    """An SVG, where what is reproduced is a figure."""
    commands: tuple[str, ...] = ()
    """The commands that give the same numbers, with the files and settings of this run."""


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A published table or figure."""

    name: str
    paper: str
    label: str
    """As the paper calls it: Table 3."""
    title: str
    needs: str
    """The original data, and where to get it."""
    stand_in: str
    """What is used if the original data is not given."""
    calls: tuple[str, ...]
    """The commands, or the Python code, that do such a thing step by step on other data."""
    run: Callable[[Workspace], ReproductionOutcome] = field(repr=False)
    published: tuple[Printed, ...] = ()
    claims: tuple[Claim, ...] = ()
    options: tuple[str, ...] = ()
    """The options of `auscult reproduce` for the original data."""
    remark: str = ""
    """A remark about the published numbers."""


def grid(
    columns: Sequence[str],
    rows: Mapping[str, Sequence[float | None]],
    *,
    within: float | Sequence[float] = 0.0,
    style: str | Sequence[str] = ",g",
) -> tuple[Printed, ...]:
    """The numbers of a printed table, row by row; None where it has no number.

    `within` and `style` may be given for each column.

    >>> [one.key for one in grid(["IP", "PF"], {"Charts": [302, 52]})]
    ['Charts · IP', 'Charts · PF']
    """
    made = []
    for row, values in rows.items():
        for at, (column, value) in enumerate(zip(columns, values, strict=True)):
            if value is not None:
                near = within if isinstance(within, float | int) else within[at]
                shown = style if isinstance(style, str) else style[at]
                made.append(Printed(row, column, float(value), near, shown))
    return tuple(made)


def above(larger: str, smaller: str, text: str, *, floor: float | None = None) -> Claim:
    """One number is larger than another, and than a floor if there is one."""
    effects = [Effect(((larger, 1.0), (smaller, -1.0)))]
    if floor is not None:
        effects.append(Effect(((larger, 1.0),), floor))
    return Claim(text, tuple(effects))


def highest(best: str, others: Sequence[str], text: str) -> Claim:
    """One number is larger than all others."""
    return Claim(text, tuple(Effect(((best, 1.0), (one, -1.0))) for one in others))


def near(one: str, other: str, within: float, text: str) -> Claim:
    """Two numbers differ by less than `within`."""
    return Claim(
        text,
        (
            Effect(((one, 1.0), (other, -1.0)), -within),
            Effect(((one, -1.0), (other, 1.0)), -within),
        ),
    )


def at_least(key: str, limit: float, text: str) -> Claim:
    """A number is above a limit."""
    return Claim(text, (Effect(((key, 1.0),), limit),))


def at_most(key: str, limit: float, text: str) -> Claim:
    """A number is below a limit."""
    return Claim(text, (Effect(((key, -1.0),), -limit),))
