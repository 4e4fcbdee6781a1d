"""Entity linking on the gold spans: the concepts predicted on exactly each span.

Gold may hold several concepts that fit a span equally well, and a system may predict several, so
there are four rules, none of which is fair to all systems. `any` favors systems that predict many
concepts, `exact_set` penalizes those that predict one of two that fit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from auscult.evaluate.entities.marked_spans import NONE, Bools, Ints, MarkedSpans, exact
from auscult.evaluate.entities.settings import Silence
from auscult.statistics.bootstrap import Floats

RULES = {
    "any": "one of the concepts predicted on exactly the span is a gold concept",
    "first": (
        "the first concept (with the highest score) predicted on exactly the span is a gold concept"
    ),
    "exact_set": (
        "the concepts predicted on exactly the span are the gold concepts, none "
        "missing and none more"
    ),
    "set_f1": ("2|predicted ∩ gold| / (|predicted| + |gold|), of the concepts on exactly the span"),
}


@dataclass(frozen=True, slots=True, repr=False)
class Answers:
    """The concepts that a system predicted on each gold span.

    `same` is the index of the system's span that is the same, or -1. `first` is the concept it
    predicted first, or -1. `right` tells for each row of the system's `pair_…` whether gold has
    that concept on that very span.
    """

    same: Ints
    first: Ints
    right: Bools
    given: Ints
    shared: Ints
    held: Ints
    """How many concepts were predicted, how many of them are gold concepts, and how many gold
    has."""

    @property
    def is_given(self) -> Bools:
        """Whether there is a prediction."""
        return self.given > 0


def answers(gold: MarkedSpans, system: MarkedSpans, concepts: int, silence: Silence) -> Answers:
    """The predictions of a system on gold's spans."""
    same = exact(gold, system)
    on_gold = np.full(len(system), -1, dtype=np.int64)
    found = same >= 0
    on_gold[same[found]] = np.flatnonzero(found)
    place = on_gold[system.pair_span]
    keys = gold.pair_span * concepts + gold.pair_concept
    right = (place >= 0) & np.isin(place * concepts + system.pair_concept, keys)
    counted = place >= 0
    given = np.bincount(place[counted], minlength=len(gold))
    shared = np.bincount(place[right], minlength=len(gold))
    first = np.full(len(gold), -1, dtype=np.int64)
    # Rows come with the best of each span in front.
    starts = np.searchsorted(system.pair_span, same[found])
    first[found] = system.pair_concept[starts]
    if silence is Silence.CUI_LESS:
        silent = given == 0
        given[silent] = 1
        first[silent] = NONE
        shared[silent & gold.where(gold.pair_concept == NONE)] = 1
    held = np.bincount(gold.pair_span, minlength=len(gold))
    return Answers(same, first, right, given, shared, held)


def outcomes(gold: MarkedSpans, given: Answers, concepts: int) -> dict[str, Floats]:
    """The score of each gold span by each of `RULES`."""
    keys = gold.pair_span * concepts + gold.pair_concept
    first = np.isin(np.arange(len(gold)) * concepts + given.first, keys) & (given.first >= 0)
    is_same = (given.shared == given.held) & (given.shared == given.given)
    return {
        "any": (given.shared > 0).astype(np.float64),
        "first": first.astype(np.float64),
        "exact_set": is_same.astype(np.float64),
        "set_f1": 2.0 * given.shared / (given.given + given.held),
    }


def cui_less_by_note(
    gold: MarkedSpans, system: MarkedSpans, given: Answers, notes: int, among: Bools
) -> Ints:
    """TP, FP and FN of every note, of predicting CUI-less on a gold span.

    Spans with near matches beside CUI-less in gold are left out: either answer is right.
    """
    none = gold.where(gold.pair_concept == NONE)
    some = gold.where(gold.pair_concept != NONE)
    held = none & ~some & among
    predicted_none = np.zeros(len(gold), dtype=np.bool_)
    found = given.same >= 0
    predicted_none[found] = system.where(system.pair_concept == NONE)[given.same[found]]
    predicted_none |= given.is_given & ~found  # silence that counts as saying so
    kinds = (held & predicted_none, ~none & among & predicted_none, held & ~predicted_none)
    return np.stack([np.bincount(gold.note[kind], minlength=notes) for kind in kinds], axis=1)
