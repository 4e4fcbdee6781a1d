"""What tests share."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

# How long an example takes says more about what else the machine does than about the code.
settings.register_profile("auscult", deadline=None)
settings.load_profile("auscult")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The open corpora beside the checkout. Where they are there, nothing that needs them skips."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the open corpora are not beside this checkout")
    return folder


_seen: set[Path] = set()
_HOME = "AUSCULT_HOME"
_made: list[str] = []


def pytest_configure(config: pytest.Config) -> None:
    """A data folder for this run and its processes, without what the user installed."""
    if not hasattr(config, "workerinput"):
        _made.append(tempfile.mkdtemp(prefix="auscult-tests-"))
        os.environ[_HOME] = _made[0]


def pytest_unconfigure() -> None:
    """The run's data folder goes with it."""
    for folder in _made:
        shutil.rmtree(folder, ignore_errors=True)


def pytest_collection_finish() -> None:
    """Let the garbage collector pass over what importing everything left behind.

    With every module of the package and its libraries loaded, one collection takes about a second,
    and tests that allocate much, or call libraries that collect by themselves, set off thousands.
    """
    gc.collect()
    gc.freeze()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """And over what the tests of other files left, when a new one begins."""
    if item.path not in _seen:
        _seen.add(item.path)
        gc.collect(1)
        gc.freeze()
