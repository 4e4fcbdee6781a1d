"""Text that a model did not read, counted."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from auscult.core import Note
from auscult.core.option_names import option
from auscult.core.plurals import counted
from auscult.models.categories import Categories, has_none, uncategorized
from auscult.models.chart_text import ChartText

_LISTED = 5
"""Categories that a message names."""


@dataclass
class SkippedText:
    """Charts without words to read, charts that were cut, notes without a category."""

    empty: int = 0
    cut: int = 0
    words_cut: int = 0
    charts: int = 0
    """All that were to be read."""
    uncategorized: int = 0
    """Notes without a category."""
    categories: Counter[str] = field(default_factory=Counter)
    """The categories of the others, with their numbers of notes."""

    @property
    def is_everything(self) -> bool:
        """Whether there were charts and nothing of them was read."""
        return 0 < self.charts == self.empty

    def add(self, chart: Sequence[Note], text: ChartText) -> None:
        """Count a chart and what was read of it."""
        self.charts += 1
        self.empty += not len(text)
        self.cut += text.cut > 0
        self.words_cut += text.cut
        self._add_notes(chart)

    def passing(self, notes: Iterable[Note], reads: Categories) -> Iterator[Note]:
        """The notes that are read, one by one, counted as they go by."""
        charts: dict[str, bool] = {}
        for note in notes:
            self._add_notes([note])
            read = list(reads.chosen([note]))
            has_words = any((one.text or "").strip() for one in read)
            charts[note.chart_id] = charts.get(note.chart_id, False) or has_words
            yield from read
        self.charts += len(charts)
        self.empty += list(charts.values()).count(False)

    def _add_notes(self, notes: Sequence[Note]) -> None:
        self.uncategorized += uncategorized(notes)
        self.categories.update(note.category or "" for note in notes if not has_none(note))

    def warn(self, reads: Categories) -> None:
        """Warn of it."""
        reads.warn(self.uncategorized)
        included = None if reads.included is None else " or ".join(reads.included)
        if (
            self.is_everything
            and reads.included is not None
            and not self._has_any_of(reads.included)
        ):
            warnings.warn(
                f"No note could be read, so no code was predicted: the model reads the category "
                f"{included}, and these notes have the category {self._listed()}. Predict on notes "
                f"of that category, or train again with {option('another --category', 'others')}.",
                stacklevel=3,
            )
        elif self.empty:
            read = f" in notes of the category {included}" if included else ""
            warnings.warn(
                f"{counted(self.empty, 'chart')} had no text to read{read} and got no codes.",
                stacklevel=3,
            )
        if self.cut:
            warnings.warn(
                f"{counted(self.cut, 'chart')} exceeded the maximum length (setting max_length): "
                f"{counted(self.words_cut, 'word')} at the end were ignored.",
                stacklevel=3,
            )

    def _has_any_of(self, included: Sequence[str]) -> bool:
        return self.uncategorized > 0 or any(self.categories[name] for name in included)

    def _listed(self) -> str:
        """The categories there are, the most frequent first."""
        ordered = sorted(self.categories.items(), key=lambda pair: (-pair[1], pair[0]))
        named = [f"{name} ({number:,})" for name, number in ordered[:_LISTED]]
        if len(ordered) > _LISTED:
            named.append(f"{len(ordered) - _LISTED:,} more")
        *before, last = named
        return f"{', '.join(before)} and {last}" if before else last
