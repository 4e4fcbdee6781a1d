"""Several charts as one run of words, so that all of them are matched and described at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from auscult.models.lexicon.lexicon_text import LexiconText, NumberedWords
from auscult.models.lexicon.ragged import Ints
from auscult.models.lexicon.strings import Ids

BATCH_WORDS = 16_000
"""Number of words of a batch, from which it is complete."""


@dataclass(frozen=True, eq=False)
class JoinedCharts(NumberedWords):
    """The words of charts, one after the other; `starts[c]` is the first word of chart `c`.

    Sentences are numbered through, so what is in one sentence is in one chart. `folds[c]` is the
    fold whose counts are left out for a chart, from 1; 0 leaves out none.
    """

    charts: Sequence[LexiconText]
    starts: Ints
    chart_of: Ids = field(repr=False)
    sentences: Ids = field(repr=False)
    gaps: Ids = field(repr=False)
    folds: Ids

    @classmethod
    def of(cls, charts: Sequence[LexiconText], folds: Sequence[int | None]) -> JoinedCharts:
        """Put charts together; at least one."""
        lengths = [len(chart) for chart in charts]
        last = [int(chart.sentences[-1]) if len(chart) else 0 for chart in charts]
        before = np.cumsum([0, *last[:-1]])
        return cls(
            charts[0].forms,
            np.concatenate([chart.words for chart in charts]),
            charts,
            np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            np.repeat(np.arange(len(charts), dtype=np.int32), lengths),
            np.concatenate(
                [chart.sentences + add for chart, add in zip(charts, before, strict=True)]
            ).astype(np.int32),
            np.concatenate([chart.gaps for chart in charts]),
            np.array([0 if fold is None else fold + 1 for fold in folds], np.int32),
        )

    def characters(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Where each word begins and ends in its note."""
        return (
            np.concatenate([chart.text.begins for chart in self.charts]),
            np.concatenate([chart.text.ends for chart in self.charts]),
        )


def batches(lengths: Iterable[int], *, words: int = BATCH_WORDS) -> Iterator[list[int]]:
    """The places of charts in batches of about so many words, in order."""
    held: list[int] = []
    size = 0
    for at, length in enumerate(lengths):
        held.append(at)
        size += length
        if size >= words:
            yield held
            held, size = [], 0
    if held:
        yield held
