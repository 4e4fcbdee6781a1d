"""What an audit covered: without it, a score of 0 may mean that the coder never saw the word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from auscult.audit.predictor import Predictor
from auscult.audit.table import Table
from auscult.audit.trials import Occurrences, Swap
from auscult.coders.coder import Coder
from auscult.coders.perturbation import Perturbation, is_unread


@dataclass(frozen=True, slots=True)
class Coverage:
    """Counts for one word."""

    charts: int
    """With the word."""
    tried: int
    """Of those, the ones it was replaced in."""
    occurrences: int
    unread: int | None
    """Charts in which all that was replaced is past the words that the coder reads: exactly no
    change. None when the coder does not say."""
    trials: int
    unknown: int | None
    """Trials whose replacement the coder does not know. None when it does not say."""
    equal: int
    """Proposals left out because they were the word itself."""

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def cover(
    found: Occurrences,
    table: Table,
    predictor: Predictor,
    equal: Mapping[str, int],
    swap: Swap,
) -> list[Coverage]:
    """Count, for each word."""
    coder = _coder(predictor)
    unknown = _unknown(table, coder)
    unread = _unread(found, coder, swap)
    made = []
    for at, word in enumerate(found.words):
        mine = table.word == at
        tried = np.unique(table.chart[mine])
        made.append(
            Coverage(
                charts=len(found.places[word]),
                tried=len(tried),
                occurrences=found.count(word),
                unread=None if unread is None else unread[word],
                trials=int(mine.sum()),
                unknown=None if unknown is None else int(unknown[mine].sum()),
                equal=equal.get(word, 0),
            )
        )
    return made


def _coder(predictor: object) -> Coder | None:
    """The coder behind a predictor, if there is one."""
    while not isinstance(predictor, Coder):
        predictor = getattr(predictor, "inner", None)
        if predictor is None:
            return None
    return predictor


def _unknown(table: Table, coder: Coder | None) -> np.ndarray[Any, np.dtype[np.bool_]] | None:
    if coder is None:
        return None
    distinct: Sequence[str] = sorted(set(table.replacement))
    known = coder.knows(distinct)
    if known is None:
        return None
    is_known = dict(zip(distinct, known, strict=True))
    return np.array([not is_known[word] for word in table.replacement], bool)


def _unread(found: Occurrences, coder: Coder | None, swap: Swap) -> dict[str, int] | None:
    if coder is None:
        return None
    counts = dict.fromkeys(found.words, 0)
    config = coder.config
    if config.categories is None and config.most_words(1) is config.most_words(2) is None:
        return counts
    for at, chart in enumerate(found.charts):
        text = coder.text(chart.notes)
        for word in found.words:
            places = found.places[word].get(at, ())[: 1 if swap == "first" else None]
            if places and is_unread(text, Perturbation.swap(places, "")):
                counts[word] += 1
    return counts
