"""Swaps of a whole chart that should change little: the patient's sex, age, typing errors.

Unlike the replacement of a word of interest, these edit every matching place of a chart, so
that the chart stays consistent.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from auscult.audit.filters.contract import WordContext
from auscult.audit.filters.typos import TypoFilter
from auscult.audit.predictor import Predictor, require_probabilities
from auscult.core import Code, Metric, Note, OptionError
from auscult.core.edits import Edit
from auscult.core.names import require_known
from auscult.core.progress import track
from auscult.corpus.corpus import Chart
from auscult.models.perturbation import Perturbation
from auscult.statistics import bootstrap
from auscult.statistics.bootstrap import Floats

_PAIRS = {
    "he": "she", "him": "her", "his": "her", "himself": "herself", "man": "woman",
    "male": "female", "gentleman": "lady", "boy": "girl", "mr": "mrs", "men": "women",
}  # fmt: skip
_OTHER = {
    **_PAIRS,
    **{other: one for one, other in _PAIRS.items() if other != "her"},
    "hers": "his",
    "ms": "mr",
}
_GENDERED = re.compile(
    rf"(?<!\w)(?:her|{'|'.join(sorted(_OTHER, key=len, reverse=True))})(?!\w)", re.IGNORECASE
)
_OWNED = re.compile(r"\s+[^\W\d_]")
_AGE = re.compile(
    r"(?<![\w.])(\d{1,2})(?=[ -]?(?:years?|yrs?)(?:[ -]old)?\b|[ -]?y/?o\b|[ -]?(?:year|yr)s?-old)",
    re.IGNORECASE,
)
_OLDEST = 89
_TYPO_RATE = 0.02


def gender(note: Note) -> tuple[Edit, ...]:
    """Edits that turn he into she and she into he, his into her, man into woman.

    >>> from auscult.core.edits import Edited
    >>> note = Note("n", "c", text="She took her pills; Mr. X saw her. HIS wife")
    >>> Edited.of(note.text, gender(note)).text
    'He took his pills; Mrs. X saw him. HER wife'
    """
    text = note.text or ""
    made = []
    for match in _GENDERED.finditer(text):
        word = match[0].lower()
        if word == "her":
            other = "his" if _OWNED.match(text, match.end()) else "him"
        else:
            other = _OTHER[word]
        made.append(Edit(*match.span(), _cased(other, match[0])))
    return tuple(made)


def age(years: int) -> Callable[[Note], tuple[Edit, ...]]:
    """Edits that make the patient older by a number of years, within 1 and 89.

    >>> from auscult.core.edits import Edited
    >>> note = Note("n", "c", text="A 67-year-old, 12 mg, seen at 80 years.")
    >>> Edited.of(note.text, age(-30)(note)).text
    'A 37-year-old, 12 mg, seen at 50 years.'
    """

    def edits(note: Note) -> tuple[Edit, ...]:
        return tuple(
            Edit(*match.span(1), f"{min(_OLDEST, max(1, int(match[1]) + years))}")
            for match in _AGE.finditer(note.text or "")
        )

    return edits


def typing_errors(note: Note, *, rate: float = _TYPO_RATE, seed: int = 0) -> tuple[Edit, ...]:
    """Edits that misspell a share of the longer words, the same ones for the same note."""
    dice = random.Random(f"{seed}/{note.note_id}")
    typos = TypoFilter(1, seed)
    made = []
    for match in re.finditer(r"[^\W\d_]{5,}", note.text or ""):
        if dice.random() < rate:
            found = typos.propose(match[0], WordContext(note, *match.span()))
            made += [Edit(*match.span(), word) for word in found]
    return tuple(made)


SWAPS: dict[str, Callable[[Note], tuple[Edit, ...]]] = {
    "gender": gender,
    "older": age(20),
    "younger": age(-20),
    "typos": typing_errors,
}


@dataclass(frozen=True, slots=True)
class SwapEffect:
    """The effect of a swap on the score of a code, over the charts that it changes."""

    name: str
    charts: int
    changed: int
    change: Metric
    """The mean change with its sign: whether scores rise."""
    size: Metric
    """The mean absolute change."""
    flipped: Metric
    """The share of charts that cross the model's threshold."""
    rows: tuple[tuple[str, float, float], ...] = field(repr=False)
    """Chart, score before, score after."""

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "swap": self.name,
            "charts": self.charts,
            "changed": self.changed,
            "change": self.change.to_dict(),
            "size": self.size.to_dict(),
            "flipped": self.flipped.to_dict(),
        }


def swapped(
    predictor: Predictor,
    charts: Iterable[Chart],
    code: Code,
    name: str,
    *,
    threshold: float = 0.5,
    times: int = 1000,
    seed: int = 0,
) -> SwapEffect:
    """Apply a swap to every chart, and compare the scores."""
    require_known(name, SWAPS, "swap")
    rows: list[tuple[str, float, float]] = []
    every = list(charts)
    for chart in track(every, f"swapping: {name}", len(every)):
        edits = {note.note_id: made for note in chart.notes if (made := SWAPS[name](note))}
        if edits:
            scores = predictor.scores_of_edits(chart.notes, [Perturbation(edits)], code)
            require_probabilities(scores)
            rows.append((chart.chart_id, scores[0], scores[1]))
    if not every:
        raise OptionError("There are no charts to swap anything in. Check the split.")
    found = np.array([row[1:] for row in rows], np.float64).reshape(-1, 2)
    crossed = (found[:, 0] >= threshold) != (found[:, 1] >= threshold)
    moved = found[:, 1] - found[:, 0]
    columns = np.stack([moved, np.abs(moved), crossed.astype(np.float64)], axis=1)
    change, size, flipped = _means(columns, name, times, seed)
    return SwapEffect(name, len(every), len(rows), change, size, flipped, tuple(rows))


def _means(columns: Floats, name: str, times: int, seed: int) -> list[Metric]:
    definitions = {
        "change": f"mean over charts of score after − score before the swap {name}",
        "size": f"mean over charts of |score after − score before| the swap {name}",
        "flipped": "share of the charts that cross the model's threshold",
    }
    if not len(columns):
        why = "no chart has anything to swap"
        return [Metric(key, definition, undefined=why) for key, definition in definitions.items()]

    def means(weights: Floats) -> Floats:
        found: Floats = weights @ columns / weights.sum(axis=1, keepdims=True)
        return found

    edges = bootstrap.intervals(means, len(columns), times=times, seed=seed)
    return [
        Metric(
            key,
            definition,
            float(columns[:, at].mean()),
            None if np.isnan(edges[at]).any() else (float(edges[at][0]), float(edges[at][1])),
            len(columns),
        )
        for at, (key, definition) in enumerate(definitions.items())
    ]


def _cased(word: str, like: str) -> str:
    if like.isupper() and len(like) > 1:
        return word.upper()
    return word.capitalize() if like[0].isupper() else word
