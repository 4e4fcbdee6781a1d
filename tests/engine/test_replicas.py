"""Replicas that train one network together."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.engine.ward import ward

from auscult.core import OptionError
from auscult.corpus.corpus import Corpus
from auscult.engine import Local
from auscult.models.model import Model
from auscult.models.training import train

SETTINGS = {
    "epochs": 2,
    "batch_size": 5,
    "embedding_dim": 6,
    "hidden_size": 4,
    "threads": 1,
    "dropout": 0.0,
}
_WEIGHTS = "weights.safetensors"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return ward(30).write(tmp_path_factory.mktemp("replicas") / "corpus")


@pytest.mark.filterwarnings("ignore:No chart to tune on")
def test_the_same_replicas_give_the_same_weights_and_one_process_nearly_those(
    corpus: Corpus, tmp_path: Path
) -> None:
    import torch
    from safetensors.torch import load_file

    for name, replicas in (("a", 2), ("b", 2), ("alone", 1)):
        made = train(
            corpus, tmp_path / name, "bigru", {**SETTINGS, "dropout": 0.0}, replicas=replicas,
            engine=Local(threads=1),
        )  # fmt: skip
        assert made.about.replicas == replicas
    a, b, alone = (load_file(tmp_path / name / _WEIGHTS) for name in ("a", "b", "alone"))
    assert all(torch.equal(a[name], b[name]) for name in a)
    # Without dropout the loss is a mean over charts: only rounding differs.
    for name, value in alone.items():
        torch.testing.assert_close(a[name], value, rtol=1e-3, atol=1e-4)
    assert not all(torch.equal(a[name], value) for name, value in alone.items())
    assert {file.name for file in tmp_path.iterdir()} == {"a", "b", "alone"}
    assert list(Model.load(tmp_path / "a").predict(corpus.iter_notes()))


def test_what_is_not_trained_in_steps_has_no_replicas(corpus: Corpus, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="Leave replicas out"):
        train(corpus, tmp_path / "a", "lexicon", replicas=2)
    assert not (tmp_path / "a").exists()


def test_an_error_of_the_replicas_is_one_sentence(corpus: Corpus, tmp_path: Path) -> None:
    assert corpus.path is not None
    done = subprocess.run(
        [
            sys.executable, "-m", "auscult", "train", str(corpus.path), str(tmp_path / "a"),
            "--model", "bigru", "--replicas", "2", "--train-split", "tarin",
        ],
        capture_output=True, text=True, env=os.environ,
    )  # fmt: skip
    assert done.returncode == 2
    assert "no split 'tarin'" in done.stderr
    assert len(done.stderr.splitlines()) == 1
