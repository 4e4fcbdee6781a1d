"""What tests share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The open corpora beside the checkout. Where they are there, nothing that needs them skips."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the open corpora are not beside this checkout")
    return folder
