"""Groups of codes: by training frequency, and by chapter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from auscult.codes.tables import chapter
from auscult.core import Code
from auscult.evaluate.outcomes import Bools, Outcomes

BANDS = ((0, 0), (1, 5), (6, 10), (11, 50), (51, 100), (101, 500), (501, None))
"""Ranges of the number of training charts, both ends included."""


def band(count: int) -> str:
    """The name of the band a number of training charts falls into.

    >>> band(0), band(7), band(9000)
    ('unseen', '6–10', '501 and more')
    """
    first, last = next(
        (first, last) for first, last in BANDS if count >= first and (last is None or count <= last)
    )
    return "unseen" if last == 0 else f"{first} and more" if last is None else f"{first}–{last}"


def by_band(outcomes: Outcomes, seen: Mapping[Code, int]) -> dict[str, Bools]:
    """The codes of each band that has any, rare before frequent."""
    named = [band(seen.get(code, 0)) for code in outcomes.codes]
    return _masks(named, dict.fromkeys(band(first) for first, _ in BANDS))


def by_chapter(outcomes: Outcomes) -> dict[str, Bools]:
    """The codes of each chapter; those in none go by their code system."""
    named = [_chapter(code) for code in outcomes.codes]
    return _masks(named, dict.fromkeys(named))


def _chapter(code: Code) -> str:
    found = chapter(code)
    return f"{code.system}: no chapter" if found is None else f"{code.system}: {found}"


def _masks(named: list[str], order: Iterable[str]) -> dict[str, Bools]:
    array = np.array(named, dtype=object)
    masks = {name: np.asarray(array == name, dtype=np.bool_) for name in order}
    return {name: mask for name, mask in masks.items() if mask.any()}
