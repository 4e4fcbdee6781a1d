"""What tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# How long an example takes says more about what else the machine does than about the code.
# `make test-all` tries more examples, and the tests marked slow.
settings.register_profile("quick", deadline=None, max_examples=30)
settings.register_profile("thorough", deadline=None, max_examples=150)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The open corpora beside the checkout. Where they are there, nothing that needs them skips."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the open corpora are not beside this checkout")
    return folder
