"""The commands that give the numbers of a run again, from the configuration that ran.

They name the data that were given, and where nothing was given make the same synthetic hospital.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import Any


def auscult(*words: object) -> str:
    """A command line, quoted for a shell.

    >>> auscult("corpus", "import", "cmc", "my reports.xml", "reports")
    "auscult corpus import cmc 'my reports.xml' reports"
    """
    return shlex.join(["auscult", *map(str, words)])


def chosen(config: Mapping[str, Any]) -> list[str]:
    """Hyperparameters as options; those that are None are the defaults.

    >>> chosen({"epochs": 6, "annotators": ("billing", "gold"), "head": "sequence", "x": None})
    ['--set', 'epochs=6', '--set', 'annotators=["billing", "gold"]', '--set', 'head=sequence']
    """
    return [
        word
        for name, value in config.items()
        if value is not None
        for word in ("--set", f"{name}={value if isinstance(value, str) else json.dumps(value)}")
    ]
