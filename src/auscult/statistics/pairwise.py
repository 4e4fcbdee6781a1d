"""Pairwise t-tests of systems with Holm's correction, and groups that do not differ.

The tests are paired: two systems are compared code by code, on the same codes. Holm's correction
keeps the chance of even one false difference among all pairs below the level, and is never weaker
than Bonferroni's.

Holm 1979, "A simple sequentially rejective multiple test procedure"; Piepho 2004, "An algorithm
for a letter-based representation of all-pairwise comparisons".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from auscult.core import OptionError
from auscult.statistics.bootstrap import Floats

LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class PairwiseTest:
    """Two systems by index, their mean difference, and its p-value."""

    first: int
    second: int
    difference: float
    t: float
    p_value: float
    corrected: float
    """Holm-corrected, over all pairs."""

    @property
    def differs(self) -> bool:
        """Whether the two differ significantly at the level of 0.05."""
        return self.corrected < LEVEL


def pairwise_tests(values: Floats) -> tuple[PairwiseTest, ...]:
    """Paired t-tests between all rows of a table (systems × codes), corrected together.

    Two systems that are the same on every code have p = 1; two whose difference is the same on
    every code, and not 0, have p = 0, as they would however small the spread.
    """
    from scipy.stats import t as t_distribution

    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] < 2 or not np.isfinite(table).all():
        raise OptionError(
            "A t-test between two systems needs at least two codes, with a value for each; "
            f"got {' × '.join(map(str, table.shape))}."
        )
    systems, codes = table.shape
    pairs = list(combinations(range(systems), 2))
    if not pairs:
        return ()
    one, other = np.array(pairs).T
    differences = table[one] - table[other]  # (pairs, codes)
    mean = differences.mean(axis=1)
    error = differences.std(axis=1, ddof=1) / np.sqrt(codes)
    same = np.abs(mean) < 1e-15
    # What is left of a constant difference after subtraction is rounding, not spread.
    steady = error < 1e-15
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(steady, np.where(same, 0.0, np.sign(mean) * np.inf), mean / error)
    chance = 2 * t_distribution.sf(np.abs(t), codes - 1)
    columns = zip(pairs, mean, t, chance, holm(chance), strict=True)
    return tuple(
        PairwiseTest(first, second, float(m), float(s), float(p), float(c))
        for (first, second), m, s, p, c in columns
    )


def holm(p_values: Floats) -> Floats:
    """Holm-corrected p-values.

    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values, kind="stable")
    scaled = p_values[order] * np.arange(len(p_values), 0, -1)
    corrected = np.empty_like(p_values)
    corrected[order] = np.minimum(np.maximum.accumulate(scaled), 1) if len(p_values) else scaled
    return corrected


def groups_alike(systems: int, pairs: tuple[PairwiseTest, ...]) -> list[tuple[int, ...]]:
    """Groups of systems that do not differ significantly, in the order of their ranking.

    Two systems share a group exactly if their test is not significant. A system may be in several
    groups: if A does not differ from B nor B from C, A may still differ from C.

    >>> same, other = (0, 0, 1, 1), (1, 9, 0, 0)
    >>> tests = [PairwiseTest(0, 1, *same), PairwiseTest(0, 2, *other), PairwiseTest(1, 2, *same)]
    >>> groups_alike(3, tests)
    [(0, 1), (1, 2)]
    """
    alike = np.ones((systems, systems), dtype=np.bool_)
    for pair in pairs:
        alike[pair.first, pair.second] = alike[pair.second, pair.first] = not pair.differs
    return sorted(_covering(alike))


def _covering(alike: NDArray[np.bool_]) -> Iterator[tuple[int, ...]]:
    """Sets whose members are all alike and that nobody can be added to, covering all such pairs."""
    systems = len(alike)
    covered = np.zeros_like(alike)
    for one in range(systems):
        for other in range(one, systems):
            if not alike[one, other] or covered[one, other]:
                continue
            group = [one] if one == other else [one, other]
            for third in range(systems):
                if third not in group and alike[third, group].all():
                    group.append(third)
            covered[np.ix_(group, group)] = True
            yield tuple(sorted(group))


def letters(at: int) -> str:
    """The name of a group: a to z, then aa, ab and so on.

    >>> letters(0), letters(25), letters(26)
    ('a', 'z', 'aa')
    """
    name = ""
    at += 1
    while at:
        at, last = divmod(at - 1, 26)
        name = chr(ord("a") + last) + name
    return name
