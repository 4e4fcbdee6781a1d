"""What the tests of verification share."""

from __future__ import annotations

import pytest
from tests.models.verify.asking import KEY


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs the tests may have a key."""
    monkeypatch.delenv(KEY, raising=False)
