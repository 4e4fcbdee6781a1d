"""What tests share."""

from __future__ import annotations

import gc
import hashlib
import os
import shutil
import tempfile
import time
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


_COMPILED = "AUSCULT_TESTS_COMPILED"
_DAY = 86_400


def pytest_configure(config: pytest.Config) -> None:
    """A data folder for this run and its processes, without what the user installed.

    The search of ICD-10-CM takes half a minute to compile, so what is compiled is shared by all
    processes and by all runs that have the same code.
    """
    if not hasattr(config, "workerinput"):
        _made.append(tempfile.mkdtemp(prefix="auscult-tests-"))
        os.environ[_HOME] = _made[0]
        compiled = config.rootpath / ".pytest_cache" / "compiled" / _digest_of_codes()
        compiled.mkdir(parents=True, exist_ok=True)
        os.utime(compiled)
        for other in compiled.parent.iterdir():
            if other.stat().st_mtime < time.time() - _DAY:
                shutil.rmtree(other, ignore_errors=True)
        os.environ[_COMPILED] = str(compiled)
        _share_compiled(Path(_made[0]))


def _digest_of_codes() -> str:
    """A name for the code that compiles tables."""
    folder = Path(__file__).resolve().parents[1] / "src" / "auscult" / "codes"
    digest = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        if file.suffix in (".py", ".tsv", ".txt"):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _share_compiled(home: Path) -> None:
    home.mkdir(exist_ok=True)
    (home / "cache").symlink_to(os.environ[_COMPILED], target_is_directory=True)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of a test's own, to install releases in; with what is compiled already."""
    folder = tmp_path / "home"
    _share_compiled(folder)
    monkeypatch.setenv(_HOME, str(folder))
    return folder


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
