"""Evidence by another attribution method is that of a model trained with it; its rule is told."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from auscult.cli.main import auscult
from auscult.core import Annotation, OptionError, Status
from auscult.core.progress import listening
from auscult.corpus.corpus import Corpus
from auscult.models import explaining, fitting
from auscult.models.decoding import WEIGHT, TunedThreshold, tune_evidence
from auscult.models.fitting import fit
from auscult.models.kept_readings import KeptReading
from auscult.models.model import Model

pytest.importorskip("torch")
Toy = Callable[..., Corpus]
SETTINGS: dict[str, Any] = {
    "embedding_dim": 16, "out_channels": 16, "kernel_size": 3, "learning_rate": 0.02,
    "dropout": 0.0, "epochs": 6, "threads": 1,
}  # fmt: skip


@pytest.fixture(scope="module")
def corpus(toy: Toy) -> Corpus:
    return toy(60)


@pytest.fixture(scope="module")
def trained(corpus: Corpus) -> dict[str, Model]:
    """Models that differ in nothing but the method of their evidence."""
    methods = ("none", "attingrad", "integrated-gradients")
    return {name: fit(corpus, "caml", {**SETTINGS, "explainer": name}) for name in methods}


def found(model: Model, corpus: Corpus) -> list[tuple[Any, ...]]:
    return [
        (one.chart_id, one.code, one.spans, one.meta.get(WEIGHT))
        for one in model.predict(corpus.select(splits=["dev"]))
    ]


def of_codes(annotations: list[Annotation]) -> dict[tuple[str, Any], list[str]]:
    """The weights of the spans of each code that was given."""
    weights: dict[tuple[str, Any], list[str]] = {}
    for one in annotations:
        if one.status is Status.GIVEN and one.spans:
            weights.setdefault((one.chart_id, one.code), []).append(one.meta[WEIGHT])
    return weights


@pytest.mark.parametrize("method", ["attingrad", "integrated-gradients"])
def test_tuned_on_the_same_charts_it_is_the_model_trained_with_the_method(
    method: str, corpus: Corpus, trained: dict[str, Model]
) -> None:
    expected = trained[method]
    dev = corpus.select(splits=["dev"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        explained = trained["none"].with_explainer(method, tune_on=dev)
    assert explained.decoding.evidence_threshold == expected.decoding.evidence_threshold
    assert found(explained, corpus) == found(expected, corpus)
    assert found(explained, corpus) != found(trained["none"], corpus)


def test_without_charts_to_tune_on_it_shows_the_ten_heaviest_words_and_says_so(
    corpus: Corpus, trained: dict[str, Model], tmp_path: Path
) -> None:
    model = trained["none"]
    with pytest.warns(UserWarning, match=r"tuned for attention, not for attingrad.*10 words"):
        explained = model.with_explainer("attingrad")
    every = trained["attingrad"].with_thresholds(evidence=0.02)
    # The same words in the same order of weight, cut after the tenth.
    note = next(iter(corpus.select(splits=["dev"]).iter_notes()))
    text = explained.text([note])
    codes = [reading.scores for reading in explained.read([note])]
    chosen = np.flatnonzero(codes[0] >= explained.decoding.code_threshold)
    (whole,) = every.read([note], lambda _text, _scores: chosen)
    shown = 0
    for code in chosen.tolist():
        weights = whole.evidence[code].by_word(len(text))
        heaviest = np.sort(np.argsort(-weights, kind="stable")[:10])
        expected = set(heaviest[weights[heaviest] >= 0.02].tolist())
        mine = {
            word
            for one in explained.predict([note])
            if one.code == explained.labels.codes[code]
            for span in one.spans
            for word in range(len(text))
            if span.begin <= text.begins[word] < span.end
        }
        assert mine == expected
        shown += len(mine)
    assert shown
    assert of_codes(list(explained.predict([note])))
    # A threshold of the user's own is kept to the letter.
    assert found(explained.with_thresholds(evidence=0.1), corpus) == found(
        trained["attingrad"].with_thresholds(evidence=0.1), corpus
    )
    explained.save(tmp_path / "model")
    assert found(Model.load(tmp_path / "model"), corpus) == found(explained, corpus)


def test_the_method_of_the_training_is_the_model_itself(trained: dict[str, Model]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert trained["none"].with_explainer("attention") is trained["none"]
        assert trained["attingrad"].with_explainer("attingrad") is trained["attingrad"]


def test_back_at_an_earlier_method_its_threshold_is_in_force_again(
    corpus: Corpus, trained: dict[str, Model], tmp_path: Path
) -> None:
    model = trained["none"]
    tuned = model.with_explainer("integrated-gradients", tune_on=corpus.select(splits=["dev"]))
    with pytest.warns(UserWarning, match="tuned for .*attention.*, not for attingrad"):
        explained = tuned.with_explainer("attingrad")
    explained.save(tmp_path / "model")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        back = Model.load(tmp_path / "model").with_explainer("attention")
        again = back.with_explainer("integrated-gradients")
    assert back.decoding.evidence_threshold == model.decoding.evidence_threshold
    assert found(back, corpus) == found(model, corpus)
    assert found(again, corpus) == found(tuned, corpus)
    # Seen from the attribution method in force, the other is still the one it was not tuned for.
    with pytest.warns(UserWarning, match="not for attingrad"):
        again.with_explainer("attingrad")


def test_predict_knows_the_thresholds_of_a_saved_explained_model(
    corpus: Corpus, trained: dict[str, Model], tmp_path: Path
) -> None:
    with pytest.warns(UserWarning, match="not for attingrad"):
        trained["none"].with_explainer("attingrad").save(tmp_path / "model")
    corpus.select(splits=["dev"]).write(tmp_path / "corpus")
    asked = ["predict", str(tmp_path / "model"), str(tmp_path / "corpus"), str(tmp_path / "out")]

    def told(method: str, *more: str) -> str:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            done = CliRunner().invoke(auscult, [*asked, "--explain", method, *more])
        assert done.exit_code == 0, done.output
        return " ".join([done.output, *(str(one.message) for one in caught)])

    assert "was tuned for" not in told("attention")
    assert "was tuned for attention" in told("integrated-gradients", "--overwrite")


def test_thresholds_are_tuned_on_a_sample_of_which_little_is_kept(
    corpus: Corpus, trained: dict[str, Model], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fitting, "_TUNED", 3)
    tuned_on: list[Any] = []

    def tune(readings: list[Any], made: list[Any], step: float) -> TunedThreshold:
        tuned_on.extend(readings)
        assert [one.text.chart_id for one in readings] == [one.chart_id for one in made]
        return tune_evidence(readings, made, step)

    monkeypatch.setattr(explaining, "tune_evidence", tune)
    bars: list[tuple[str, int | None]] = []

    def listener(items: Any, what: str, total: int | None) -> Any:
        bars.append((what, total))
        return items

    with listening(listener):
        trained["none"].with_explainer("attingrad", tune_on=corpus.select(splits=["dev"]))
    assert len(tuned_on) == 3
    assert all(isinstance(one, KeptReading) for one in tuned_on)
    assert ("explaining", 3) in bars


def test_a_tagger_can_show_its_attention(corpus: Corpus) -> None:
    tagger = fit(corpus, "caml", {**SETTINGS, "evidence": "linear-tagger"})
    with pytest.warns(UserWarning, match="tuned for linear-tagger"):
        explained = tagger.with_explainer("attention")
    note = next(iter(corpus.iter_notes()))
    every = np.arange(len(explained.labels))
    (reading,) = explained.read([note], lambda _text, _scores: every)
    for code in every.tolist():  # attention is divided among the words; a tagger asks each one
        assert 0.9 < reading.evidence[code].by_word(len(reading.text)).sum() < 1 + 1e-5


def test_a_model_without_attribution_says_so(corpus: Corpus, trained: dict[str, Model]) -> None:
    linear = fit(corpus, "linear", dev_split="dev")
    with pytest.raises(OptionError, match=r"model linear has no attribution.*with_explainer"):
        linear.with_explainer("attingrad")
    with pytest.raises(OptionError, match="There is no attribution method 'gradcam'"):
        trained["none"].with_explainer("gradcam")
    single = {"epochs": 1, "threads": 1, "single_label": False}
    recurrent = fit(corpus, "bigru", single)
    with pytest.raises(OptionError, match=r"GRU has no attention to show.*integrated-gradients"):
        recurrent.with_explainer("attention")
    without = Corpus.of(corpus.iter_notes(), [])
    with pytest.raises(OptionError, match="None of the charts for tuning the evidence threshold"):
        trained["none"].with_explainer("attingrad", tune_on=without)
