"""How many examples a property is tried on: few in every run, more where time is given."""

from __future__ import annotations

import os

TIMES = int(os.environ.get("AUSCULT_EXAMPLES", "1"))


def examples(count: int) -> int:
    """So many examples, times what the environment variable AUSCULT_EXAMPLES says."""
    return count * TIMES
