"""A saved model runs with other settings of inference; nothing else of it can be changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from click.testing import CliRunner

from auscult import load_model
from auscult.cli.main import auscult
from auscult.core import OptionError
from auscult.corpus.corpus import Corpus
from auscult.models.fitting import fit
from auscult.models.model import Model

SETTINGS: dict[str, Any] = {
    "embedding_dim": 16, "out_channels": 16, "kernel_size": 3, "learning_rate": 0.02,
    "dropout": 0.0, "epochs": 3, "threads": 1,
}  # fmt: skip


@pytest.fixture(scope="module")
def corpus(toy: Callable[..., Corpus], tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    place = tmp_path_factory.mktemp("corpus") / "corpus"
    toy(40).write(place)
    return Corpus.open(place)


@pytest.fixture(scope="module")
def saved(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("models") / "caml"
    fit(corpus, "caml", SETTINGS).save(place)
    return place


def scores(model: Model, corpus: Corpus) -> list[tuple[Any, ...]]:
    found = model.predict(corpus.select(splits=["dev"]), ranked=3)
    return [(one.chart_id, one.code, one.score, one.spans) for one in found]


def test_precision_threads_and_batch_size_of_a_saved_model(corpus: Corpus, saved: Path) -> None:
    given = {"inference_precision": "bf16", "threads": 1, "batch_size": 2, "device": "cpu"}
    changed = load_model(saved, settings=given)
    half = Model.load(saved)
    half.architecture.config = half.architecture.config.model_copy(update=given)  # type: ignore[attr-defined]  # of neural models
    assert scores(changed, corpus) == scores(half, corpus) != scores(load_model(saved), corpus)
    assert changed.about.configuration["inference_precision"] == "bf16"
    weights = changed.architecture.network.parameters()  # type: ignore[attr-defined]
    assert all(one.dtype == torch.float32 for one in weights)


def test_settings_of_training_are_refused(saved: Path) -> None:
    expected = "epochs is not an inference setting of the model caml, which can be run with other "
    with pytest.raises(OptionError, match=expected + "batch_size, device, inference_precision"):
        load_model(saved, settings={"epochs": 3})
    with pytest.raises(OptionError, match="Setting inference_precision of the model caml"):
        load_model(saved, settings={"inference_precision": "int4"})
    with pytest.raises(OptionError, match="the model codebook, which has none to choose"):
        load_model("codebook", settings={"threads": 2})


def test_the_command_takes_them(corpus: Corpus, saved: Path, tmp_path: Path) -> None:
    def predicted(name: str, *words: str) -> str:
        out = tmp_path / f"{name}.jsonl"
        asked = ["predict", saved, corpus.path, out, "--split", "dev", "--ranked", "3", *words]
        found = CliRunner().invoke(auscult, [str(word) for word in asked])
        return out.read_text() if out.exists() else str(found.exception)

    plain = predicted("plain")
    assert predicted("same", "--set", "threads=1", "--set", "device=cpu") == plain
    half = predicted("half", "--set", "inference_precision=bf16")
    assert half != plain
    assert half.count("\n") == plain.count("\n")
    refusal = predicted("no", "--set", "dropout=0")
    assert "dropout is not an inference setting of the model caml" in refusal
