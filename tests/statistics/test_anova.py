"""Two-factor analysis of variance, against statsmodels and by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from statsmodels.formula.api import ols
from statsmodels.stats.anova import AnovaRM, anova_lm

from auscult.core import OptionError
from auscult.statistics.anova import two_factor_anova
from auscult.statistics.bootstrap import Floats


def long(table: Floats) -> pd.DataFrame:
    rows = [(f"s{i}", f"c{j}", value) for (i, j), value in np.ndenumerate(table)]
    return pd.DataFrame(rows, columns=["system", "code", "f"])


def test_worked_by_hand() -> None:
    """Means .7 and .5, .8 .75 .25; squares .06, .37 and .01 left, of which there are 2."""
    found = two_factor_anova(np.array([[0.9, 0.8, 0.4], [0.7, 0.7, 0.1]]))
    system, code = found.factors
    assert [system.freedom, code.freedom, found.freedom] == [1, 2, 2]
    assert [system.sum_of_squares, code.sum_of_squares, found.sum_of_squares] == pytest.approx(
        [0.06, 0.37, 0.01]
    )
    assert [system.f_ratio.value, code.f_ratio.value] == pytest.approx([12, 37])
    # The square root of 12 is the t of two degrees of freedom that leaves so much outside.
    assert system.p_value.value == pytest.approx(1 - np.sqrt(12 / 14))


TABLES = arrays(
    np.float64,
    st.tuples(st.integers(2, 6), st.integers(2, 7)),
    elements=st.integers(0, 100).map(lambda n: n / 100),
)


@settings(max_examples=25, deadline=None)
@given(TABLES)
def test_it_is_what_statsmodels_fits(table: Floats) -> None:
    found = two_factor_anova(table)
    fitted = anova_lm(ols("f ~ C(system) + C(code)", data=long(table)).fit())
    squares = [f.sum_of_squares for f in found.factors] + [found.sum_of_squares]
    assert squares == pytest.approx(fitted["sum_sq"].to_list(), abs=1e-9)
    if found.sum_of_squares > 1e-6:
        ratios = [f.f_ratio.value for f in found.factors]
        assert ratios == pytest.approx(fitted["F"].to_list()[:2], rel=1e-6, abs=1e-9)
        chances = [f.p_value.value for f in found.factors]
        assert chances == pytest.approx(fitted["PR(>F)"].to_list()[:2], rel=1e-6, abs=1e-12)


def test_systems_as_repeated_measures_of_codes() -> None:
    table = np.random.default_rng(3).random((5, 12))
    repeated = AnovaRM(long(table), "f", "code", within=["system"]).fit().anova_table
    system = two_factor_anova(table).factors[0]
    assert system.f_ratio.value == pytest.approx(repeated["F Value"].iloc[0])
    assert system.p_value.value == pytest.approx(repeated["Pr > F"].iloc[0])


def test_without_error_there_is_no_ratio() -> None:
    found = two_factor_anova(np.array([[0.1, 0.2], [0.3, 0.4]]))
    assert found.factors[0].p_value.value is None
    assert "residual variance is 0" in (found.factors[0].p_value.undefined or "")


@pytest.mark.parametrize(
    "table", [np.ones((1, 3)), np.ones((3, 1)), np.array([[1, 2], [3, np.nan]])]
)
def test_tables_that_cannot_be_analyzed(table: Floats) -> None:
    with pytest.raises(OptionError, match="two systems and two codes"):
        two_factor_anova(table)
