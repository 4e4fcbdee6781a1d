"""An unknown name is answered with the one that was most likely meant, or with none."""

from __future__ import annotations

import pytest

from auscult.core import OptionError
from auscult.core.names import guess, require_id
from auscult.learning.settings import configured
from auscult.models import config_type_of, model_class, model_names


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("lineer", "linear"),
        ("lineaer", "linear"),
        ("linkr", "linker"),
        ("Linear", "linear"),
        ("tfidf_xgboost", "tfidf-xgboost"),
        ("xgboost", "tfidf-xgboost"),
        ("trasnformer", "transformer"),
        ("dict", "dictionary"),
    ],
)
def test_the_model_that_was_meant(name: str, meant: str) -> None:
    assert guess(name, model_names()) == f" Did you mean {meant}?"


@pytest.mark.parametrize(
    ("model", "name", "meant"),
    [
        ("linear", "c", "C"),
        ("caml", "batch", "batch_size"),
        ("caml", "batchsize", "batch_size"),
        ("caml", "epoch", "epochs"),
        ("caml", "learning-rate", "learning_rate"),
        ("caml", "leraning_rate", "learning_rate"),
        ("caml", "channels", "out_channels"),
        ("tfidf-xgboost", "depth", "max_depth"),
    ],
)
def test_the_hyperparameter_that_was_meant(model: str, name: str, meant: str) -> None:
    with pytest.raises(OptionError, match=rf"'{name}'\. Did you mean {meant}\?"):
        configured(config_type_of(model_class(model)), f"model {model}", {name: 1})


@pytest.mark.parametrize("name", ["k", "x", "", "_", "zz", "quite other"])
def test_nothing_is_guessed_from_nothing(name: str) -> None:
    fields = config_type_of(model_class("linear")).model_fields
    assert guess(name, ["C", *fields, *model_names()]) == ""


def test_of_ids_only_a_slip_is_guessed_at() -> None:
    with pytest.raises(OptionError, match=r"Did you mean c12\?$"):
        require_id("c21", ["c12", "c212345"], "chart")
    with pytest.raises(OptionError, match=r"among 2\.$"):
        require_id("c21", ["c2134", "c9999"], "chart")
