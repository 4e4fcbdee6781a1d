"""What tests of engines share."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session", autouse=True)
def importable() -> Iterator[None]:
    """Let workers import the tests' own work."""
    root = str(Path(__file__).resolve().parents[2])
    sys.path.append(root)  # new processes on this machine have the path of this one
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [root, before]))
    yield
    sys.path.remove(root)
    del os.environ["PYTHONPATH"]
    if before is not None:
        os.environ["PYTHONPATH"] = before
