"""Which models are worth being in an ensemble."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit

from auscult.core import Note
from auscult.models.chart_scoring import ScoredChart
from auscult.models.chart_text import read_chart
from auscult.models.decoding import tune_codes
from auscult.models.examples import Example
from auscult.models.mixing import ScoreMixture, choose, count_out_of_fold, shares_inside

CODES = 6
CHARTS = 80
SHARE = np.full(CODES, np.log(1 / 3))


def charts() -> list[Example]:
    """Charts of forty patients, with two of six codes each."""
    made = []
    for number in range(CHARTS):
        note = Note("n", f"c{number}", f"p{number // 2}", text="words of a note")
        given = np.array(sorted({number % CODES, (number // CODES + 3) % CODES}), np.int64)
        made.append(Example(read_chart(note.chart_id, [note]), given))
    return made


def hearing(
    made: list[Example], codes: set[int], seed: int, doubt: float = 0.1
) -> list[ScoredChart]:
    """A member that hears some codes nearly always, and of the others nothing."""
    dice = np.random.default_rng(seed)
    found = []
    for one in made:
        scores: npt.NDArray[np.float32] = np.full(CODES, 0.02, np.float32)
        for code in codes:
            is_right = dice.random() >= doubt
            scores[code] = 0.9 if (code in one.codes) == is_right else 0.1
        found.append(ScoredChart(one.text, scores))
    return found


def test_members_that_hear_what_others_do_not_are_kept() -> None:
    made = charts()
    read = {
        "left": hearing(made, {0, 1, 2, 3}, 0),
        "noise": [
            ScoredChart(one.text, np.random.default_rng(at).random(CODES).astype(np.float32))
            for at, one in enumerate(made)
        ],
        "right": hearing(made, {4, 5}, 1),
    }
    assert choose(read, made, [SHARE] * len(made), seed=0) == ["left", "right"]


def test_a_member_that_adds_nothing_is_left_out() -> None:
    made = charts()
    whole = hearing(made, set(range(CODES)), 0, doubt=0.0)
    deaf = [ScoredChart(one.text, np.zeros(CODES, np.float32)) for one in made]
    assert choose({"deaf": deaf, "whole": whole}, made, [SHARE] * len(made), seed=0) == ["whole"]


def test_one_patient_is_too_few_to_try_a_mix_on() -> None:
    note = Note("n", "c", "p", text="words")
    made = [Example(read_chart("c", [note]), np.array([0], np.int64))]
    read = {
        name: [ScoredChart(made[0].text, SHARE.astype(np.float32))] for name in ("one", "other")
    }
    assert len(choose(read, made, [SHARE] * len(made), seed=0)) == 1


def test_how_common_a_code_is_leaves_out_the_fold_of_the_chart() -> None:
    """Else a code of one chart is never right where members know it."""
    made = charts()
    alone = Example(made[0].text, np.array([CODES], np.int64))
    made[0] = alone
    shares = shares_inside(made, CODES + 1, folds=5, seed=0)
    fold_of_first = [at for at, share in enumerate(shares) if share is shares[0]]
    inside = len(made) - len(fold_of_first)
    assert shares[0][CODES] == np.log(0.5 / (inside + 1))
    assert 1 in fold_of_first  # of the same patient
    others = {float(shares[at][CODES]) for at in range(CHARTS) if at not in fold_of_first}
    assert all(share > shares[0][CODES] for share in others)


def test_what_somebody_speaks_of_is_never_below_what_nobody_does() -> None:
    mix = ScoreMixture((3.0,), 0.0, -4.0)
    spoken, not_spoken = mix.scores([np.array([0.012, 0.0099], np.float32)], np.zeros(2))
    assert spoken >= not_spoken > 0


def as_common(
    made: list[Example], shares: list[npt.NDArray[np.float64]]
) -> list[list[ScoredChart]]:
    """What a member says that knows nothing but how common codes are among the other charts."""
    odds = [expit(share).astype(np.float32) for share in shares]
    return [[ScoredChart(one.text, said)] * 2 for one, said in zip(made, odds, strict=True)]


def test_that_rarer_codes_are_right_is_not_learned() -> None:
    """Each of six codes is in two of six charts: of the others, in one where it is right."""
    made = []
    for number in range(CODES):
        note = Note("n", f"c{number}", f"p{number}", text="words of a note")
        given = np.array(sorted({number, (number + 1) % CODES}), np.int64)
        made.append(Example(read_chart(note.chart_id, [note]), given))
    shares = shares_inside(made, CODES, folds=CODES, seed=0)
    mix = ScoreMixture.fit(as_common(made, shares), made, shares)
    assert mix is not None
    assert min(mix.weights) >= 0
    assert mix.common + sum(mix.weights) >= 0
    for one, share in zip(made, shares, strict=True):
        scores = mix.scores([expit(share).astype(np.float32)] * 2, share)
        assert scores[one.codes].max() <= scores.min() + 1e-6


@pytest.mark.parametrize("turned", [False, True])
def test_a_mix_is_the_likeliest_that_turns_nobody_round(turned: bool) -> None:
    """By another way to find it; one member may say the opposite of what is right."""
    made = charts()
    good = hearing(made, set(range(CODES)), 0, doubt=0.2)
    other = hearing(made, {0, 1, 2, 3}, 1, doubt=0.9 if turned else 0.2)
    dice = np.random.default_rng(3)
    shares = [SHARE + dice.normal(0, 0.3, CODES) for _ in made]
    said = [list(pair) for pair in zip(good, other, strict=True)]
    mix = ScoreMixture.fit(said, made, shares)
    assert mix is not None
    rows, right = [], []
    for readings, one, share in zip(said, made, shares, strict=True):
        odds = [
            logit(np.clip(reading.scores.astype(float), 1e-4, 1 - 1e-4)) for reading in readings
        ]
        rows.append(np.stack([*odds, share, np.ones(CODES)]).T)
        right.append(np.isin(np.arange(CODES), one.codes))
    table, sign = np.concatenate(rows), np.where(np.concatenate(right), 1, -1)

    def loss(numbers: npt.NDArray[np.float64]) -> float:
        return float(
            np.logaddexp(0, -sign * (table @ numbers)).sum() + (numbers[:3] ** 2).sum() / 2
        )

    limits = [
        {"type": "ineq", "fun": lambda numbers: numbers[:2]},
        {"type": "ineq", "fun": lambda numbers: numbers[:3].sum()},
    ]
    found = minimize(loss, np.zeros(4), method="SLSQP", constraints=limits)
    assert [*mix.weights, mix.common, mix.bias] == pytest.approx(found.x.tolist(), abs=0.01)
    assert (mix.weights[1] == 0) == turned


def test_the_best_of_many_who_guess_is_not_said_to_be_better() -> None:
    """Chosen by the charts that are counted, one in twenty always looks good."""
    made = charts()
    guesses = {
        f"guess {number}": [
            ScoredChart(
                one.text, np.random.default_rng([number, at]).random(CODES).astype(np.float32)
            )
            for at, one in enumerate(made)
        ]
        for number in range(20)
    }
    shares = [SHARE] * len(made)
    kept = choose(guesses, made, shares, seed=0)
    alone = {kind: tune_codes(one, made).counts.f1 or 0.0 for kind, one in guesses.items()}
    honest = count_out_of_fold(guesses, made, shares, folds=5, seed=0)
    gold = sum(len(one.codes) for one in made)
    all_given = 2 * gold / (gold + CHARTS * CODES)
    assert max(alone.values()) == alone[kept[0]] > all_given
    assert (honest.f1 or 0.0) <= all_given
    assert honest.tp + honest.fn == gold


def test_members_mix_and_threshold_of_other_folds_are_enough() -> None:
    made = charts()
    read = {"left": hearing(made, {0, 1, 2, 3}, 0), "right": hearing(made, {4, 5}, 1)}
    honest = count_out_of_fold(read, made, [SHARE] * len(made), folds=5, seed=0)
    assert (honest.f1 or 0.0) > 0.75
