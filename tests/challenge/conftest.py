"""A small challenge that the tests share."""

from __future__ import annotations

import warnings
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
        with warnings.catch_warnings():
            # In the small corpus gold looked at d4, and found nothing.
            warnings.filterwarnings("ignore", message="1 of 4 documents of test have no code")
            return create(corpus or coded(), tmp_path / "task", gold="gold", **chosen)

    return made
