"""The options of a de-identification."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from enum import StrEnum

from auscult.deid.date_shift import KeyedRandom
from auscult.deid.surrogates import ReplacementStyle

SHORT_SEED = 16
"""Minimum length of a seed: a shorter one can be guessed, and the date shifts undone."""


class DoubtfulChoice(StrEnum):
    """What happens to uncertain findings without a decision."""

    LIKELY = "likely"
    """Findings that are more likely PHI than not are removed; the others are kept."""
    REPLACE = "replace"
    KEEP = "keep"


@dataclass(frozen=True, slots=True)
class DeidOptions:
    """How PHI is replaced.

    Everything that is drawn by chance follows from `seed`. Without one, a new one is drawn each
    time and told to nobody. Whoever knows the seed and the notes' ids can undo the dates.
    """

    style: ReplacementStyle = ReplacementStyle.REALISTIC
    keep_weekday: bool = False
    keep_season: bool = False
    day_first: bool = False
    new_ids: bool = False
    doubtful: DoubtfulChoice = DoubtfulChoice.LIKELY
    drop_columns: tuple[str, ...] = ()
    """Record columns that are dropped."""
    seed: str = field(default_factory=lambda: secrets.token_hex(32), repr=False)

    @property
    def chance(self) -> KeyedRandom:
        """The source of everything that is drawn."""
        return KeyedRandom.of(self.seed)
