"""A small challenge that the tests share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.challenge.small import coded

from auscult.challenge import Challenge, create
from auscult.corpus import Corpus


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Challenge]:
    """Make the challenge with other settings."""

    def made(corpus: Corpus | None = None, **chosen: Any) -> Challenge:
        chosen.setdefault("humans", ("ann",))
        return create(corpus or coded(), tmp_path / "task", gold="gold", **chosen)

    return made
