"""Arrays kept on disk: built once, and again when what is there is damaged."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import numpy as np
import pytest

from auscult.codes.compiled import (
    Arrays,
    NotCompiledError,
    compiled,
    compiled_size,
    only_kept,
)


class _Build:
    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> Arrays:
        self.times += 1
        return {"numbers": np.arange(5), "nothing": np.zeros(0, dtype=np.uint8)}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AUSCULT_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def _check(arrays: Arrays) -> None:
    assert sorted(arrays) == ["nothing", "numbers"]
    assert arrays["numbers"].tolist() == [0, 1, 2, 3, 4]
    assert arrays["nothing"].dtype == np.uint8
    assert len(arrays["nothing"]) == 0


def test_built_once_and_mapped(home: Path) -> None:
    build = _Build()
    for _ in range(3):
        arrays = compiled("some-1-abc", build)
        _check(arrays)
        assert isinstance(arrays["numbers"].base, np.memmap)
    assert build.times == 1
    compiled("some-2-abc", build)
    assert build.times == 2
    made = sorted(path.name for path in (home / "cache").iterdir() if path.is_dir())
    assert made == ["some-1-abc", "some-2-abc"]


@pytest.mark.parametrize("damage", ["cut", "gone", "text"])
def test_built_again_when_damaged(home: Path, damage: str) -> None:
    build = _Build()
    compiled("key", build)
    file = home / "cache" / "key" / "numbers.npy"
    if damage == "gone":
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[:-9] if damage == "cut" else b"not an array")
    _check(compiled("key", build))
    _check(compiled("key", build))
    assert build.times == 2


def test_in_memory_where_nothing_can_be_written(home: Path) -> None:
    home.write_text("a file where the folder should be")
    build = _Build()
    _check(compiled("key", build))
    _check(compiled("key", build))
    assert build.times == 2


@pytest.mark.usefixtures("home")
def test_who_must_not_wait_is_told() -> None:
    build = _Build()
    with only_kept(), pytest.raises(NotCompiledError, match="auscult codes compile"):
        compiled("key", build)
    assert (build.times, compiled_size()) == (0, 0)
    compiled("key", build)
    with only_kept():
        _check(compiled("key", build))
    assert build.times == 1
    assert compiled_size() > 100


@pytest.mark.usefixtures("home")
def test_two_at_once_build_once() -> None:
    build = _Build()

    def slowly() -> Arrays:
        time.sleep(0.3)
        return build()

    both = [threading.Thread(target=compiled, args=("key", slowly)) for _ in range(2)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    assert build.times == 1
