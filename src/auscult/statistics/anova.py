"""Two-factor analysis of variance with one value in each cell: do systems differ, do codes?

    value(system, code) = mean + system + code + error

With one value a cell and no cell missing the sums of squares have a closed form, so no regression
over dummy variables is fitted. The interaction of the two factors is the error: a system that is
good at other codes than its rivals makes differences between systems harder to see.

Fisher 1925, "Statistical Methods for Research Workers"; used by Pestian et al. 2007, section 5.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from auscult.core import Metric, OptionError
from auscult.core.results import MetricRow, Result
from auscult.statistics.bootstrap import Floats

# Sums of squares are of numbers from 0 to 1; below this they are rounding, not variance.
_NOTHING = 1e-18


@dataclass(frozen=True, slots=True)
class Factor:
    """One factor: its F ratio and p-value."""

    name: str
    freedom: int
    sum_of_squares: float
    f_ratio: Metric
    p_value: Metric

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "factor": self.name,
            "degrees_of_freedom": self.freedom,
            "sum_of_squares": self.sum_of_squares,
            "f_ratio": self.f_ratio.value,
            "p_value": self.p_value.value,
            "undefined": self.p_value.undefined,
        }


@dataclass(frozen=True, slots=True, repr=False)
class Anova(Result):
    """Both factors, and the residual."""

    factors: tuple[Factor, Factor]
    freedom: int
    sum_of_squares: float

    def metric_rows(self) -> Iterator[MetricRow]:
        """The F ratio and the p-value of each factor."""
        for factor in self.factors:
            yield {"factor": factor.name}, factor.f_ratio
            yield {"factor": factor.name}, factor.p_value

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "factors": [factor.to_dict() for factor in self.factors],
            "residual_degrees_of_freedom": self.freedom,
            "residual_sum_of_squares": self.sum_of_squares,
        }


def two_factor_anova(values: Floats, names: tuple[str, str] = ("system", "code")) -> Anova:
    """Two-factor analysis of variance of a table: rows are the first factor, columns the second.

    >>> found = two_factor_anova(np.array([[0.9, 0.8, 0.4], [0.7, 0.7, 0.1]]))
    >>> [round(factor.f_ratio.value, 3) for factor in found.factors]
    [12.0, 37.0]
    """
    from scipy.stats import f as f_distribution

    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or min(table.shape) < 2 or not np.isfinite(table).all():
        raise OptionError(
            f"An analysis of variance needs at least two {names[0]}s and two {names[1]}s, "
            f"with a value for each pair; got {' × '.join(map(str, table.shape))}."
        )
    rows, columns = table.shape
    mean = table.mean()
    by_row, by_column = table.mean(axis=1), table.mean(axis=0)
    explained = (columns * ((by_row - mean) ** 2).sum(), rows * ((by_column - mean) ** 2).sum())
    residual = ((table - by_row[:, None] - by_column + mean) ** 2).sum()
    left = (rows - 1) * (columns - 1)

    def factor(name: str, freedom: int, squares: float) -> Factor:
        ratio, chance = "mean square of the factor over that of the error", "upper tail of F"
        if residual <= _NOTHING:
            why = "the residual variance is 0"
            f_ratio, p_value = (
                Metric("f_ratio", ratio, undefined=why),
                Metric("p_value", chance, undefined=why),
            )
        else:
            value = float((squares / freedom) / (residual / left))
            f_ratio = Metric("f_ratio", ratio, value, n=table.size)
            tail = float(f_distribution.sf(value, freedom, left))
            p_value = Metric("p_value", chance, tail, n=table.size)
        return Factor(name, freedom, float(squares), f_ratio, p_value)

    both = (
        factor(names[0], rows - 1, explained[0]),
        factor(names[1], columns - 1, explained[1]),
    )
    return Anova(both, left, float(residual))
