"""How the linear model is fitted: ridge regression, its samples of charts, its scale of scores."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import expit
from sklearn.linear_model import Ridge
from sklearn.metrics import average_precision_score

from auscult.core.threads import limited
from auscult.models.linear.chart_samples import chart_samples
from auscult.models.linear.code_weights import fit_weights
from auscult.models.linear.ridge import gram, ridge

Gold = list[npt.NDArray[np.int64]]
CHARTS, GRAMS, CODES = 900, 400, 30


def charts(seed: int) -> tuple[sparse.csr_matrix, Gold]:
    """Rows of n-grams of length 1, and codes that raise the count of two n-grams each."""
    dice = np.random.default_rng(seed)
    share = 0.5 / (1 + np.arange(CODES))
    has = dice.random((CHARTS, CODES)) < share
    counts = dice.poisson(0.1 + 5 / (1 + np.arange(GRAMS)), (CHARTS, GRAMS)).astype(np.float32)
    for code in range(CODES):
        counts[:, 100 + 2 * code : 102 + 2 * code] += dice.poisson(
            0.8 * has[:, [code]], (CHARTS, 2)
        )
    counts /= np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1e-9)
    return sparse.csr_matrix(counts), [np.flatnonzero(row) for row in has]


def fitted(
    table: sparse.csr_matrix, gold: Gold, most: int
) -> tuple[sparse.csc_matrix, npt.NDArray[np.float32]]:
    return fit_weights(table, gold, CODES, strength=0.1, least=1, most=most, seed=0)


def scores(
    table: sparse.csr_matrix, gold: Gold, most: int, unseen: sparse.csr_matrix
) -> npt.NDArray[np.float64]:
    weights, bias = fitted(table, gold, most)
    return np.asarray(expit((unseen @ weights).toarray() + bias), np.float64)


def is_right(gold: Gold) -> npt.NDArray[np.bool_]:
    right = np.zeros((len(gold), CODES), bool)
    for row, codes in enumerate(gold):
        right[row, codes] = True
    return right


def test_the_regression_is_scikit_learns() -> None:
    table, gold = charts(0)
    right = is_right(gold).astype(float)
    ours = table.T @ ridge(table, right, 0.3, leave_out=False).coefficients
    with_constant = sparse.hstack([table, np.ones((CHARTS, 1))]).toarray()
    theirs = Ridge(alpha=0.3, fit_intercept=False).fit(with_constant, right)
    np.testing.assert_allclose(ours, theirs.coef_[:, :-1].T, atol=2e-3)


def test_inner_products_are_those_of_the_rows() -> None:
    table = sparse.random(700, 3_000, 0.03, format="csr", dtype=np.float32, random_state=0)
    table.data[table.indices < 20] *= 3
    np.testing.assert_allclose(gram(table), (table @ table.T).toarray(), atol=1e-3)


def test_a_chart_left_out_scores_what_a_regression_without_it_gives() -> None:
    table, gold = charts(0)
    table, right = table[:60], is_right(gold[:60]).astype(float)
    found = ridge(table, right, 0.1, leave_out=True).left_out
    assert found is not None
    rest = np.arange(60) != 7
    again = ridge(table[rest], right[rest], 0.1, leave_out=False).coefficients
    expected = ((table[7] @ table[rest].T).toarray() + 1) @ again
    np.testing.assert_allclose(found[[7]], expected, atol=1e-4)


@given(
    st.lists(st.sets(st.integers(0, 9), max_size=4), min_size=1, max_size=80),
    st.integers(10, 60),
)
@settings(max_examples=50, deadline=None)
def test_every_code_is_fitted_on_samples_that_stand_for_all_charts(
    coded: list[set[int]], most: int
) -> None:
    gold = [np.array(sorted(one), np.int64) for one in coded]
    having = [np.array([at for at, one in enumerate(coded) if code in one]) for code in range(10)]
    samples = chart_samples(gold, having, most, seed=0)
    assert {c for one in samples for c in one.codes.tolist()} == set().union(*coded)
    for one in samples:
        assert len(one.charts) == len(set(one.charts.tolist())) <= most
        assert one.weights.sum() == pytest.approx(len(gold))
        for code in () if one.is_shared else one.codes.tolist():
            assert set(having[code].tolist()) <= set(one.charts.tolist())
    shared = [one for one in samples if one.is_shared]
    if shared:
        assert sorted(np.concatenate([one.charts for one in shared])) == list(range(len(gold)))


def test_samples_cost_little() -> None:
    """Fitted on samples of a fifth of the charts, unseen ones are ranked nearly as well."""
    table, gold = charts(0)
    unseen, truth = charts(1)
    right = is_right(truth)
    whole, parts = (
        average_precision_score(right, scores(table, gold, most, unseen), average="micro")
        for most in (CHARTS, CHARTS // 5)
    )
    assert whole > 0.4
    assert parts > 0.85 * whole


@pytest.mark.parametrize("most", [CHARTS, CHARTS // 5])
def test_scores_of_unseen_charts_are_probabilities(most: int) -> None:
    table, gold = charts(0)
    unseen, truth = charts(1)
    found, right = scores(table, gold, most, unseen), is_right(truth)
    assert found.mean() == pytest.approx(right.mean(), rel=0.25)
    high = found > 0.5
    assert right[high].mean() > 0.6


@pytest.mark.parametrize("most", [CHARTS, CHARTS // 5])
def test_the_number_of_threads_changes_nothing(most: int) -> None:
    table, gold = charts(0)
    made = []
    for threads in (1, 3):
        with limited(threads):
            weights, bias = fitted(table, gold, most)
        made.append((weights.data.tobytes(), weights.indices.tobytes(), bias.tobytes()))
    assert made[0] == made[1]


def test_a_code_on_one_chart_is_found_on_a_similar_one() -> None:
    table, gold = charts(0)
    alone = CODES - 1
    gold = [one[one != alone] for one in gold]
    gold[3] = np.append(gold[3], alone)
    weights, bias = fitted(table, gold, CHARTS)
    odds = (table @ weights[:, [alone]]).toarray()[:, 0] + bias[alone]
    assert int(odds.argmax()) == 3


def test_rarer_codes_than_asked_for_score_their_base_rate() -> None:
    table, gold = charts(0)
    count = int(is_right(gold)[:, -1].sum())
    weights, bias = fit_weights(
        table, gold, CODES, strength=0.1, least=count + 1, most=CHARTS, seed=0
    )
    assert weights[:, [CODES - 1]].nnz == 0
    assert expit(bias[-1]) < 0.1
    assert weights[:, [0]].nnz > 0
