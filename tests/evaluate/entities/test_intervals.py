"""Intervals, paired tests and brittleness, against the ways of `statistics`."""

from __future__ import annotations

import random

import numpy as np
import pytest
from tests.evaluate.entities.hand import Said, corpus

from auscult.core import Metric
from auscult.evaluate.entities import EntitiesResult, EntitySettings, evaluate_entities
from auscult.evaluate.entities.brittleness import ends, spread
from auscult.evaluate.entities.tally import NoteTally, f1, precision, ratio
from auscult.evaluate.matching import ratio_statistic
from auscult.statistics import bootstrap
from auscult.statistics.significance import compare

pytestmark = pytest.mark.filterwarnings("ignore:.*(have no predictions|repeat a span)")
NOTES = 40


def many(times: int = 500) -> EntitiesResult:
    """Notes in which a system has everything or nothing right: spans of a note go together."""
    dice = random.Random(1)
    texts = {f"n{at}": "a b c d e f g h i j" for at in range(NOTES)}
    gold = [Said(f"C{k}", 2 * k, 2 * k + 1, note) for note in texts for k in range(10)]
    lucky = {note for note in texts if dice.random() < 0.6}
    good = [row for row in gold if row.note in lucky]
    better = [row for row in gold if row.note in lucky or dice.random() < 0.5]
    return evaluate_entities(
        corpus("gold", gold, texts),
        {"good": corpus("good", good, texts), "better": corpus("better", better, texts)},
        times=times,
    )


def test_intervals_are_those_of_whole_notes() -> None:
    metric = many().subsets["all"].systems["good"]
    assert metric.value is not None
    assert metric.interval is not None
    width = metric.interval[1] - metric.interval[0]
    share = metric.value
    by_span = 2 * 1.96 * np.sqrt(share * (1 - share) / (10 * NOTES))
    by_note = 2 * 1.96 * np.sqrt(share * (1 - share) / NOTES)
    assert width == pytest.approx(by_note, rel=0.15)
    assert width > 2.5 * by_span


def test_strict_f1_has_the_interval_of_the_evidence_measures() -> None:
    """One concept a span, so counts of TP, FP and FN tell all; the same resamples are drawn."""
    found = many()
    panel = found.gathered
    marked = panel.systems["better"]
    tp = np.bincount(marked.note, minlength=NOTES)
    table = np.stack([tp, np.zeros(NOTES, dtype=np.int64), 10 - tp], axis=1)
    edges = bootstrap.intervals(ratio_statistic({"x": table}), NOTES, times=500)
    metrics = found.systems["better"].panel["strict"]
    assert metrics.recall.interval == pytest.approx(tuple(edges[1]))
    assert metrics.f1.interval == pytest.approx(tuple(edges[2]))


def test_all_pairs_give_what_one_pair_gives() -> None:
    dice = np.random.default_rng(3)
    held = dice.integers(3, 20, NOTES).astype(np.float64)
    tables = []
    tally = NoteTally(NOTES)
    keys = []
    for at in range(3):
        right = dice.binomial(held.astype(int), 0.5 + 0.1 * at).astype(np.float64)
        given = right + dice.integers(0, 5, NOTES)
        columns = tally.columns(right, held, right, given)
        tally.note((str(at), "f1"), "", columns, f1, NOTES, "")
        keys.append((str(at), "f1"))
        tables.append(np.stack([right, given - right, held - right], axis=1).astype(np.int64))
    found = tally.compare({"f1": keys}, times=400, seed=5)["f1"]
    assert [(a, b) for a, b, _ in found] == [(0, 1), (0, 2), (1, 2)]
    alone = []
    for a, b, _ in found:
        statistic = ratio_statistic({"x": np.concatenate([tables[a], tables[b]])})
        alone.append(compare(statistic, ["p", "r", "f1"], NOTES, times=400, seed=5)[2])
    chances = sorted(one.p_value.value or 0.0 for one in alone)
    holm = {p: max(min(1, chances[i] * (3 - i)) for i in range(at + 1))
            for at, p in enumerate(chances)}  # fmt: skip
    for (_, _, ours), theirs in zip(found, alone, strict=True):
        assert ours.difference.value == pytest.approx(theirs.difference.value)
        # Theirs is moved to the value, by less than the resamples' own error.
        assert ours.difference.interval == pytest.approx(theirs.difference.interval, abs=0.004)
        assert theirs.p_value.value is not None
        assert ours.p_value.value == pytest.approx(holm[theirs.p_value.value])


def test_systems_that_are_the_same_do_not_differ() -> None:
    texts = {"n1": "a", "n2": "b"}
    gold = corpus("gold", [Said("C1", 0, 1), Said("C1", 0, 1, "n2")], texts)
    half = corpus("half", [Said("C1", 0, 1)], texts)
    found = evaluate_entities(gold, {"a": half, "b": half}, times=50)
    (pair,) = found.compared["accuracy on all"]
    assert (pair.first, pair.second) == ("a", "b")
    assert pair.comparison.difference.value == 0
    assert pair.comparison.p_value.value == 1


def test_without_resamples_there_is_no_interval_and_no_chance() -> None:
    found = many(times=0)
    assert found.subsets["all"].systems["good"].interval is None
    (pair,) = found.compared["strict F1"]
    assert pair.comparison.difference.value is not None
    assert pair.comparison.p_value.undefined is not None


def test_ratios_of_sums() -> None:
    sums = np.array([[3.0, 4.0, 2.0, 5.0], [0.0, 4.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
    assert ratio(sums)[0] == 3 / 4
    assert precision(sums)[0] == 2 / 5
    assert f1(sums)[0] == pytest.approx(2 * 0.75 * 0.4 / 1.15)
    assert f1(sums)[1] == 0
    assert np.isnan(f1(sums)[2])


def test_brittleness_is_the_spread_over_large_enough_subsets() -> None:
    texts = {"n1": "one two; three"}
    rows = [Said("C1", 0, 3), Said("C2", 4, 7), Said("C3", 0, 7), Said("C4", 9, 14)]
    gold, system = corpus("gold", rows, texts), corpus("s", rows[:2], texts)
    settings = EntitySettings(least_spread=1)
    found = evaluate_entities(gold, {"s": system}, settings=settings, times=0).systems["s"]
    # All: 2 of 4. Multi-word: 0 of 1.
    assert found.brittleness.spread.value == 1 / 2
    assert (found.brittleness.best, found.brittleness.worst) == ("all", "multi_word")
    # Half of the spread's scale, and all of what the system has.
    assert (found.brittleness.highest, found.brittleness.lost) == (1 / 2, 1)
    settings = EntitySettings(least_spread=2)
    found = evaluate_entities(gold, {"s": system}, settings=settings, times=0).systems["s"]
    assert found.brittleness.spread.undefined == "fewer than two of them have 2 spans"
    assert found.brittleness.best is None


def test_spread_leaves_out_what_was_not_drawn() -> None:
    found = spread(np.array([[1.0, 2.0, 0.0, 0.0], [1.0, 2.0, 3.0, 3.0]]))
    assert np.isnan(found[0])
    assert found[1] == 1 / 2
    assert ends(["a", "b"], [Metric("a", "", 0.2), Metric("b", "", undefined="x")]) == (
        None,
        None,
        None,
    )
