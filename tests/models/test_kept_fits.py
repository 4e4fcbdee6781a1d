"""A training that is interrupted goes on where it was, and ends with the same model."""

from __future__ import annotations

import multiprocessing as mp
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from auscult.corpus.corpus import Corpus
from auscult.models.linear import Linear
from auscult.models.training import train

Toy = Callable[..., Corpus]
_SMALL = {"members": ["linear", "codebook"], "folds": 2}


def contents(model: Path) -> dict[str, bytes]:
    """The files of a saved model."""
    return {str(f.relative_to(model)): f.read_bytes() for f in model.rglob("*") if f.is_file()}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("at", [1, 2, 3])
def test_no_fit_is_done_twice(
    toy: Toy, tmp_path: Path, at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus, fits = toy(40), 0
    fit = Linear.fit

    def counted(*given: Any, **named: Any) -> Linear:
        nonlocal fits
        fits += 1
        if fits == at:
            raise KeyboardInterrupt
        return fit(*given, **named)

    monkeypatch.setattr(Linear, "fit", staticmethod(counted))
    with pytest.raises(KeyboardInterrupt):
        train(corpus, tmp_path / "stopped", "ensemble", _SMALL, dev_split="none")
    train(corpus, tmp_path / "stopped", "ensemble", _SMALL, dev_split="none")
    assert fits == 4  # the member, two folds, and the one that was interrupted
    train(corpus, tmp_path / "whole", "ensemble", _SMALL, dev_split="none")
    assert contents(tmp_path / "stopped") == contents(tmp_path / "whole")
    assert not list(tmp_path.glob(".*"))


def work(corpus: Path, out: Path) -> None:
    """The default training."""
    train(Corpus.open(corpus), out, dev_split="none")


@pytest.mark.filterwarnings("ignore")
def test_killed_at_five_points_the_default_training_ends_with_the_same_model(
    toy: Toy, tmp_path: Path
) -> None:
    toy(30).write(tmp_path / "corpus")
    dice, context = random.Random(0), mp.get_context("spawn")
    begin = time.monotonic()
    work(tmp_path / "corpus", tmp_path / "whole")
    takes = time.monotonic() - begin
    kills = 0
    for _ in range(5):
        child = context.Process(target=work, args=(tmp_path / "corpus", tmp_path / "stopped"))
        child.start()
        child.join(1.5 + takes * dice.random())
        if child.is_alive():
            kills += 1
            child.kill()
            child.join()
            assert child.exitcode == -signal.SIGKILL
    if not (tmp_path / "stopped").exists():
        work(tmp_path / "corpus", tmp_path / "stopped")
    assert kills
    assert contents(tmp_path / "stopped") == contents(tmp_path / "whole")
