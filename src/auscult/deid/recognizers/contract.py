"""The recognizer protocol: find the PHI of one note."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Protocol

from auscult.deid.capitalized_words import CapitalizedWord, capitalized
from auscult.deid.phi_span import PhiSpan


@dataclass(frozen=True)
class NoteView:
    """A note as recognizers see it: its text, its date if known, its capitalized words."""

    text: str = field(repr=False)
    day: date | None = None
    day_first: bool = False

    @cached_property
    def words(self) -> list[CapitalizedWord]:
        """The capitalized words, found once for all recognizers."""
        return capitalized(self.text)


class Recognizer(Protocol):
    """Finds PHI in a text. `name` identifies it in reports."""

    name: str

    def find(self, sight: NoteView) -> Iterable[PhiSpan]:
        """What in the note may identify someone; ranges may overlap."""
        ...
