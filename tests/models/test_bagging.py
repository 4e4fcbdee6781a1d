"""Bagging: copies of a model, each trained without one fold."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from auscult.core import AuscultError, OptionError
from auscult.corpus.corpus import Corpus
from auscult.models.architecture import Resources, TrainingData
from auscult.models.bagging import Bagging, BaggingConfiguration, mean_evidence
from auscult.models.chart_scoring import EvidenceWeights, ScoredChart
from auscult.models.fitting import fit, training_examples
from auscult.models.folds import fold
from auscult.models.label_space import LabelSpace
from auscult.models.linear.scorer import Linear, LinearConfiguration
from auscult.models.model import Model

CONFIG = BaggingConfiguration(model="linear", folds=3, settings={"max_ngram": 1})
COPY = LinearConfiguration(max_ngram=1)


@pytest.fixture(scope="module")
def data(toy: Callable[..., Corpus]) -> TrainingData:
    charts = list(toy(40).charts())
    labels = LabelSpace.of(tuple({one.code for one in chart.annotations}) for chart in charts)
    return TrainingData(training_examples(charts, labels, CONFIG), (), labels)


def scores_of(scorer: Bagging | Linear, data: TrainingData) -> np.ndarray:
    nothing = np.zeros(0, np.int64)
    readings = scorer.read((one.text for one in data.train), lambda _text, _scores: nothing)
    return np.stack([one.scores for one in readings])


def copies_by_hand(data: TrainingData) -> list[tuple[Linear, list[str]]]:
    """Each copy with the charts that it was not trained on."""
    return [
        (
            Linear.fit(TrainingData(inside, (), data.labels), COPY, seed=0),
            [one.chart_id for one in outside],
        )
        for inside, outside in fold(data.train, 3, 0)
    ]


def test_scores_are_the_mean_of_the_copies(data: TrainingData) -> None:
    bagged = Bagging.fit(data, CONFIG, seed=0)
    each = [scores_of(copy, data) for copy, _ in copies_by_hand(data)]
    assert np.ptp(each, axis=0).max() > 0.01  # the copies differ
    assert scores_of(bagged, data) == pytest.approx(np.mean(each, axis=0), abs=1e-6)


def test_a_training_chart_is_scored_by_the_copy_that_has_not_seen_it(data: TrainingData) -> None:
    held_out = Bagging.fit(data, CONFIG, seed=0).held_out
    place = {one.chart_id: at for at, one in enumerate(data.train)}
    for copy, unseen in copies_by_hand(data):
        scores = scores_of(copy, data)
        for chart_id in unseen:
            found: ScoredChart = held_out[place[chart_id]]
            assert found.text.chart_id == chart_id
            assert found.scores == pytest.approx(scores[place[chart_id]], abs=1e-6)


def test_evidence_is_the_mean_weight_of_each_range() -> None:
    def weights(*ranges: tuple[int, int, float]) -> EvidenceWeights:
        begins, ends, values = zip(*ranges, strict=True)
        return EvidenceWeights(
            np.array(begins, np.int32), np.array(ends, np.int32), np.array(values, np.float32)
        )

    found = mean_evidence([weights((2, 3, 0.6), (5, 7, 0.4)), weights((5, 7, 0.8))], 4)
    assert found.begins.tolist() == [2, 5]
    assert found.ends.tolist() == [3, 7]
    assert found.weights.tolist() == pytest.approx([0.15, 0.3])


def test_it_points_at_the_phrase_and_is_the_same_when_loaded(
    toy: Callable[..., Corpus], tmp_path: Path
) -> None:
    model = fit(toy(60), "bagging", {"model": "lexicon", "folds": 3}, dev_split="none")
    assert model.about.tuning["on"] == "training charts, out of fold"
    text = "Today there is type 2 diabetes which is treated."
    [found] = model.predict(text)
    assert (found.code.value, [text[one.begin : one.end] for one in found.spans]) == (
        "E11.9",
        ["type 2 diabetes"],
    )
    model.save(tmp_path / "model")
    assert list(Model.load(tmp_path / "model").predict(text)) == [found]


def test_a_damaged_one_is_told(data: TrainingData, tmp_path: Path) -> None:
    Bagging.fit(data, CONFIG, seed=0).save(tmp_path)
    (tmp_path / "bagging.json").write_text("{")
    with pytest.raises(AuscultError, match=r"bagging.json is missing or damaged"):
        Bagging.load(tmp_path, Resources(data.labels), CONFIG)


def test_finished_copies_are_kept(
    data: TrainingData, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained: list[int] = []
    original = Linear.fit

    def counting(given: TrainingData, *rest: object, **more: object) -> Linear:
        trained.append(len(given.train))
        if len(trained) == 3:
            raise KeyboardInterrupt
        return original(given, *rest, **more)  # type: ignore[arg-type] # passed on as they came

    monkeypatch.setattr(Linear, "fit", counting)
    with pytest.raises(KeyboardInterrupt):
        Bagging.fit(data, CONFIG, seed=0, directory=tmp_path)
    resumed = Bagging.fit(data, CONFIG, seed=0, directory=tmp_path)
    assert len(trained) == 4  # two copies, the interrupted one, and that one again
    monkeypatch.undo()
    whole = Bagging.fit(data, CONFIG, seed=0)
    assert scores_of(resumed, data) == pytest.approx(scores_of(whole, data))


def test_settings_of_all_models_reach_the_copies_and_one_patient_is_too_few(
    data: TrainingData,
) -> None:
    asked = BaggingConfiguration(model="lexicon", max_length=50, settings={"keep_numbers": True})
    assert asked.of_model().max_length == 50
    assert asked.of_model().keep_numbers
    copies = BaggingConfiguration(model="caml")
    assert copies.settled().max_length == copies.of_model().max_length
    with pytest.raises(ValueError, match="cannot be wrapped"):
        BaggingConfiguration(model="bagging")
    one = TrainingData(data.train[:1], (), data.labels)
    with pytest.raises(OptionError, match="two patients"):
        Bagging.fit(one, CONFIG, seed=0)
