"""The note categories a model reads, and how it reads notes without a category."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from auscult.core import Note, OptionError
from auscult.core.names import guess
from auscult.core.option_names import option
from auscult.core.plurals import counted
from auscult.models.card import ModelSource

_KNOWN = 0.1
"""Share of training notes without a category above which such notes are read as they are."""


@dataclass(frozen=True, slots=True)
class Categories:
    """The note categories a model reads, and the category it assumes for notes without one."""

    included: tuple[str, ...] | None = None
    """The categories that are read; None reads all."""
    usual: str | None = None
    """The category assumed for notes without one; None leaves them as they are."""

    @classmethod
    def of(
        cls, source: ModelSource, included: Sequence[str] | None, category: str | None = None
    ) -> Categories:
        """The categories of a model that was trained on `source` with the setting `categories`.

        Notes without a category are read as `category`, by default the one with the most training
        evidence. A model that was trained on many notes without a category reads them as they are.
        """
        if category is not None:
            return cls.of(source, included).read_as(category)
        if included is None:
            return cls(None, None if source.uncategorized >= _KNOWN else source.category)
        first = included[0] if included else None
        return cls(tuple(included), source.category if source.category in included else first)

    def read_as(self, category: str) -> Categories:
        """The same, but notes without a category are read as `category`."""
        if self.included is not None and category not in self.included:
            raise OptionError(
                f"The model does not read the category {category!r}."
                f"{guess(category, self.included)} It reads: {', '.join(self.included)}."
            )
        return replace(self, usual=category)

    def chosen(self, notes: Iterable[Note]) -> Iterator[Note]:
        """The notes that are read; those without a category get the assumed one.

        >>> notes = [Note("1", "c", category="Nursing"), Note("2", "c")]
        >>> [(n.note_id, n.category) for n in Categories(("ECG",), "ECG").chosen(notes)]
        [('2', 'ECG')]
        """
        for note in notes:
            read = note
            if self.usual is not None and has_none(note):
                read = replace(note, category=self.usual)
            if self.included is None or read.category in self.included:
                yield read

    def warn(self, uncategorized: int) -> None:
        """Warn that notes without a category are read as another category."""
        if uncategorized and self.usual is not None:
            have, are = ("has", "is") if uncategorized == 1 else ("have", "are")
            warnings.warn(
                f"{counted(uncategorized, 'note')} {have} no category and {are} read as "
                f"{self.usual}. To choose another category, "
                f"{option('pass --default-category', 'use Model.with_category')}.",
                stacklevel=3,
            )


def has_none(note: Note) -> bool:
    """Whether a note has no category, or a blank one."""
    return is_blank(note.category)


def is_blank(category: str | None) -> bool:
    """Whether a category says nothing."""
    return not (category or "").strip()


def uncategorized(notes: Iterable[Note]) -> int:
    """How many of the notes have no category."""
    return sum(map(has_none, notes))
