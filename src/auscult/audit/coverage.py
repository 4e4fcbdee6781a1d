"""Coverage of an audit: without it, a score of 0 may mean that the model never saw the word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from auscult.audit.predictor import Predictor
from auscult.audit.trial_table import TrialTable
from auscult.audit.trials import Occurrences, Swap
from auscult.models.model import Model
from auscult.models.perturbation import Perturbation, is_unread


@dataclass(frozen=True, slots=True)
class Coverage:
    """Counts for one word."""

    charts: int
    """Charts with the word."""
    tried: int
    """Of those, the charts it was replaced in."""
    occurrences: int
    unread: int | None
    """Charts in which all replaced text is beyond the maximum length: no change at all. None
    when the model does not tell."""
    trials: int
    unknown: int | None
    """Trials whose replacement is not in the model's vocabulary. None when it does not tell."""
    equal: int
    """Proposals left out because they were the word itself."""

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def cover(
    found: Occurrences,
    table: TrialTable,
    predictor: Predictor,
    equal: Mapping[str, int],
    swap: Swap,
) -> list[Coverage]:
    """The coverage of each word."""
    model = _model(predictor)
    unknown = _unknown(table, model)
    unread = _unread(found, model, swap)
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


def _model(predictor: object) -> Model | None:
    """The model behind a predictor, if there is one."""
    while not isinstance(predictor, Model):
        predictor = getattr(predictor, "inner", None)
        if predictor is None:
            return None
    return predictor


def _unknown(table: TrialTable, model: Model | None) -> np.ndarray[Any, np.dtype[np.bool_]] | None:
    if model is None:
        return None
    distinct: Sequence[str] = sorted(set(table.replacement))
    known = model.knows(distinct)
    if known is None:
        return None
    is_known = dict(zip(distinct, known, strict=True))
    return np.array([not is_known[word] for word in table.replacement], bool)


def _unread(found: Occurrences, model: Model | None, swap: Swap) -> dict[str, int] | None:
    if model is None:
        return None
    counts = dict.fromkeys(found.words, 0)
    config = model.chart_config
    if config.categories is None and config.most_words(1) is config.most_words(2) is None:
        return counts
    for at, chart in enumerate(found.charts):
        text = model.text(chart.notes)
        for word in found.words:
            places = found.places[word].get(at, ())[: 1 if swap == "first" else None]
            if places and is_unread(text, Perturbation.swap(places, "")):
                counts[word] += 1
    return counts
