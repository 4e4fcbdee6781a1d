"""95% intervals of what the benchmarked functions return without one."""

from __future__ import annotations

import math

from scipy import stats

_NORMAL = 1.959963984540054
Interval = tuple[float, float]


def of_share(count: int, of: int) -> Interval | None:
    """Of a share in per cent, by Wilson's score method.

    >>> low, high = of_share(126, 2216)
    >>> print(f"{low:.2f} {high:.2f}")
    4.80 6.73
    """
    if not of:
        return None
    found = stats.binomtest(count, of).proportion_ci(method="wilson")
    return 100 * float(found.low), 100 * float(found.high)


def of_correlation(value: float, pairs: int, *, ranked: bool = True) -> Interval | None:
    """Of a correlation over pairs, by Fisher's z; of ranks with Bonett and Wright's variance.

    None where the method gives none: of fewer than four pairs, and of a perfect correlation.

    >>> low, high = of_correlation(0.5754, 49)
    >>> print(f"{low:.2f} {high:.2f}")
    0.33 0.75
    """
    if pairs < 4 or not math.isfinite(value) or abs(value) >= 1:
        return None
    error = math.sqrt((1 + value**2 / 2 if ranked else 1) / (pairs - 3))
    middle = math.atanh(value)
    return math.tanh(middle - _NORMAL * error), math.tanh(middle + _NORMAL * error)
