"""Notes in folds, charts kept together, and the code that says no concept fits."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from auscult.coders.concepts.knowledge import all_codes
from auscult.coders.concepts.marks import MarkedNote
from auscult.codes import CUI_LESS, is_cui_less
from auscult.core import Code
from auscult.core.dice import shuffled


def folds(
    notes: Sequence[MarkedNote], count: int, seed: int
) -> Iterator[tuple[list[MarkedNote], list[MarkedNote]]]:
    """Each fold in turn as (the others, the fold), charts kept together."""
    place = placed((one.note.chart_id for one in notes), count, seed)
    for number in range(min(count, len(place))):
        yield (
            [one for one in notes if place[one.note.chart_id] != number],
            [one for one in notes if place[one.note.chart_id] == number],
        )


def placed(charts: Iterable[str], count: int, seed: int) -> dict[str, int]:
    """The fold of each chart."""
    order = shuffled(sorted(set(charts)), random.Random(seed))
    return {chart: at % count for at, chart in enumerate(order)}


def nothing_of(notes: Sequence[MarkedNote], system: str | None = None) -> Code:
    """The code CUI-less, of the system it was marked with, or that of most concepts."""
    if system is None:
        codes = Counter(all_codes(notes))
        nothings: Counter[str] = Counter()
        systems: Counter[str] = Counter()
        for code, times in codes.items():
            systems[code.system] += times
            nothings[code.system] += times if is_cui_less(code.value) else 0
        system = max(systems, key=lambda name: (nothings[name], systems[name], name))
    return Code(system, CUI_LESS)
