"""The code for a mention that no concept fits: CUI-less."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from auscult.codes import CUI_LESS, is_cui_less
from auscult.core import Code
from auscult.models.entities.gold_mentions import MarkedNote
from auscult.models.entities.mention_statistics import all_codes


def nothing_of(notes: Sequence[MarkedNote], system: str | None = None) -> Code:
    """CUI-less in the system that annotators used it with, or else that of most concepts."""
    if system is None:
        codes = Counter(all_codes(notes))
        nothings: Counter[str] = Counter()
        systems: Counter[str] = Counter()
        for code, times in codes.items():
            systems[code.system] += times
            nothings[code.system] += times if is_cui_less(code.value) else 0
        system = max(systems, key=lambda name: (nothings[name], systems[name], name))
    return Code(system, CUI_LESS)
