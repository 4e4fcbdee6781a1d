"""Notes with the codes that a model gave them, and how they were made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from auscult.core import Annotation, Note
from auscult.corpus.code_rows import CodeRows
from auscult.corpus.documents import UnreadFile

if TYPE_CHECKING:
    import polars as pl

CHECK = "These are suggestions: a coder must check every code before it is billed."


@dataclass(frozen=True, slots=True)
class CodedNotes:
    """Notes with the codes that a model gave them, as annotations and as rows of a table."""

    notes: tuple[Note, ...] = field(repr=False)
    annotations: Sequence[Annotation]
    rows: CodeRows
    about: Mapping[str, str]
    """How it was made: version, model, code book, threshold, date."""
    not_attempted: tuple[str, ...]
    unread: tuple[UnreadFile, ...] = ()
    lacks_index: bool = False
    """Whether the model would find more with the Alphabetic Index, which is not installed."""

    @property
    def without_codes(self) -> tuple[str, ...]:
        """The notes that got no code."""
        coded = {row.note_id for row in self.rows}
        charts = {row.chart_id for row in self.rows if row.note_id is None}
        return tuple(
            note.note_id
            for note in self.notes
            if note.note_id not in coded and note.chart_id not in charts
        )

    def to_polars(self) -> pl.DataFrame:
        """The rows as a table, which quotes the notes."""
        return self.rows.to_polars()

    def to_pandas(self) -> Any:
        """The same as a pandas data frame."""
        return self.rows.to_pandas()
