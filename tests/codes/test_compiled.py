"""Arrays kept on disk: built once, and again when what is there is damaged."""

from __future__ import annotations

import fcntl
import gc
import os
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


def _age(folder: Path, days: float) -> None:
    """Let it look as if nobody had touched a folder for so long."""
    then = time.time() - days * 24 * 60 * 60
    for path in (*folder.iterdir(), folder):
        os.utime(path, (then, then))


def test_folders_that_nobody_opens_are_removed(home: Path) -> None:
    build = _Build()
    cache = home / "cache"
    for key in ("tabular-1-old", "tabular-1-recent", "tabular-1-opened", "search-ICD-10-CM-old"):
        compiled(key, build)
        _age(cache / key, 29 if key.endswith("recent") else 31)
    held = compiled("tabular-1-old", build)
    _age(cache / "tabular-1-old", 31)
    compiled("tabular-1-opened", build)
    compiled("tabular-2-new", build)
    kept = {path.name for path in cache.iterdir() if path.is_dir()}
    assert kept == {"tabular-1-recent", "tabular-1-opened", "tabular-2-new", "search-ICD-10-CM-old"}
    assert not list(cache.glob(".tabular-1-old*"))
    _check(held)  # whoever has the arrays goes on using them
    compiled("search-ICD-10-PCS-2-new", build)  # another system's is not of the same kind
    assert (cache / "search-ICD-10-CM-old").exists()
    compiled("search-ICD-10-CM-new", build)
    assert not (cache / "search-ICD-10-CM-old").exists()


def test_a_folder_that_is_being_made_is_not_removed(home: Path) -> None:
    build = _Build()
    compiled("tabular-1-old", build)
    folder = home / "cache" / "tabular-1-old"
    _age(folder, 31)
    with (home / "cache" / ".tabular-1-old.lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        compiled("tabular-1-new", build)
    assert folder.exists()


def test_what_cannot_be_removed_is_no_error(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build = _Build()
    compiled("tabular-1-old", build)
    folder = home / "cache" / "tabular-1-old"
    _age(folder, 31)

    rename = Path.rename

    def refuse(path: Path, target: Path) -> Path:
        if path == folder:
            raise PermissionError(13, "Permission denied", str(path))
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", refuse)
    _check(compiled("tabular-1-new", build))
    _check(compiled("tabular-1-old", build))
    assert build.times == 2


@pytest.mark.usefixtures("home")
def test_garbage_is_collected_again_after_a_build() -> None:
    def fail() -> Arrays:
        assert not gc.isenabled()
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        compiled("key", fail)
    assert gc.isenabled()


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
