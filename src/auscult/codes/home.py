"""The user's data folder, in which code books are installed and compiled tables kept."""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "AUSCULT_HOME"


def data_home() -> Path:
    """The folder that `AUSCULT_HOME` names, or the platform's own place for a program's data."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named).expanduser()
    from platformdirs import user_data_path

    return user_data_path("auscult", appauthor=False)
