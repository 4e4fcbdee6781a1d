"""Hyperparameters: each is described, and what means the same is called the same everywhere."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import pytest
from docs.tools import library_names, settings
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from auscult.corpus.records import Cleaning
from auscult.generators import GENERATORS, architecture
from auscult.generators.contract import TextDecoding
from auscult.models import CODING_MODELS, ENTITY_MODELS, config_type_of, model_class
from auscult.models.pretraining.configuration import PretrainingConfiguration
from auscult.models.pretraining.small import SmallMlmConfiguration

SHARED = {
    "C": ("strength", "regularization", "c"),
    "batch_size": ("batch",),
    "class_weight": ("balanced", "weights"),
    "dropout": ("drop", "dropout_rate"),
    "embedding_dim": ("embedding", "embedding_size"),
    "epochs": ("epoch", "n_epochs", "num_epochs", "max_epochs"),
    "folds": ("inner_folds", "cv", "n_folds"),
    "hidden_size": ("hidden", "width", "size", "hidden_dim"),
    "kernel_size": ("kernel",),
    "learning_rate": ("lr", "rate"),
    "max_depth": ("depth", "deepest"),
    "max_length": ("longest", "length", "max_words", "window"),
    "min_count": ("minimum",),
    "min_df": ("least", "word_charts"),
    "min_positives": ("least_charts",),
    "n_estimators": ("rounds", "trees"),
    "num_heads": ("heads", "n_heads"),
    "num_layers": ("layers", "n_layers"),
    "semantic_types": ("types",),
    "threads": ("n_jobs", "workers", "cores"),
    "threshold": ("min_probability", "cutoff"),
    "warmup_ratio": ("warmup",),
}
"""A name, and what the same thing is never called."""


def configurations() -> dict[str, type[BaseModel]]:
    """Every class of hyperparameters, by what it is of."""
    return {
        **{kind: config_type_of(model_class(kind)) for kind in CODING_MODELS},
        **{kind: config_type_of(model_class(kind)) for kind in ENTITY_MODELS},
        **{f"generator {kind}": architecture(kind).config_type for kind in GENERATORS},
        "pretraining": PretrainingConfiguration,
        "decoding": TextDecoding,
        "cleaning": Cleaning,
    }


def every_field() -> Iterator[tuple[str, str, FieldInfo]]:
    for of, config in configurations().items():
        for name, field in config.model_fields.items():
            yield of, name, field


@pytest.mark.parametrize("of", configurations())
def test_every_hyperparameter_is_described_in_a_sentence(of: str) -> None:
    for name, field in configurations()[of].model_fields.items():
        said = field.description or ""
        assert said[:1].isupper(), f"{of}.{name}: {said!r}"
        assert said.endswith((".", "…")), f"{of}.{name}: {said!r}"


def test_what_means_the_same_has_one_name() -> None:
    instead = {other: name for name, others in SHARED.items() for other in others}
    names = [(of, name) for of, name, _ in every_field()]
    names += [("mlm", field.name) for field in dataclasses.fields(SmallMlmConfiguration)]
    wrong = [f"{of}.{name}: say {instead[name]}" for of, name in names if name in instead]
    assert not wrong
    assert set(SHARED) <= {name for _, name in names}


def test_one_name_is_of_one_type() -> None:
    """A hyperparameter that several have takes the same kind of value in all of them."""
    types: dict[str, set[str]] = {}
    for _, name, field in every_field():
        types.setdefault(name, set()).add(settings.type_name(field.annotation))
    assert not {name: found for name, found in types.items() if len(found) > 1}


def test_libraries_are_named_for_what_there_is() -> None:
    there = {name for _, name, _ in every_field()}
    assert library_names.names() <= there
