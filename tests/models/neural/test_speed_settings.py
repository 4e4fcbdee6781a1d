"""Settings that save time: what they leave alone, and how far results may move."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from tests.models.neural.conftest import CODES, make_charts
from tests.models.neural.test_transformer import SMALL, read
from tests.models.neural.tiny import save_model
from transformers import (
    DebertaV2Config,
    DebertaV2Model,
    MPNetConfig,
    MPNetModel,
    RobertaPreLayerNormConfig,
    RobertaPreLayerNormModel,
)

from auscult.core import Code, OptionError
from auscult.models.architecture import TrainingData
from auscult.models.label_space import LabelSpace
from auscult.models.neural.freezing import freeze_lower
from auscult.models.neural.transformer import Transformer, TransformerConfiguration

LABELS = LabelSpace(tuple(Code("ICD-9-CM", value) for value in CODES), (1,) * len(CODES))


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_model(tmp_path_factory.mktemp("tiny"))


def fitted(tiny: Path, **given: object) -> Transformer:
    config = TransformerConfiguration.model_validate(
        {"encoder": str(tiny), **SMALL, "epochs": 2, **given}
    )
    return Transformer.fit(TrainingData(make_charts(12), [], LABELS), config, seed=0)


@pytest.fixture(scope="module")
def whole(tiny: Path) -> Transformer:
    return fitted(tiny)


def test_frozen_layers_stay_as_they_came(tiny: Path, whole: Transformer) -> None:
    original = load_file(tiny / "model.safetensors")
    frozen = fitted(tiny, freeze_layers=1)

    def changed(model: Transformer) -> set[str]:
        weights = model.network.encoder.state_dict()
        return {name for name in weights if not torch.equal(weights[name], original[name])}

    assert changed(frozen) == {
        name for name in changed(whole) if name.startswith("encoder.layer.1")
    }
    assert any(name.startswith("embeddings.") for name in changed(whole))
    assert changed(frozen)
    one, other = (model.network.head.state_dict() for model in (frozen, whole))
    assert not any(torch.equal(value, other[name]) for name, value in one.items())


def test_what_deberta_defines_behind_its_layers_and_uses_in_the_first_is_frozen_too() -> None:
    kind: Any = DebertaV2Model
    settings: dict[str, Any] = {
        "vocab_size": 20, "hidden_size": 8, "num_hidden_layers": 3, "num_attention_heads": 2,
        "intermediate_size": 16, "relative_attention": True, "pos_att_type": ["p2c", "c2p"],
        "norm_rel_ebd": "layer_norm", "position_buckets": 4, "max_position_embeddings": 16,
        "conv_kernel_size": 3, "conv_act": "gelu",
    }  # fmt: skip
    encoder = kind(DebertaV2Config(**settings))
    freeze_lower(encoder, 2)
    trained = {name for name, one in encoder.named_parameters() if one.requires_grad}
    every = dict(encoder.named_parameters())
    assert trained == {name for name in every if name.startswith("encoder.layer.2.")}
    assert any("rel_embeddings" in name for name in every)
    ways_back = []
    for layer in encoder.encoder.layer:
        layer.register_forward_hook(lambda *given: ways_back.append(given[-1][0].requires_grad))
    encoder(input_ids=torch.tensor([[1, 2, 3]]))
    assert ways_back == [False, False, True]


def test_relative_positions_of_mpnet_are_frozen_and_a_norm_behind_the_layers_is_not() -> None:
    sizes: dict[str, Any] = {
        "vocab_size": 20, "hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2,
        "intermediate_size": 16,
    }  # fmt: skip
    made: list[Any] = [MPNetModel, RobertaPreLayerNormModel]
    mpnet = made[0](MPNetConfig(**sizes))
    freeze_lower(mpnet, 1)
    assert not mpnet.encoder.relative_attention_bias.weight.requires_grad
    prenorm = made[1](RobertaPreLayerNormConfig(**sizes))
    freeze_lower(prenorm, 1)
    assert prenorm.LayerNorm.weight.requires_grad
    assert not prenorm.embeddings.LayerNorm.weight.requires_grad


def test_gradients_still_explain_a_model_with_frozen_layers(tiny: Path) -> None:
    charts = make_charts(4)
    frozen = fitted(tiny, freeze_layers=1, explainer="attingrad")
    for chart, found in zip(charts, read(frozen, charts), strict=True):
        for code in chart.codes:
            assert found.evidence[int(code)].weights.sum() > 0.5  # the weights are shares


def test_an_encoder_is_not_frozen_whole(tiny: Path) -> None:
    with pytest.raises(OptionError, match="freeze_layers is 2, and the encoder has 2 layers"):
        fitted(tiny, freeze_layers=2)


def test_bf16_moves_scores_a_little_and_only_when_asked_for(whole: Transformer) -> None:
    charts = make_charts(20, seed=5)

    def scores(precision: str) -> np.ndarray:
        whole.config = whole.config.model_copy(update={"inference_precision": precision})
        return np.stack([one.scores for one in read(whole, charts)])

    exact, half = scores("32"), scores("bf16")
    assert (scores("auto") == exact).all()
    assert (half != exact).any()
    assert np.abs(half - exact).max() < 0.02
