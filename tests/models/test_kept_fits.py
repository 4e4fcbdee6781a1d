"""A training that is interrupted goes on where it was, and ends with the same model."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
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


def kept(out: Path) -> dict[str, int]:
    """The fits that are kept beside a model to be, and the number of each on the disk."""
    folder = out.parent / f".{out.name}.training"
    try:
        return {str(one.relative_to(folder)): one.stat().st_ino for one in folder.rglob("fits")}
    except OSError:  # one of its folders is just being renamed or removed
        return {}


@pytest.mark.filterwarnings("ignore")
def test_killed_at_five_points_the_default_training_goes_on_and_ends_with_the_same_model(
    toy: Toy, tmp_path: Path
) -> None:
    toy(30).write(tmp_path / "corpus")
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    command = [sys.executable, "-m", "auscult", "train", str(tmp_path / "corpus")]
    command += ["--dev-split", "none"]
    subprocess.run([*command, str(whole)], check=True, capture_output=True)
    dice, before = random.Random(0), dict[str, int]()
    # Lexicon and linear are fitted to all charts and for five folds each.
    for least in sorted(dice.sample(range(1, 10), 5)):
        child = subprocess.Popen(
            [*command, str(stopped)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        while len(kept(stopped)) < least and child.poll() is None:
            time.sleep(0.005)
        time.sleep(0.05 * dice.random())  # into the next fit
        child.kill()
        assert child.wait() == -signal.SIGKILL, "it ended before so many fits were kept"
        after = kept(stopped)
        assert len(after) >= least
        assert before.items() <= after.items(), "what was kept is not fitted again"
        before = after
    subprocess.run([*command, str(stopped)], check=True, capture_output=True)
    assert contents(stopped) == contents(whole)
    assert not kept(stopped)
