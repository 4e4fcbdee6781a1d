"""What a de-identification is asked to do."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from enum import StrEnum

from auscult.corpus.deid.shift import Chance
from auscult.corpus.deid.surrogates import Style

SHORT_SEED = 16
"""Characters: a shorter seed can be guessed, and whoever does can undo the dates."""


class Doubtful(StrEnum):
    """What happens to doubtful findings that nobody decided on."""

    LEAN = "lean"
    """What is more likely a secret goes, what is more likely none stays."""
    REPLACE = "replace"
    KEEP = "keep"


@dataclass(frozen=True, slots=True)
class Options:
    """How secrets are replaced.

    Everything that is drawn by chance follows from `seed`. Without one, a new one is drawn each
    time and told to nobody. Whoever knows the seed and the notes' ids can undo the dates.
    """

    style: Style = Style.REALISTIC
    keep_weekday: bool = False
    keep_season: bool = False
    day_first: bool = False
    new_ids: bool = False
    doubtful: Doubtful = Doubtful.LEAN
    drop_columns: tuple[str, ...] = ()
    """Columns of the records that are left out."""
    seed: str = field(default_factory=lambda: secrets.token_hex(32), repr=False)

    @property
    def chance(self) -> Chance:
        """The source of everything that is drawn."""
        return Chance.of(self.seed)
