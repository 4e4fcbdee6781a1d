"""What a reproduction is: a published table or figure, how to make it, and what counts as made.

A paper prints numbers. Each is `Printed`, with how far a number that was measured may lie from it,
to either side. What was measured is `Measured`, and says on what: only what comes from the paper's
own data can be a reproduction of a number. On a stand-in only the shape can be the same, and that
is what a `Claim` is about: a sentence that is true of the printed numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from auscult.core import Metric

if TYPE_CHECKING:
    from auscult.reproduce.work import Workspace


class Basis(StrEnum):
    """The data a number was measured on."""

    PAPER = "paper"
    """Numbers printed in the paper itself: no data needed."""
    REAL = "real"
    """The paper's own data."""
    PART = "part"
    """An open part of the paper's own data."""
    STAND_IN = "stand-in"
    """Other data with the same structure."""


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

    @classmethod
    def of(cls, metric: Metric, basis: Basis, *, times: float = 1.0) -> Measured:
        """A metric, as many times as large (100 for per cent)."""
        if metric.value is None:
            return cls(None, basis, n=metric.n, undefined=metric.undefined)
        edges = metric.interval
        interval = None if edges is None else (edges[0] * times, edges[1] * times)
        return cls(metric.value * times, basis, interval, n=metric.n)


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement about some of the numbers, and a test of whether it holds for given ones."""

    says: str
    keys: tuple[str, ...]
    holds: Callable[[Mapping[str, float]], bool] = field(repr=False)


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
    """The commands, or the Python code, that do the same step by step."""
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


def above(larger: str, smaller: str, text: str) -> Claim:
    """One number is larger than another."""
    return Claim(text, (larger, smaller), lambda found: found[larger] > found[smaller])


def highest(best: str, others: Sequence[str], text: str) -> Claim:
    """One number is larger than all others."""
    keys = (best, *others)
    return Claim(text, keys, lambda found: all(found[best] > found[one] for one in others))


def near(one: str, other: str, within: float, text: str) -> Claim:
    """Two numbers are about the same."""
    return Claim(text, (one, other), lambda found: abs(found[one] - found[other]) <= within)


def at_least(key: str, limit: float, text: str) -> Claim:
    """A number is not below a limit."""
    return Claim(text, (key,), lambda found: found[key] >= limit)


def at_most(key: str, limit: float, text: str) -> Claim:
    """A number is not above a limit."""
    return Claim(text, (key,), lambda found: found[key] <= limit)
