"""Neural models on charts with a few words changed, and training for a rare outcome."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from tests.models.neural.conftest import CODES, FILLERS, make_charts
from tests.models.neural.tiny import save_model

from auscult.core import AuscultError, Code
from auscult.models.architecture import TrainingData
from auscult.models.chart_scoring import ScoredChart
from auscult.models.decoding import log_loss, tune_recall
from auscult.models.examples import Example
from auscult.models.label_space import LabelSpace
from auscult.models.neural.caml import Caml
from auscult.models.neural.losses import code_loss
from auscult.models.neural.transformer import Transformer, TransformerConfiguration
from auscult.models.perturbation import Perturbation, ScoresEdits, reread

LABELS = LabelSpace(tuple(Code("ICD-9-CM", value) for value in CODES), (1,) * len(CODES))
CAML = {"epochs": 1, "embedding_dim": 8, "out_channels": 8, "threads": 1, "min_df": 1}


@pytest.fixture(scope="module")
def transformer(tmp_path_factory: pytest.TempPathFactory) -> Transformer:
    model = save_model(tmp_path_factory.mktemp("model"))
    config = TransformerConfiguration(
        encoder=str(model), epochs=1, threads=1, chunk_overlap=4, batch_size=4
    )
    return Transformer.fit(TrainingData(make_charts(12, pointed=0), [], LABELS), config, seed=0)


@pytest.fixture(scope="module")
def caml() -> Caml:
    config = Caml.config_type(**CAML)
    return Caml.fit(TrainingData(make_charts(12, pointed=0), [], LABELS), config, seed=0)


def swaps(one: Example) -> list[Perturbation]:
    """Every third word becomes one of one piece, of two, an unknown one, two words, nothing."""
    note = one.text.notes[0]
    places = [
        (note.note_id, int(one.text.begins[at]), int(one.text.ends[at]))
        for at in range(0, len(one.text), 3)
    ]
    words = (FILLERS[0], "hypertension", "zzz", "the clinic", "")
    return [Perturbation.swap([place], word) for place in places for word in words]


@pytest.mark.parametrize("longest", [None, 11])
@pytest.mark.parametrize("kind", ["transformer", "caml"])
def test_the_quick_way_gives_what_reading_again_gives(
    kind: str, longest: int | None, request: pytest.FixtureRequest
) -> None:
    scorer: Any = request.getfixturevalue(kind)
    quicker: object = scorer
    assert isinstance(quicker, ScoresEdits)
    config = scorer.config.model_copy(update={"max_length": longest, "max_chart_length": longest})
    one = max(make_charts(8, pointed=0, seed=9), key=lambda chart: len(chart.text))
    perturbed = swaps(one)
    text = reread(one.text, Perturbation({}), config)
    quick = scorer.scores_of_edits(text, perturbed, 1, config)
    texts = [reread(text, each, config) for each in perturbed]
    nothing = np.zeros(0, np.int64)
    again = [reading.scores[1] for reading in scorer.read(texts, lambda _text, _scores: nothing)]
    assert len(set(np.round(again, 6))) > 3
    np.testing.assert_allclose(quick, again, atol=2e-6)


def test_what_is_the_same_is_encoded_once(
    transformer: Transformer, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = max(make_charts(8, pointed=0, seed=9), key=lambda chart: len(chart.text))
    rows: list[int] = []
    encode = transformer.network.encode_chunks

    def counting(ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        rows.append(len(ids))
        return encode(ids, mask)

    monkeypatch.setattr(transformer.network, "encode_chunks", counting)
    note = one.text.notes[0]
    last = (note.note_id, int(one.text.begins[-1]), int(one.text.ends[-1]))
    words = [FILLERS[0], FILLERS[1], FILLERS[0].upper(), FILLERS[2]]
    same = [Perturbation.swap([last], word) for word in words]
    transformer.scores_of_edits(one.text, same, 0, transformer.config)
    chunks = len(transformer.item(one.text).pieces.chunks)
    assert chunks > 1
    # Three different charts (upper case is the same to this tokenizer) that differ at the end.
    assert sum(rows) == chunks - 1 + 3


def test_it_says_which_words_it_knows(transformer: Transformer, caml: Caml) -> None:
    assert transformer.knows([FILLERS[0], "hypertension", "§"]) == [True, True, False]
    assert caml.knows([FILLERS[0], "never-seen"]) == [True, False]


def test_balanced_loss_by_hand() -> None:
    logits = torch.tensor([[0.0], [0.0], [2.0], [0.0]])
    gold = torch.tensor([[1.0], [0.0], [0.0], [0.0]])
    share = torch.tensor([0.25])
    each = [np.log(2), np.log(2), np.log1p(np.exp(2.0)), np.log(2)]
    weights = [0.75, 0.25, 0.25, 0.25]
    expected = np.dot(each, weights) / np.sum(weights)
    assert code_loss(logits, gold, share=share).item() == pytest.approx(expected, rel=1e-6)
    made = [Example(one.text, np.array([0] if at == 0 else [], np.int64))
            for at, one in enumerate(make_charts(4, pointed=0))]  # fmt: skip
    scores = torch.sigmoid(logits).numpy()
    readings = [ScoredChart(one.text, scores[at]) for at, one in enumerate(made)]
    assert log_loss(readings, made, share.numpy()) == pytest.approx(expected, rel=1e-5)
    assert log_loss(readings, made) == pytest.approx(np.mean(each), rel=1e-5)


def test_the_threshold_for_a_recall() -> None:
    scores = [0.9, 0.8, 0.7, 0.35, 0.3, 0.2]
    gold = [1, 0, 1, 1, 0, 1]
    texts = [one.text for one in make_charts(6, pointed=0)]
    made = [
        Example(t, np.array([0] if g else [], np.int64)) for t, g in zip(texts, gold, strict=True)
    ]
    readings = [
        ScoredChart(t, np.array([s], np.float32)) for t, s in zip(texts, scores, strict=True)
    ]
    tuned = tune_recall(readings, made, 0.7)
    assert tuned.threshold == pytest.approx(0.35)
    assert (tuned.counts.tp, tuned.counts.fp, tuned.counts.fn) == (3, 1, 1)
    assert tune_recall(readings, made, 1.0).threshold == pytest.approx(0.2)
    beyond = [Example(one.text, one.codes, unseen=frozenset([Code("x", "y")])) for one in made]
    with pytest.raises(AuscultError, match="cannot be reached"):
        tune_recall(readings, beyond, 0.9)


def test_the_weights_kept_are_those_of_the_lowest_validation_loss(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[float] = []

    def noting(*given: Any) -> float:
        seen.append(log_loss(*given))
        return seen[-1]

    monkeypatch.setattr("auscult.models.neural.neural_scorer.log_loss", noting)
    train, dev = make_charts(16, pointed=0), make_charts(8, pointed=0, seed=5)
    config = Caml.config_type(
        **{
            **CAML,
            "epochs": 5,
            "learning_rate": 0.5,
            "metric_for_best_model": "loss",
            "class_weight": "balanced",
        }
    )
    fitted = Caml.fit(TrainingData(train, dev, LABELS), config, seed=0)
    assert len(set(seen)) == 5
    assert min(seen) < seen[-1]  # otherwise this shows nothing
    nothing = np.zeros(0, np.int64)
    readings = list(fitted.read([one.text for one in dev], lambda _text, _scores: nothing))
    counts = np.bincount(np.concatenate([one.codes for one in train]), minlength=len(CODES))
    share = (counts / len(train)).astype(np.float32)
    assert log_loss(readings, dev, share) == pytest.approx(min(seen), rel=1e-5)
