"""Learning how far to trust candidates, from charts and excerpts in which the truth is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from auscult.coders.lexicon.gold import Gold
from auscult.coders.lexicon.rows import Contexts, Rows, context
from auscult.coders.lexicon.trust import Trust
from auscult.coders.lexicon.words import Prepared

_CANDIDATES = 100_000
"""Candidates of whole charts from which it is learnt; a sample when there are more."""
_IN_EXCERPTS = 50_000
"""The same of excerpts."""


@dataclass(frozen=True, eq=False)
class Judged:
    """A chart or an excerpt with its candidates, and what is gold in it."""

    chart: Prepared
    gold: Gold
    rows: Rows


def learn_trust(whole: Sequence[Judged], parts: Sequence[Judged], seed: int) -> Trust:
    """Learn it from the candidates of whole charts and of parts of some, or from samples."""
    places = [*_some(whole, _CANDIDATES, seed), *_some(parts, _IN_EXCERPTS, seed)]
    table = [one.rows.numbers[row] for one, row in places]
    around: list[list[str]] = []
    gold, applies = np.zeros(len(places), bool), np.zeros(len(places), bool)
    for order, (one, row) in enumerate(places):
        rows = one.rows
        begin, end, code = int(rows.begins[row]), int(rows.ends[row]), int(rows.codes[row])
        around.append(list(context(one.chart, begin, end)))
        gold[order] = one.gold.matches(begin, end, code)
        applies[order] = code in one.gold.codes
    folds = np.array([one.gold.fold for one, _ in places], np.int64)
    return Trust.fit(
        np.array(table, np.float32), Contexts().matrix(around), gold, applies, folds, seed
    )


def _some(judged: Sequence[Judged], most: int, seed: int) -> list[tuple[Judged, int]]:
    """Candidates, each as a row of its chart; at most so many, at random."""
    places = [(one, row) for one in judged for row in range(len(one.rows))]
    if len(places) <= most:
        return places
    chosen = np.random.default_rng(seed).choice(len(places), most, replace=False)
    return [places[at] for at in np.sort(chosen)]
