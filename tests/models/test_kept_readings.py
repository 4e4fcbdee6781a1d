"""What is kept of scores tells of thresholds what all of them do."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from scipy.special import logit

from auscult.core import Note
from auscult.models.calibration import Calibration
from auscult.models.chart_scoring import ScoredChart
from auscult.models.chart_text import read_chart
from auscult.models.decoding import count_at, log_loss, tune_codes, tune_recall
from auscult.models.examples import Example
from auscult.models.kept_readings import PREDICTED, KeptReading, SparseScores
from auscult.models.mixing import ScoreMixture

CODES = 20_000


def charts(seed: int = 0) -> tuple[list[Example], list[ScoredChart]]:
    """Charts of ten codes, most of which score high; most codes score next to nothing."""
    dice = np.random.default_rng(seed)
    made, readings = [], []
    for at in range(12):
        gold = np.sort(dice.choice(CODES, 10, replace=False))
        scores = (dice.random(CODES) ** 30 * 0.4).astype(np.float32)
        scores[dice.random(CODES) < 0.2] = 0
        scores[gold] = dice.random(10) ** 0.5
        text = read_chart(f"c{at}", [Note("n", f"c{at}", text="some words")])
        made.append(Example(text, gold))
        readings.append(ScoredChart(text, scores))
    return made, readings


def kept(made: list[Example], readings: list[ScoredChart]) -> list[KeptReading]:
    return [KeptReading.of(reading, one.codes) for reading, one in zip(readings, made, strict=True)]


def dense_counts(made: list[Example], readings: list[ScoredChart], threshold: float) -> list[int]:
    """Of all scores, by a plain loop: right codes, wrong ones, missed ones."""
    found = [0, 0, 0]
    for one, reading in zip(made, readings, strict=True):
        given = set(np.flatnonzero(reading.scores >= threshold).tolist())
        gold = set(one.codes.tolist())
        for place, codes in enumerate((given & gold, given - gold, gold - given)):
            found[place] += len(codes)
    return found


def test_a_fraction_is_kept_and_thresholds_above_the_floor_are_the_same() -> None:
    made, readings = charts()
    some = kept(made, readings)
    assert max(len(one.scores.codes) for one in some) <= 2_000
    tuned = tune_codes(some, made)
    assert tuned.threshold > PREDICTED
    counted = tuned.counts
    assert [counted.tp, counted.fp, counted.fn] == dense_counts(made, readings, tuned.threshold)
    tried = [float(s) for one, r in zip(made, readings, strict=True) for s in r.scores[one.codes]]
    best = max(
        2 * a / (2 * a + b + c) for a, b, c in (dense_counts(made, readings, t) for t in tried)
    )
    assert counted.f1 == pytest.approx(best)
    for threshold in (0.01, 0.05, 0.3):
        here = count_at(some, made, threshold)
        assert [here.tp, here.fp, here.fn] == dense_counts(made, readings, threshold)
    low = tune_recall(some, made, 0.9).threshold
    scores = np.sort(
        np.concatenate([r.scores[m.codes] for m, r in zip(made, readings, strict=True)])
    )
    assert low == pytest.approx(scores[::-1][107])


def test_codes_below_the_floor_count_in_the_loss() -> None:
    made, readings = charts()
    some = kept(made, readings)
    every = []
    for one, reading in zip(made, readings, strict=True):
        sure = np.clip(reading.scores.astype(np.float64), 1e-7, 1 - 1e-7)
        is_gold = np.isin(np.arange(CODES), one.codes)
        every.append(-np.log(np.where(is_gold, sure, 1 - sure)))
    expected = float(np.mean(every))
    assert log_loss(some, made) == pytest.approx(expected, rel=1e-3)
    share = np.linspace(0.001, 0.2, CODES).astype(np.float32)
    weighted = [np.where(np.isin(np.arange(CODES), m.codes), 1 - share, share) for m in made]
    expected = float(sum((a * w).sum() for a, w in zip(every, weighted, strict=True)))
    expected /= float(sum(w.sum() for w in weighted))
    assert log_loss(some, made, share) == pytest.approx(expected, rel=5e-3)


def test_calibration_knows_how_many_codes_below_the_floor_were_wrong() -> None:
    """A fifth of them is as likely as it says to be right, of those above a tenth of that."""
    dice = np.random.default_rng(0)
    made = []
    for _ in range(40):
        scores = np.zeros(CODES, np.float32)
        scores[:15_000] = dice.uniform(1e-4, 5e-4, 15_000)
        scores[15_000:15_500] = dice.uniform(0.02, 0.2, 500)
        is_right = dice.random(CODES) < np.where(scores < 0.01, scores / 5, scores / 50)
        made.append((scores, np.flatnonzero(is_right)))
    at = np.array([2e-4, 5e-4, 0.02, 0.2], np.float32)
    by_all, by_kept, by_above = (
        Calibration.fit(parts).apply(at)
        for parts in (
            [(dense(scores), codes) for scores, codes in made],
            [(SparseScores.of(scores, codes), codes) for scores, codes in made],
            [(dense(np.where(scores < 0.01, 0, scores)), codes) for scores, codes in made],
        )
    )
    np.testing.assert_allclose(by_kept, by_all, rtol=0.2)
    assert abs(by_above[0] / by_all[0] - 1) > 0.5


def dense(scores: npt.NDArray[np.float32]) -> SparseScores:
    """All of them, whatever their number."""
    codes = np.flatnonzero(scores > 0).astype(np.int32)
    return SparseScores(len(scores), codes, scores[codes])


def test_of_few_codes_every_score_is_kept() -> None:
    scores = np.random.default_rng(0).random(4_000).astype(np.float32) * np.float32(1e-5)
    assert SparseScores.of(scores).dense().tolist() == scores.tolist()


def test_scores_that_are_all_low_are_still_told_apart() -> None:
    """Of a scorer whose scores are far from probabilities."""
    scores = np.linspace(1e-5, 1e-4, CODES).astype(np.float32)
    some = SparseScores.of(scores)
    assert some.codes.tolist() == list(range(CODES - 100, CODES))
    assert some.passing(float(scores[-50])) == 50
    assert some.top() == scores[-1]
    assert some.below(float(scores[-100])) == scores[-101]


def test_kept_scores_are_combined_as_all_of_them_are() -> None:
    made, first = charts(1)
    _, second = charts(2)
    share = np.full(CODES, -3.0)
    both = [[one, other] for one, other in zip(first, second, strict=True)]
    of_kept = [
        [KeptReading.of(reading, one.codes) for reading in pair]
        for one, pair in zip(made, both, strict=True)
    ]
    mix = ScoreMixture((0.7, 0.4), 0.1, -0.5)
    for pair, sparse in zip(both, of_kept, strict=True):
        whole = mix.scores([one.scores for one in pair], share)
        part = mix.kept_scores([one.scores for one in sparse], share)
        high = whole >= 0.05
        exact = high & (np.minimum(*(one.scores for one in pair)) >= PREDICTED)
        assert exact.sum() > 20
        at = np.flatnonzero(exact)
        assert part.at(at).tolist() == whole[at].tolist()
        # A score that a member does not keep is between 1e-4, where log-odds begin, and the floor.
        off = logit(part.at(np.flatnonzero(high))) - logit(whole[high])
        assert np.abs(off).max() <= 0.4 * (logit(PREDICTED) - logit(1e-4))


def test_right_codes_below_the_floor_teach_the_mixture_nothing_of_their_own() -> None:
    """They alone have a score of their own there, so that it would tell that they are right."""
    scores = np.full(CODES, 1e-5, np.float32)
    scores[:200] = 0.5
    scores[300] = 9e-4
    some = SparseScores.of(scores, np.array([300]))
    assert some.at(np.array([300, 301])).tolist() == pytest.approx([9e-4, 1e-5])
    assert some.evenly(np.array([0, 301])).tolist() == pytest.approx([0.5, 1e-5])
    hidden = SparseScores.of(
        np.where(np.arange(CODES) == 299, np.float32(9.5e-4), scores), np.array([300])
    )
    assert len(set(hidden.evenly(np.array([300, 301])).tolist())) == 1


def test_a_code_that_only_its_own_chart_has_scores_0_out_of_fold() -> None:
    made, readings = charts()
    unseen = made[0].codes[:4]
    is_known = np.ones(CODES, bool)
    is_known[unseen] = False
    once = KeptReading.of(readings[0], made[0].codes).scores.only(is_known)
    assert once.at(unseen).tolist() == [0] * 4
    assert (once.at(made[0].codes[4:]) == readings[0].scores[made[0].codes[4:]]).all()
    again = once.only(is_known)
    assert (again.others, again.dense().tolist()) == (once.others, once.dense().tolist())
    half = np.arange(CODES) < CODES // 2
    halved = KeptReading.of(readings[0], made[0].codes).scores.only(half)
    below = readings[0].scores[: CODES // 2]
    expected = ((below >= 1e-6) & (below < halved.ceiling)).sum()
    assert halved.others == pytest.approx(expected, rel=0.05)
    assert halved.only(half).others == halved.others
