"""Which notes a coder reads, and as what it reads those that have no category."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from auscult.coders.about import Source
from auscult.core import Note, OptionError
from auscult.core.names import guess
from auscult.core.words import counted

_KNOWN = 0.1
"""The share of training notes without a category from which on a coder knows such notes."""


@dataclass(frozen=True, slots=True)
class Categories:
    """The categories a coder reads, and the one it takes notes to be of that have none."""

    wanted: tuple[str, ...] | None = None
    """Those that are read; None is all."""
    usual: str | None = None
    """What notes without a category are read as; None leaves them as they are."""

    @classmethod
    def of(
        cls, source: Source, wanted: Sequence[str] | None, category: str | None = None
    ) -> Categories:
        """Those of a coder that learnt from a source and was told which categories to read.

        Notes without a category are read as of `category`, by default the one that most evidence
        was in. A coder that has learnt from such notes too reads them as it learnt them.
        """
        if category is not None:
            return cls.of(source, wanted).read_as(category)
        if wanted is None:
            return cls(None, None if source.uncategorized >= _KNOWN else source.category)
        first = wanted[0] if wanted else None
        return cls(tuple(wanted), source.category if source.category in wanted else first)

    def read_as(self, category: str) -> Categories:
        """The same with notes without a category read as of another one, which must be read."""
        if self.wanted is not None and category not in self.wanted:
            raise OptionError(
                f"The coder does not read the category {category!r}."
                f"{guess(category, self.wanted)} It reads: {', '.join(self.wanted)}."
            )
        return replace(self, usual=category)

    def chosen(self, notes: Iterable[Note]) -> Iterator[Note]:
        """The notes that are read, those without a category as of the usual one.

        >>> notes = [Note("1", "c", category="Nursing"), Note("2", "c")]
        >>> [(n.note_id, n.category) for n in Categories(("ECG",), "ECG").chosen(notes)]
        [('2', 'ECG')]
        """
        for note in notes:
            read = note
            if self.usual is not None and has_none(note):
                read = replace(note, category=self.usual)
            if self.wanted is None or read.category in self.wanted:
                yield read

    def warn(self, uncategorized: int) -> None:
        """Say as what so many notes without a category are read."""
        if uncategorized and self.usual is not None:
            have, are = ("has", "is") if uncategorized == 1 else ("have", "are")
            warnings.warn(
                f"{counted(uncategorized, 'note')} {have} no category and {are} read as "
                f"{self.usual}. To choose another category, pass --category.",
                stacklevel=3,
            )


def has_none(note: Note) -> bool:
    """Whether a note has no category, or a blank one."""
    return not (note.category or "").strip()


def uncategorized(notes: Iterable[Note]) -> int:
    """How many of the notes have no category."""
    return sum(map(has_none, notes))
