"""The user's data folder, in which code books are installed and compiled tables kept."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

VARIABLE = "AUSCULT_HOME"


def data_home() -> Path:
    """The folder that `AUSCULT_HOME` names, or the platform's own place for a program's data."""
    return _home(*(os.environ.get(name) for name in (VARIABLE, "XDG_DATA_HOME", "HOME")))


@lru_cache(maxsize=8)  # asked for with every look at a table
def _home(named: str | None, *_others: str | None) -> Path:
    if named:
        return Path(named).expanduser()
    from platformdirs import user_data_path

    return user_data_path("auscult", appauthor=False)
