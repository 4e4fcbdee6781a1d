"""Neural scorers learn codes and evidence, are kept and loaded, and stay clear of bad input."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch
from tests.models.neural.conftest import FILLERS, SIGNS, make_chart, make_charts

from auscult.core import AuscultError, OptionError
from auscult.learning.weights import WEIGHTS
from auscult.models import scorer_class
from auscult.models.architecture import Resources, TrainingData
from auscult.models.chart_scoring import ScoredChart, Scores
from auscult.models.chart_text import ChartText
from auscult.models.examples import Example
from auscult.models.label_space import LabelSpace
from auscult.models.neural.word_scorer import WordScorer

SMALL: dict[str, Any] = {
    "embedding_dim": 16, "out_channels": 16, "epochs": 12, "batch_size": 4, "learning_rate": 0.02,
    "dropout": 0.0, "threads": 1,
}  # fmt: skip
KINDS = {
    "caml": {"kernel_size": 3},
    "effectivecan": {"kernel_size": 3, "key_dim": 16, "num_blocks": 2},
}


def fit(
    kind: str, labels: LabelSpace, train: list[Example], dev: list[Example], **given: Any
) -> WordScorer:
    learner: Any = scorer_class(kind)
    config = learner.config_type(**{**SMALL, **KINDS[kind], **given})
    fitted: WordScorer = learner.fit(TrainingData(train, dev, labels), config, seed=0)
    return fitted


def read(fitted: WordScorer, made: list[Example]) -> list[ScoredChart]:
    """Readings with evidence for the gold codes."""
    gold = {one.chart_id: one.codes for one in made}
    return list(fitted.read((one.text for one in made), lambda text, _: gold[text.chart_id]))


@pytest.mark.parametrize("kind", list(KINDS))
def test_it_learns_the_codes_and_supervised_attention_lies_on_their_signs(
    kind: str, labels: LabelSpace
) -> None:
    # Half of the charts have codes without evidence.
    fitted = fit(kind, labels, make_charts(40, pointed=0.5), [], evidence="supervised")
    made = make_charts(20, seed=1)
    for reading, one in zip(read(fitted, made), made, strict=True):
        assert np.flatnonzero(reading.scores > 0.5).tolist() == one.codes.tolist()
        for code, ((begin, end),) in one.evidence.items():
            weights = reading.evidence[code].by_word(len(one.text))
            assert weights[begin:end].sum() > 0.9


# Without attention on a word, the linear tagger cannot tell whose sign it is.
@pytest.mark.parametrize(("evidence", "least"), [("linear-tagger", 0.6), ("cnn-tagger", 0.7)])
def test_taggers_mark_the_signs(evidence: str, least: float, labels: LabelSpace) -> None:
    fitted = fit("caml", labels, make_charts(40), [], evidence=evidence, epochs=15)
    made = make_charts(20, seed=1)
    right = said = total = 0
    for reading, one in zip(read(fitted, made), made, strict=True):
        for code, ((begin, end),) in one.evidence.items():
            tagged = reading.evidence[code].by_word(len(one.text)) >= 0.5
            right += int(tagged[begin:end].sum())
            said, total = said + int(tagged.sum()), total + int(end - begin)
    assert 2 * right / (said + total) > least


def test_evidence_is_there_for_the_codes_asked_for_and_no_others(labels: LabelSpace) -> None:
    fitted = fit("caml", labels, make_charts(8), [], epochs=1)
    seen: dict[str, Scores] = {}

    def evidence_for(text: ChartText, scores: Scores) -> npt.NDArray[np.int64]:
        seen[text.chart_id] = scores
        return np.array([int(text.chart_id[1:]) % 2])

    made = make_charts(70, seed=3)
    readings = list(fitted.read((one.text for one in made), evidence_for))
    assert [reading.text.chart_id for reading in readings] == [one.chart_id for one in made]
    for number, reading in enumerate(readings):
        assert list(reading.evidence) == [number % 2]
        assert (seen[f"c{number}"] == reading.scores).all()
        assert (reading.scores > 0).all()
        assert (reading.scores < 1).all()


def test_a_chart_without_words_has_no_codes_and_disturbs_no_other(labels: LabelSpace) -> None:
    fitted = fit("effectivecan", labels, make_charts(8), [], epochs=1)
    one, empty = make_charts(1)[0], make_chart("empty", [])
    alone, among = read(fitted, [one])[0], read(fitted, [empty, one])
    assert among[0].scores.tolist() == [0.0] * len(labels)
    assert not among[0].evidence
    np.testing.assert_allclose(among[1].scores, alone.scores, rtol=1e-5)


def test_a_chart_of_words_never_seen_is_read(labels: LabelSpace) -> None:
    fitted = fit("effectivecan", labels, make_charts(8), [], epochs=1)
    (reading,) = read(fitted, [make_chart("new", ["qwertz"] * 50, [0])])
    assert np.isfinite(reading.scores).all()


@pytest.mark.parametrize("evidence", ["supervised", "cnn-tagger"])
@pytest.mark.parametrize("kind", list(KINDS))
def test_a_saved_scorer_reads_as_before(
    kind: str, evidence: str, labels: LabelSpace, tmp_path: Path
) -> None:
    fitted = fit(kind, labels, make_charts(12), make_charts(4, seed=9), evidence=evidence, epochs=2)
    fitted.save(tmp_path)
    again = type(fitted).load(tmp_path, Resources(labels), fitted.config)
    made = make_charts(5, seed=2)
    for before, after in zip(read(fitted, made), read(again, made), strict=True):
        assert (before.scores == after.scores).all()
        for code, pointed in before.evidence.items():
            assert (pointed.weights == after.evidence[code].weights).all()
    assert {file.suffix for file in tmp_path.iterdir()} == {".safetensors", ".txt"}


def test_a_scorer_of_a_device_that_is_not_there_is_loaded_elsewhere(
    labels: LabelSpace, tmp_path: Path
) -> None:
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    fitted = fit("caml", labels, make_charts(8), [], epochs=1)
    fitted.save(tmp_path)
    elsewhere = fitted.config.model_copy(update={"device": "cuda"})
    with pytest.warns(UserWarning, match="cuda is not available"):
        again = type(fitted).load(tmp_path, Resources(labels), elsewhere)
    assert again.device.type == "cpu"
    with pytest.raises(OptionError, match="cuda"):
        fit("caml", labels, make_charts(8), [], device="cuda")


@pytest.mark.parametrize("damage", [b"", b"\x00" * 64, None])
def test_damaged_weights_are_an_error_that_says_so(
    damage: bytes | None, labels: LabelSpace, tmp_path: Path
) -> None:
    fitted = fit("caml", labels, make_charts(8), [], epochs=1)
    fitted.save(tmp_path)
    if damage is None:
        (tmp_path / WEIGHTS).unlink()
    else:
        (tmp_path / WEIGHTS).write_bytes(damage)
    with pytest.raises(AuscultError, match=r"train (the model )?again"):
        type(fitted).load(tmp_path, Resources(labels), fitted.config)


def test_weights_of_another_label_space_are_refused(labels: LabelSpace, tmp_path: Path) -> None:
    fitted = fit("caml", labels, make_charts(8), [], epochs=1)
    fitted.save(tmp_path)
    fewer = LabelSpace(labels.codes[:2], labels.counts[:2])
    with pytest.raises(AuscultError, match="another configuration"):
        type(fitted).load(tmp_path, Resources(fewer), fitted.config)


def test_the_same_seed_gives_the_same_weights_and_leaves_torchs_dice_alone(
    labels: LabelSpace,
) -> None:
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    first = fit("effectivecan", labels, make_charts(8), [], epochs=2, dropout=0.3)
    assert (torch.rand(3) == expected).all()
    second = fit("effectivecan", labels, make_charts(8), [], epochs=2, dropout=0.3)
    for name, value in first.network.state_dict().items():
        assert (value == second.network.state_dict()[name]).all()


def test_before_training_a_code_looks_at_the_words_of_its_description(labels: LabelSpace) -> None:
    # One step that is no step: what is read is what training starts from.
    nothing = {
        "epochs": 1,
        "learning_rate": 1e-12,
        "key_dim": 64,
        "out_channels": 64,
        "embedding_dim": 64,
    }
    made = make_charts(12)
    fitted = fit("effectivecan", labels, made, [], **nothing)
    for code in (1, 2):  # 250.00 is diabetes mellitus, 428.0 congestive heart failure
        words = [*FILLERS, *SIGNS[code], *FILLERS]
        (reading,) = read(fitted, [make_chart("c", words, [code])])
        weights = reading.evidence[code].by_word(len(words))
        at = len(FILLERS)
        assert sorted(np.argsort(weights)[-2:].tolist()) == [at, at + 1]


def test_before_training_the_score_of_a_code_is_about_its_share_of_the_charts(
    labels: LabelSpace,
) -> None:
    made = [make_chart(f"c{at}", FILLERS, [0, 2] if at % 10 else [0, 1]) for at in range(40)]
    fitted = fit("caml", labels, made, [], epochs=1, learning_rate=1e-12)
    (reading,) = read(fitted, made[:1])
    assert (np.abs(reading.scores - [1.0, 0.1, 0.9]) < 0.1).all()


def test_torch_is_not_imported_before_it_is_used() -> None:
    code = "import sys, auscult.models, auscult.models.fitting; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("kind", list(KINDS))
def test_the_step_of_the_evidence_threshold_follows_the_method(
    kind: str, labels: LabelSpace
) -> None:
    steps = {
        evidence: fit(kind, labels, make_charts(4), [], epochs=1, evidence=evidence).evidence_step
        for evidence in ("attention", "supervised", "linear-tagger", "cnn-tagger")
    }
    assert steps == {
        "attention": 0.02, "supervised": 0.02, "linear-tagger": 0.05, "cnn-tagger": 0.05
    }  # fmt: skip


@pytest.mark.parametrize(("kind", "given"), [
    ("caml", {"evidence": "supervised"}),
    ("effectivecan", {"evidence": "cnn-tagger"}),
    ("effectivecan", {"evidence": "linear-tagger", "norm": "batch"}),
])  # fmt: skip
def test_it_trains_in_half_precision_too(
    kind: str, given: dict[str, Any], labels: LabelSpace
) -> None:
    fitted = fit(kind, labels, make_charts(12), [], epochs=2, precision="bf16", **given)
    for reading in read(fitted, make_charts(4, seed=1)):
        assert np.isfinite(reading.scores).all()
        assert reading.scores.dtype == np.float32


def test_word_vectors_are_where_words_start(labels: LabelSpace, tmp_path: Path) -> None:
    file = tmp_path / "vectors.txt"
    file.write_text("clinic " + " ".join(["1", "-1"] * 8) + "\n")
    fitted = fit(
        "caml", labels, make_charts(8), [], epochs=1, learning_rate=1e-12, word_vectors=str(file)
    )
    (place,) = fitted.vocabulary.places(["clinic"])
    started = fitted.network.embedding.weight[place]
    assert torch.allclose(started.sign(), torch.tensor([1.0, -1.0] * 8))
