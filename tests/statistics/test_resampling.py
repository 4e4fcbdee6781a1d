"""Intervals and tests of significance: do they keep what they promise?"""

from __future__ import annotations

import time

import numpy as np
import pytest
from numpy.typing import NDArray

from auscult.core import Annotation, Code, OptionError, Status
from auscult.corpus import Corpus
from auscult.evaluate import code_metrics, compare_codes, pair
from auscult.evaluate.matching import ratio_statistic
from auscult.statistics import bootstrap
from auscult.statistics.significance import compare

Ints = NDArray[np.int64]


def charts(dice: np.random.Generator, number: int, skill: float = 0.6) -> Ints:
    """TP, FP, FN of charts that differ in size and difficulty, as charts do."""
    size = dice.integers(1, 20, size=number)
    ease = np.clip(dice.normal(skill, 0.2, size=number), 0, 1)
    tp = dice.binomial(size, ease)
    return np.stack([tp, dice.binomial(size, 1 - ease), size - tp], axis=1)


def test_interval_covers_the_truth() -> None:
    dice = np.random.default_rng(1)
    large = charts(dice, 200_000).sum(axis=0)
    truth = 2 * large[0] / (2 * large[0] + large[1] + large[2])
    covered = 0
    for trial in range(200):
        statistic = ratio_statistic({"x": charts(dice, 80)})
        begin, end = bootstrap.intervals(statistic, 80, times=300, seed=trial)[2]
        covered += begin <= truth <= end
    # 95% of 200 is 190; the percentile interval is a little short with 80 charts.
    assert 178 <= covered <= 199


def test_same_seed_same_interval() -> None:
    statistic = ratio_statistic({"x": charts(np.random.default_rng(2), 50)})
    one, two, other = (bootstrap.intervals(statistic, 50, seed=seed) for seed in (7, 7, 8))
    assert (one == two).all()
    assert (one != other).any()


def test_weights_are_draws_with_replacement() -> None:
    drawn = np.concatenate(list(bootstrap.draws(40, 3000, 0)))
    assert (drawn.sum(axis=1) == 40).all()
    assert drawn.mean() == 1.0
    assert drawn.var() == pytest.approx(39 / 40, rel=0.02)


@pytest.mark.filterwarnings("ignore:.*no predictions")
def test_interval_of_a_macro_measure_is_around_it() -> None:
    """Rare codes are often not drawn, which must not put the interval beside the value."""
    dice = np.random.default_rng(9)
    gold = [Annotation("g", Code("CPT", str(c)), str(i)) for i in range(60) for c in (i, i % 7)]
    kept = [Annotation("p", a.code, a.chart_id) for a in gold if dice.random() < 0.6]
    wrong = [Annotation("p", Code("CPT", f"x{i}"), str(i)) for i in range(0, 60, 4)]
    found = code_metrics(pair(Corpus.of([], gold), Corpus.of([], kept + wrong)), times=300)
    for name, metric in found.metrics.items():
        if metric.value is not None and metric.interval is not None:
            begin, end = metric.interval
            assert begin <= metric.value <= end, name


def test_one_chart_has_no_interval() -> None:
    statistic = ratio_statistic({"x": np.array([[1, 0, 0]])})
    assert np.isnan(bootstrap.intervals(statistic, 1)).all()
    with pytest.raises(OptionError, match="0 or more"):
        bootstrap.intervals(statistic, 1, times=-1)


def test_ten_thousand_charts_are_quick() -> None:
    tables = {str(at): charts(np.random.default_rng(at), 10_000) for at in range(4)}
    begun = time.process_time()
    bootstrap.intervals(ratio_statistic(tables), 10_000, times=1000)
    assert time.process_time() - begun < 5


def test_randomization_is_level_when_nothing_differs() -> None:
    """Of two models that are equally good, about one comparison in twenty has p ≤ 0.05."""
    dice = np.random.default_rng(3)
    low = 0
    for trial in range(200):
        both = np.concatenate([charts(dice, 40), charts(dice, 40)])
        f1 = compare(ratio_statistic({"x": both}), ["p", "r", "f1"], 40, times=200, seed=trial)[2]
        assert f1.p_value.value is not None
        low += f1.p_value.value <= 0.05
    assert 2 <= low <= 20


def test_randomization_against_every_swap() -> None:
    """Six charts have 64 ways of swapping: the share of them is the p-value."""
    dice = np.random.default_rng(4)
    one, two = charts(dice, 6, 0.8), charts(dice, 6, 0.3)

    def f1(counts: Ints) -> float:
        tp, fp, fn = counts.sum(axis=0)
        return float(2 * tp / (2 * tp + fp + fn))

    seen = abs(f1(one) - f1(two))
    extreme = 0
    for ways in range(64):
        swap = np.array([ways >> at & 1 for at in range(6)], dtype=bool)[:, None]
        extreme += abs(f1(np.where(swap, two, one)) - f1(np.where(swap, one, two))) >= seen - 1e-12
    found = compare(
        ratio_statistic({"x": np.concatenate([one, two])}), ["p", "r", "f1"], 6, times=20_000
    )[2]
    assert found.p_value.value == pytest.approx(extreme / 64, abs=0.015)
    assert found.difference.value == pytest.approx(f1(one) - f1(two))


def test_clear_difference_is_found_and_its_interval_excludes_zero() -> None:
    dice = np.random.default_rng(5)
    both = np.concatenate([charts(dice, 200, 0.8), charts(dice, 200, 0.6)])
    f1 = compare(ratio_statistic({"x": both}), ["p", "r", "f1"], 200)[2]
    assert f1.p_value.value is not None
    assert f1.p_value.value < 0.01
    assert f1.difference.interval is not None
    assert f1.difference.interval[0] > 0


def test_compare_codes_gives_what_each_alone_gives() -> None:
    dice = np.random.default_rng(6)

    def model(who: str, noise: float) -> Corpus:
        made = []
        for chart in range(40):
            for at in range(8):
                score = (at <= chart % 4) * 0.5 + noise * dice.random()
                status = Status.GIVEN if score >= 0.5 else Status.RANKED
                code = Code("CPT", str(at))
                made.append(Annotation(who, code, f"c{chart}", score=score, status=status))
        return Corpus.of([], made)

    gold = Corpus.of(
        [],
        [
            Annotation("g", Code("CPT", str(at)), f"c{chart}")
            for chart in range(40)
            for at in range(chart % 4 + 1)
        ],
    )
    first, second = (
        code_metrics(pair(gold, model(who, noise)), times=0)
        for who, noise in (("a", 0.4), ("b", 0.9))
    )
    compared = compare_codes(first, second, times=200)
    assert {one.name for one in compared} == set(first.metrics)
    for one in compared:
        assert one.first == pytest.approx(first.metrics[one.name].value)
        assert one.second == pytest.approx(second.metrics[one.name].value)
    against_itself = compare_codes(first, first, times=50)
    assert {one.difference.value for one in against_itself} == {0.0}
    assert {one.p_value.value for one in against_itself} == {1.0}
