"""What a recogniser is: it looks at one note and says what in it may identify someone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Protocol

from auscult.corpus.deid.found import Found
from auscult.corpus.deid.words import Word, capitalised


@dataclass(frozen=True)
class Sight:
    """A note as recognisers see it: its text, its day if that is known, its capitalised words."""

    text: str = field(repr=False)
    day: date | None = None
    day_first: bool = False

    @cached_property
    def words(self) -> list[Word]:
        """The capitalised words, found once for all recognisers."""
        return capitalised(self.text)


class Recogniser(Protocol):
    """Finds secrets in a text. `name` is what a report calls it."""

    name: str

    def find(self, sight: Sight) -> Iterable[Found]:
        """What in the note may identify someone; ranges may overlap."""
        ...
