"""Explainers keep what their definitions promise, and find the words that decide."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tests.models.neural.conftest import make_chart, make_charts
from tests.models.neural.tiny import save_model
from torch import Tensor

from auscult.models import scorer_class
from auscult.models.architecture import TrainingData
from auscult.models.chart_scoring import ScoredChart
from auscult.models.examples import Example
from auscult.models.label_space import LabelSpace
from auscult.models.neural import neural_scorer
from auscult.models.neural.explainers import attingrad, integrated_gradients, shares
from auscult.models.neural.neural_scorer import NeuralScorer

SETTINGS: dict[str, dict[str, Any]] = {
    "caml": {"embedding_dim": 16, "out_channels": 16, "kernel_size": 3,
             "learning_rate": 0.02, "dropout": 0.0},
    "effectivecan": {
        "embedding_dim": 16, "out_channels": 16, "kernel_size": 3, "key_dim": 16, "num_blocks": 2,
        "learning_rate": 0.02, "dropout": 0.0,
    },
    "transformer": {"learning_rate": 3e-3, "chunk_overlap": 4},
}  # fmt: skip
Fitted = NeuralScorer[Any, Any]


def fit(kind: str, labels: LabelSpace, folder: Path, charts: int = 40, **given: Any) -> Fitted:
    learner: Any = scorer_class(kind)
    named = {"encoder": str(save_model(folder))} if kind == "transformer" else {}
    common = {"epochs": 10, "batch_size": 4, "threads": 1}
    config = learner.config_type(**{**common, **SETTINGS[kind], **named, **given})
    fitted: Fitted = learner.fit(TrainingData(make_charts(charts), [], labels), config, seed=0)
    return fitted


def told(fitted: Fitted, **given: Any) -> None:
    """Let the scorer read in another way."""
    fitted.config = fitted.config.model_copy(update=given)


def read(fitted: Fitted, made: list[Example]) -> list[ScoredChart]:
    gold = {one.chart_id: one.codes for one in made}
    return list(fitted.read((one.text for one in made), lambda text, _: gold[text.chart_id]))


def linear(weights: Tensor) -> Any:
    """A network whose score is linear, and whose attention is the same for every word."""

    def see(embedded: Tensor) -> tuple[Tensor, Tensor]:
        return (embedded * weights).sum((1, 2)) + 3, torch.full(embedded.shape[:2], 0.25)

    return see


def test_integrated_gradients_of_a_linear_score_are_its_terms() -> None:
    dice = torch.Generator().manual_seed(0)
    inside, weights = (torch.randn(2, 4, 3, generator=dice) for _ in range(2))
    baseline = torch.randn(3, generator=dice)
    found = integrated_gradients(linear(weights), inside, baseline, steps=4)
    torch.testing.assert_close(found, ((inside - baseline) * weights).sum(2))


def test_attingrad_of_a_case_worked_by_hand() -> None:
    # The score is x₁ + 2 x₂² where word 1 is (3, 4) and word 2 is (0, 1): gradients are of the
    # first word (1, 0) and of the second (0, 4).
    def see(embedded: Tensor) -> tuple[Tensor, Tensor]:
        logits = embedded[:, 0, 0] + 2 * embedded[:, 1, 1] ** 2
        return logits, torch.tensor([[0.9, 0.1]])

    found = attingrad(see, torch.tensor([[[3.0, 4.0], [0.0, 1.0]]]))
    torch.testing.assert_close(found, torch.tensor([[0.9 * 3, 0.1 * 4]]))


def test_shares_of_nothing_are_nothing() -> None:
    assert shares(np.zeros(3, np.float32)).tolist() == [0, 0, 0]
    assert shares(-np.ones(2, np.float32)).tolist() == [0, 0]


@pytest.mark.parametrize("kind", list(SETTINGS))
def test_integrated_gradients_sum_to_the_difference_from_nothing(
    kind: str, labels: LabelSpace, tmp_path: Path
) -> None:
    fitted = fit(kind, labels, tmp_path, charts=8, epochs=2)
    told(fitted, explainer="integrated-gradients", explainer_steps=64)
    items = [fitted.item(one.text) for one in make_charts(3, seed=4)]
    pairs = [(0, 1), (1, 0), (1, 2), (2, 0)]
    found = fitted._explain(items, pairs).sum(1)
    with torch.no_grad():
        for (at, code), total in zip(pairs, found, strict=True):
            batch = fitted.collate([items[at]])
            embedded = fitted.embed(batch)
            nothing = fitted.baseline().expand_as(embedded)
            scores = [
                fitted.network.logits(fitted.encode(batch, given))[0, code]
                for given in (embedded, nothing)
            ]
            torch.testing.assert_close(total, scores[0] - scores[1], rtol=0.02, atol=2e-3)


@pytest.mark.parametrize("kind", list(SETTINGS))
def test_attingrad_is_what_its_definition_says_chart_by_chart_and_code_by_code(
    kind: str, labels: LabelSpace, tmp_path: Path
) -> None:
    fitted = fit(kind, labels, tmp_path, charts=8, epochs=2)
    told(fitted, explainer="attingrad")
    items = [fitted.item(one.text) for one in make_charts(3, seed=4)]
    pairs = [(0, 1), (1, 0), (1, 2), (2, 0)]
    found = fitted._explain(items, pairs)
    for (at, code), weights in zip(pairs, found, strict=True):
        batch = fitted.collate([items[at]])
        embedded = fitted.embed(batch).detach().requires_grad_()
        encoded = fitted.encode(batch, embedded)
        fitted.network.logits(encoded)[0, code].backward()
        assert embedded.grad is not None
        row = torch.zeros(1, dtype=torch.int64)
        attention = fitted.network.pairs(encoded, row, row + code).log_attention.exp()[0]
        expected = attention * (embedded * embedded.grad)[0].square().sum(1).sqrt()
        length = len(items[at].words)
        torch.testing.assert_close(weights[:length], expected, rtol=1e-4, atol=1e-6)
        assert not weights[length:].any()


@pytest.mark.parametrize("kind", list(SETTINGS))
def test_explainers_find_the_sign_of_a_code_that_was_learned_without_evidence(
    kind: str, labels: LabelSpace, tmp_path: Path
) -> None:
    fitted = fit(kind, labels, tmp_path)
    made = make_charts(12, seed=1)
    for explainer in ("attingrad", "integrated-gradients"):
        told(fitted, explainer=explainer, explainer_steps=8)
        found = []
        for reading, one in zip(read(fitted, made), made, strict=True):
            assert sorted(reading.evidence) == one.codes.tolist()
            for code, ((begin, end),) in one.evidence.items():
                weights = reading.evidence[code].by_word(len(one.text))
                assert weights.min() >= 0
                assert 0.9 < weights.sum() <= 1 + 1e-5
                found.append(weights[begin:end].sum())
        assert np.mean(found) > 0.7


def test_an_explanation_is_the_same_in_any_company(labels: LabelSpace, tmp_path: Path) -> None:
    fitted = fit("transformer", labels, tmp_path, charts=8, epochs=1)
    told(fitted, explainer="attingrad")
    made = [make_chart("short", ["rain"], [0, 1, 2]), *make_charts(5, seed=5)]
    together = read(fitted, made)
    told(fitted, batch_size=1)
    for one, reading in zip(made, together, strict=True):
        (alone,) = read(fitted, [one])
        for code, pointed in alone.evidence.items():
            length = len(one.text)
            np.testing.assert_allclose(
                pointed.by_word(length), reading.evidence[code].by_word(length), atol=1e-3
            )


def test_long_charts_are_explained_one_code_at_a_time(
    labels: LabelSpace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fitted = fit("transformer", labels, tmp_path, charts=8, epochs=1)
    told(fitted, explainer="attingrad")
    (short,) = make_charts(1)
    long = make_chart("long", ["rain"] * 900, [0, 1, 2])
    sizes = []
    collate = fitted.collate

    def noted(items: Any) -> Any:
        batch = collate(items)
        sizes.append(batch.words.shape)
        return batch

    monkeypatch.setattr(fitted, "collate", noted)
    monkeypatch.setattr(neural_scorer, "_TOKENS", 1_000)
    read(fitted, [long, short])
    first, *explained = sizes  # what is read in 32 bits without gradients may be large
    assert first == (2, 900)
    pairs = sum(rows for rows, _ in explained)
    assert pairs == 3 + len(short.codes)
    assert [rows for rows, width in explained if width == 900] == [1, 1, 1]


def test_a_tagger_with_an_explainer_is_tuned_in_the_steps_of_shares(
    labels: LabelSpace, tmp_path: Path
) -> None:
    fitted = fit("caml", labels, tmp_path, charts=4, epochs=1, evidence="cnn-tagger")
    assert fitted.evidence_step == 0.05
    told(fitted, explainer="attingrad")
    assert fitted.evidence_step == 0.02
