"""What a step takes at the size of MIMIC-IV, from two sizes worked out by hand."""

from __future__ import annotations

import pytest
from bench.commands import Run
from bench.mimic_corpus import CODES
from bench.mimic_size import at_mimic_iv


def test_memory_goes_along_a_line_and_time_by_its_slope() -> None:
    found = {1_000: Run(0, 1, 9_999), 5_000: Run(0, 60, 600), 10_000: Run(0, 120, 700)}
    worked_out = at_mimic_iv(found, {})
    assert worked_out is not None
    assert worked_out.a_chart == pytest.approx(20)  # 100 MB for 5,000 charts
    assert worked_out.megabytes == pytest.approx(700 + 290 * 20)
    assert worked_out.minutes == pytest.approx(2 * 30)
    assert worked_out.a_code is None


def test_codes_are_counted_where_they_were_measured() -> None:
    found = {5_000: Run(0, 60, 600), 10_000: Run(0, 120, 700)}
    worked_out = at_mimic_iv(found, {(5_000, CODES + 10_000): Run(0, 60, 800)})
    assert worked_out is not None
    assert worked_out.a_code == pytest.approx(20)  # 200 MB for 10,000 codes
    assert worked_out.megabytes == pytest.approx(700 + 290 * 20 + 0.02 * (26_000 - CODES))
    assert at_mimic_iv({5_000: Run(0, 60, 600)}, {}) is None
