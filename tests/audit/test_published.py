"""The paper's tables, and what follows from them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from auscult.audit.alignment import printed_spearman, spearman
from auscult.audit.published import TABLES, rankings, table
from auscult.core import OptionError


@pytest.mark.parametrize(
    ("column", "printed", "exact", "ignoring_ties"),
    [("language", 0.5754, 0.5755, 0.594), ("tf_idf", 0.1259, 0.1259, 0.180)],
)
def test_spearman_of_tables_8_and_9(
    column: str, printed: float, exact: float, ignoring_ties: float
) -> None:
    found = rankings()
    clinicians = found["manual"].to_numpy().astype(np.float64)
    model = found[column].to_numpy().astype(np.float64)
    value = spearman(clinicians, model)
    assert value == pytest.approx(exact, abs=5e-5)
    assert value == pytest.approx(printed, abs=1.1e-4)
    assert value == pytest.approx(stats.spearmanr(clinicians, model).statistic)
    # The formula that the paper prints, on the ranks that it prints.
    assert printed_spearman(clinicians, model) == pytest.approx(ignoring_ties, abs=5e-4)


def test_the_tables_are_whole() -> None:
    assert [len(table(name)) for name in TABLES] == [13, 13, 11, 11, 25, 24]
    words = rankings()["word"].to_list()
    assert len(set(words)) == 49
    for name in ("table4", "table5", "table6", "table7"):
        assert sorted(table(name)["rank"]) == list(range(1, len(table(name)) + 1))
    for column in ("language", "tf_idf"):
        assert sorted(rankings()[column]) == list(range(1, 50))
    # Both tables of a way of swapping speak of the same words and frequencies.
    for one, other in (("table4", "table5"), ("table6", "table7")):
        columns = [table(name).select("word", "frequency").sort("word") for name in (one, other)]
        assert columns[0].equals(columns[1])
    with pytest.raises(OptionError, match="no published table 'table3'"):
        table("table3")


def test_the_ranks_of_one_swap_follow_the_scores() -> None:
    for name in ("table6", "table7"):
        scores = table(name)["score"].to_numpy()
        assert (np.diff(scores) <= 0).all()
