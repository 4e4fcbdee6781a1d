"""Learning rates and optimizers are those of the libraries they are named after."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from pydantic import BaseModel
from torch import nn
from transformers import get_scheduler

from auscult.generators import GENERATORS, architecture
from auscult.learning.settings import configured
from auscult.learning.steps import optimizer_of, rate
from auscult.learning.training_configuration import TrainingConfiguration
from auscult.models import CODING_MODELS, config_type_of, model_class
from auscult.models.pretraining.configuration import PretrainingConfiguration
from auscult.models.semantic.embedding_training import EmbeddingConfiguration

NAMES = ["cosine", "linear", "constant", "constant_with_warmup"]


@pytest.mark.parametrize("name", NAMES)
def test_a_schedule_is_that_of_transformers_of_the_same_name(name: Any) -> None:
    config = TrainingConfiguration(lr_scheduler_type=name, epochs=4, warmup_ratio=0.1)
    steps = 25
    optimizer = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=1.0)
    theirs = get_scheduler(name, optimizer, num_warmup_steps=10, num_training_steps=100)
    for epoch in range(4):
        for at in range(steps):
            assert rate(epoch + at / steps, config) == pytest.approx(theirs.get_last_lr()[0])
            optimizer.step()
            theirs.step()


def test_adam_knows_no_weight_decay_and_adamw_does() -> None:
    ends = {}
    for name, reference in (("adam", torch.optim.Adam), ("adamw", torch.optim.AdamW)):
        config = TrainingConfiguration(optimizer=name, weight_decay=0.3, learning_rate=0.1)
        mine, theirs = nn.Parameter(torch.ones(2, 2)), nn.Parameter(torch.ones(2, 2))
        layer = nn.Module()
        layer.weight = mine
        decay = {} if name == "adam" else {"weight_decay": 0.3}
        kind: Any = reference
        pairs = ((optimizer_of(layer, config, torch.device("cpu")), mine),
                 (kind([theirs], lr=0.1, **decay), theirs))  # fmt: skip
        for optimizer, weight in pairs:
            for _ in range(3):
                weight.grad = torch.tensor([[1.0, -2.0], [0.5, 0.0]])
                optimizer.step()
        torch.testing.assert_close(mine, theirs)
        ends[name] = mine.detach().clone()
    assert not torch.allclose(ends["adam"], ends["adamw"])


def _configurations() -> dict[str, type[BaseModel]]:
    models = {f"model {name}": config_type_of(model_class(name)) for name in CODING_MODELS}
    generators = {f"generator {name}": architecture(name).config_type for name in GENERATORS}
    return {
        **models,
        **generators,
        "pretraining": PretrainingConfiguration,
        "embeddings": EmbeddingConfiguration,
    }


def test_every_neural_model_can_be_trained_with_adam_at_a_constant_rate() -> None:
    found = {}
    for what, config_type in _configurations().items():
        if "learning_rate" in config_type.model_fields and what != "model tfidf-xgboost":
            given = {"optimizer": "adam", "lr_scheduler_type": "constant", "learning_rate": 0.25}
            found[what] = configured(config_type, what, given)
    assert set(found) >= {
        "model bigru", "model caml", "model effectivecan", "model transformer",
        "generator lstm", "generator transformer", "pretraining", "embeddings",
    }  # fmt: skip
    for what, config in found.items():
        assert isinstance(config, TrainingConfiguration), what
        assert rate(0, config) == rate(0.5, config) == rate(config.epochs, config) == 1.0, what
        optimizer = optimizer_of(nn.Linear(2, 2), config, torch.device("cpu"))
        assert type(optimizer) is torch.optim.Adam, what
