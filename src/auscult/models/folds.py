"""Cross-validation folds that keep patients together."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from auscult.core.randomness import shuffled
from auscult.models.entities.gold_mentions import MarkedNote
from auscult.models.examples import Example, count_codes
from auscult.models.kept_readings import KeptReading, Reading, kept_readings

T = TypeVar("T")


def fold_of(groups: Iterable[str], folds: int, seed: int) -> dict[str, int]:
    """The fold of each group, such as a patient or a chart; its members stay together."""
    order = shuffled(sorted(set(groups)), random.Random(seed))
    return {group: at % folds for at, group in enumerate(order)}


def folds_by(
    items: Sequence[T], group_of: Callable[[T], str], folds: int, seed: int
) -> Iterator[tuple[list[T], list[T]]]:
    """Each fold in turn as (the others, the fold), groups kept together."""
    groups = [group_of(item) for item in items]
    place = fold_of(groups, folds, seed)
    pairs = [(item, place[group]) for item, group in zip(items, groups, strict=True)]
    for number in range(min(folds, len(place))):
        yield (
            [item for item, at in pairs if at != number],
            [item for item, at in pairs if at == number],
        )


def fold(
    made: Sequence[Example], folds: int, seed: int
) -> Iterator[tuple[list[Example], list[Example]]]:
    """Each fold of charts in turn as (the others, the fold), patients kept together."""
    return folds_by(made, lambda one: one.text.patient, folds, seed)


def note_folds(
    notes: Sequence[MarkedNote], folds: int, seed: int
) -> Iterator[tuple[list[MarkedNote], list[MarkedNote]]]:
    """Each fold of notes in turn as (the others, the fold), charts kept together."""
    return folds_by(notes, lambda one: one.note.chart_id, folds, seed)


def fold_places(
    made: Sequence[Example], folds: int, seed: int
) -> list[tuple[list[int], list[int]]]:
    """Like `fold`, with the indices of the charts."""
    place = {one.chart_id: at for at, one in enumerate(made)}
    return [
        ([place[one.chart_id] for one in inside], [place[one.chart_id] for one in outside])
        for inside, outside in fold(made, folds, seed)
    ]


def zero_unknown_codes(
    readings: Sequence[Reading], made: Sequence[Example], labels: int, folds: int, seed: int
) -> list[KeptReading]:
    """Readings in which codes that no chart of the other folds has score 0 out of fold.

    Such a code is in the label space only because of the chart that is scored. A model trained on
    the other folds does not know it, and any score above 0 would leak the right answer.
    """
    known: dict[str, npt.NDArray[np.bool_]] = {}
    for inside, outside in fold(made, folds, seed):
        have = count_codes(inside, labels) > 0
        known |= dict.fromkeys((one.chart_id for one in outside), have)
    kept = kept_readings(readings, made)
    return [replace(one, scores=one.scores.only(known[one.text.chart_id])) for one in kept]
