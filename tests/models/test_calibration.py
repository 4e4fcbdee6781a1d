"""Scores as probabilities: against made-up truth, scikit-learn, and the codes a model gives."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression
from tests.contracts.test_models import ward
from tests.examples import examples

from auscult.corpus.corpus import Corpus
from auscult.models.calibration import Calibration
from auscult.models.fitting import fit
from auscult.models.model import Model
from auscult.models.perturbation import Perturbation
from auscult.statistics.calibration import calibration_error

Toy = Callable[..., Corpus]
NOTHING = np.zeros(0, np.int64)


def timid(size: int = 40_000) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """True probabilities, scores that are half as sure and too low, and what came of it."""
    dice = np.random.default_rng(0)
    true = expit(dice.normal(-1, 3, size))
    scores = expit(logit(true) / 2 - 1).astype(np.float32)
    return true, scores, dice.random(size) < true


def test_timid_scores_become_the_probabilities_they_were_made_from() -> None:
    true, scores, came = timid()
    found = Calibration.fit([(scores, np.flatnonzero(came))])
    assert np.abs(found.apply(scores) - true).mean() < 0.01
    assert np.abs(scores - true).mean() > 0.1


def test_with_many_charts_the_numbers_are_those_of_a_plain_regression() -> None:
    _, scores, came = timid()
    parts = np.array_split(np.arange(len(scores)), 100)
    found = Calibration.fit((scores[part], np.flatnonzero(came[part])) for part in parts)
    features = np.stack([np.log(scores), -np.log1p(-scores.astype(np.float64))], axis=1)
    plain = LogisticRegression(C=np.inf, tol=1e-8).fit(features, came)
    assert [found.low, found.high] == pytest.approx(plain.coef_[0].tolist(), rel=0.02)
    assert found.shift == pytest.approx(float(plain.intercept_[0]), abs=0.03)


def test_one_chart_throws_no_score_to_an_end() -> None:
    scores = np.array([0.2, 0.4, 0.6, 0.8], np.float32)
    for codes in (NOTHING, np.arange(4)):
        found = Calibration.fit([(scores, codes)]).apply(scores)
        assert ((found > 0.05) & (found < 0.95)).all()
    assert Calibration.fit([]) == Calibration()


@given(
    scores=st.lists(st.floats(0, 1, width=32), min_size=2, max_size=30),
    right=st.lists(st.booleans(), min_size=30, max_size=30),
)
@settings(max_examples=examples(60), deadline=None)
def test_order_stays_and_nothing_stays_nothing(scores: list[float], right: list[bool]) -> None:
    given_ = np.array(scores, np.float32)
    found = Calibration.fit([(given_, np.flatnonzero(right[: len(scores)]))]).apply(given_)
    assert found.dtype == np.float32
    assert ((found >= 0) & (found <= 1)).all()
    assert (found[given_ == 0] == 0).all()
    order = np.argsort(given_, kind="stable")
    assert (np.diff(found[order]) >= 0).all()


def test_traces_of_scores_keep_their_order() -> None:
    scores = np.array([0, 1e-14, 1e-12, 1e-9, 1e-6, 1e-3, 0.5, 0.999, 1], np.float32)
    for low in (0.4, 1.0, 2.0):
        found = Calibration(low=low, high=5, shift=-3).apply(scores)
        assert (np.diff(found[:-1]) > 0).all()
        assert found[-1] >= found[-2]


def test_a_model_gives_the_same_codes_with_calibrated_scores() -> None:
    """Where its own scores are far from probabilities, so that a threshold of the one would not do
    for the other.
    """
    corpus = ward(300, missed=0.4)
    unseen = list(corpus.select(splits=["test"]).iter_notes())
    as_is, made = (fit(corpus, "linear", {"calibrate": on, "C": 0.01}) for on in (False, True))
    thresholds = [one.decoding.code_threshold for one in (as_is, made)]
    own = np.concatenate([reading.scores for reading in as_is.read(unseen)])
    assert abs(int((own >= thresholds[0]).sum()) - int((own >= thresholds[1]).sum())) > 10
    assert as_is.decoding.calibration is None
    assert made.decoding.calibration is not None
    given_ = [{(a.chart_id, a.code) for a in model.predict(unseen)} for model in (as_is, made)]
    assert given_[0] == given_[1] != set()
    assert made.about.tuning["codes"]["counts"] == as_is.about.tuning["codes"]["counts"]
    assert made.about.tuning["loss"] == as_is.about.tuning["loss"]
    scores = [next(model.read(unseen)).scores for model in (as_is, made)]
    assert np.array_equal(made.decoding.calibration.apply(scores[0]), scores[1])


def test_it_is_learned_from_every_code_of_the_charts_to_tune_on() -> None:
    corpus = ward(120, missed=0.3)
    model = fit(corpus, "linear", {"calibrate": False})
    dev = corpus.select(splits=["dev"])
    gold = {(a.chart_id, a.code) for a in dev.iter_annotations()}
    scored = [
        (
            reading.scores,
            np.flatnonzero([(reading.text.chart_id, code) in gold for code in model.labels.codes]),
        )
        for reading in model.read(dev.iter_notes())
    ]
    found = fit(corpus, "linear").decoding.calibration
    assert found == Calibration.fit(scored)


def test_traces_that_only_rank_do_not_bend_the_rest() -> None:
    _, scores, came = timid()
    traces = np.full(1_000_000, 1e-7, np.float32)
    alone = Calibration.fit([(scores, np.flatnonzero(came))])
    beside = Calibration.fit([(np.concatenate([scores, traces]), np.flatnonzero(came))])
    assert beside == alone


def test_the_error_is_that_of_its_definition() -> None:
    """Two bins too sure, one too timid, and one below what is looked at."""
    scores = np.array([0.05, 0.12, 0.18, 0.55, 0.95, 1.0])
    right = np.array([1, 1, 0, 0, 1, 0], bool)
    # In turn |0.05 − 1|; |0.15 − 0.5| twice; |0.55 − 0|; |0.975 − 0.5| twice.
    assert calibration_error(scores, right) == pytest.approx((0.95 + 0.7 + 0.55 + 0.95) / 6)
    assert calibration_error(scores, right, least=0.1) == pytest.approx((0.7 + 0.55 + 0.95) / 5)
    assert calibration_error(scores, right, least=2) is None


def test_every_way_to_a_score_gives_the_same(toy: Toy, tmp_path: Path) -> None:
    corpus = toy(60)
    fit(corpus, "lexicon", dev_split="none").save(tmp_path / "model")
    model = Model.load(tmp_path / "model")
    note = next(corpus.iter_notes())
    first, *_ = model.predict([note])
    [[asked]] = model.scores([([note], [first.code])])
    [edited] = model.scores_of_edits([note], [], first.code)
    read = next(model.read([note])).scores[model.labels.index[first.code]]
    unchanged = model.scores_of_edits([note], [Perturbation({})], first.code)
    assert first.score == asked == edited == read == unchanged[1]
    assert first.score >= model.decoding.code_threshold
