"""Which annotator gives the right codes, as far as names tell."""

from __future__ import annotations

import re
from collections.abc import Collection

GOLD_NAMES = ("gold", "adjudicated", "consensus", "majority")
"""Words in annotator names that indicate a gold standard, the strongest first."""


def gold_by_name(names: Collection[str]) -> str | None:
    """The annotator whose name says that the codes are right, if just one does.

    >>> gold_by_name(["COMPANY1", "COMPANY2", "CMC_MAJORITY"]), gold_by_name(["ann", "bob"])
    ('CMC_MAJORITY', None)
    """
    for word in GOLD_NAMES:
        found = [name for name in names if word in re.split(r"[^a-z]+", name.lower())]
        if found:
            return found[0] if len(found) == 1 else None
    return None
