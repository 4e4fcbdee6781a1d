"""Training charts in folds, patients kept together, and what is not known out of a fold."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from auscult.coders.contract import Reading
from auscult.coders.examples import Example, count_codes
from auscult.core.dice import shuffled


def fold(
    made: Sequence[Example], folds: int, seed: int
) -> Iterator[tuple[list[Example], list[Example]]]:
    """Each fold in turn as (the others, the fold), patients kept together."""
    groups = {one.chart_id: one.text.patient for one in made}
    order = shuffled(sorted(set(groups.values())), random.Random(seed))
    place = {group: at % folds for at, group in enumerate(order)}
    for number in range(min(folds, len(order))):
        yield (
            [one for one in made if place[groups[one.chart_id]] != number],
            [one for one in made if place[groups[one.chart_id]] == number],
        )


def fold_places(
    made: Sequence[Example], folds: int, seed: int
) -> list[tuple[list[int], list[int]]]:
    """As `fold`, but the places of the charts."""
    place = {one.chart_id: at for at, one in enumerate(made)}
    return [
        ([place[one.chart_id] for one in inside], [place[one.chart_id] for one in outside])
        for inside, outside in fold(made, folds, seed)
    ]


def forget_unknown(
    readings: list[Reading], made: Sequence[Example], labels: int, folds: int, seed: int
) -> None:
    """Let codes that no chart of the other folds has score 0 in readings out of fold, in place.

    Such a code is in the label space for the sake of the very chart that is read. A coder that
    learnt from the others does not know it, and any score it had would be a score that is right.
    """
    known: dict[str, npt.NDArray[np.bool_]] = {}
    for inside, outside in fold(made, folds, seed):
        have = count_codes(inside, labels) > 0
        known |= dict.fromkeys((one.chart_id for one in outside), have)
    for at, reading in enumerate(readings):
        scores = np.where(known[reading.text.chart_id], reading.scores, np.float32(0))
        readings[at] = replace(reading, scores=scores)
