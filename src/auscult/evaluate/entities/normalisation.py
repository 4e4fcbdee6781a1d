"""Which concept is meant, the span being known: the answers given on exactly the gold spans.

Gold may hold several concepts that fit a span equally well, and a system may give several, so
there are four ways to be right; no single one of them is fair to all. `any` flatters whoever
gives many concepts, `exact_set` is hard on whoever gives one of two that fit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from auscult.evaluate.entities.marked import NONE, Bools, Ints, Marked, exact
from auscult.evaluate.entities.settings import Silence
from auscult.statistics.bootstrap import Floats

RULES = {
    "any": "one of the concepts given on exactly the span is one of gold's",
    "first": "the concept given first (with the highest score) on exactly the span is one of "
    "gold's",
    "exact_set": "the concepts given on exactly the span are gold's, none missing and none more",
    "set_f1": "2|given ∩ gold| / (|given| + |gold|), of the concepts on exactly the span",
}


@dataclass(frozen=True, slots=True, repr=False)
class Answers:
    """What a system gave on each gold span.

    `same` is the number of the system's span that is the same, or -1. `first` is the concept it
    gave first, or -1. `right` says of each row of the system's `said_…` whether gold has that
    concept on that very span.
    """

    same: Ints
    first: Ints
    right: Bools
    given: Ints
    shared: Ints
    held: Ints
    """How many concepts were given, how many of them are gold's, and how many gold has."""

    @property
    def is_given(self) -> Bools:
        """Whether there is an answer."""
        return self.given > 0


def answers(gold: Marked, system: Marked, concepts: int, silence: Silence) -> Answers:
    """The answers of a system on gold's spans."""
    same = exact(gold, system)
    on_gold = np.full(len(system), -1, dtype=np.int64)
    found = same >= 0
    on_gold[same[found]] = np.flatnonzero(found)
    place = on_gold[system.said_span]
    keys = gold.said_span * concepts + gold.said_concept
    right = (place >= 0) & np.isin(place * concepts + system.said_concept, keys)
    counted = place >= 0
    given = np.bincount(place[counted], minlength=len(gold))
    shared = np.bincount(place[right], minlength=len(gold))
    first = np.full(len(gold), -1, dtype=np.int64)
    # Rows come with the best of each span in front.
    starts = np.searchsorted(system.said_span, same[found])
    first[found] = system.said_concept[starts]
    if silence is Silence.CUI_LESS:
        silent = given == 0
        given[silent] = 1
        first[silent] = NONE
        shared[silent & gold.where(gold.said_concept == NONE)] = 1
    held = np.bincount(gold.said_span, minlength=len(gold))
    return Answers(same, first, right, given, shared, held)


def outcomes(gold: Marked, given: Answers, concepts: int) -> dict[str, Floats]:
    """What each gold span scores by each of `RULES`."""
    keys = gold.said_span * concepts + gold.said_concept
    first = np.isin(np.arange(len(gold)) * concepts + given.first, keys) & (given.first >= 0)
    is_same = (given.shared == given.held) & (given.shared == given.given)
    return {
        "any": (given.shared > 0).astype(np.float64),
        "first": first.astype(np.float64),
        "exact_set": is_same.astype(np.float64),
        "set_f1": 2.0 * given.shared / (given.given + given.held),
    }


def cui_less_by_note(
    gold: Marked, system: Marked, given: Answers, notes: int, among: Bools
) -> Ints:
    """TP, FP and FN of every note, of saying on a gold span that no concept fits it.

    Spans that gold gives near matches beside CUI-less are left out: either answer is right.
    """
    none = gold.where(gold.said_concept == NONE)
    some = gold.where(gold.said_concept != NONE)
    held = none & ~some & among
    said = np.zeros(len(gold), dtype=np.bool_)
    found = given.same >= 0
    said[found] = system.where(system.said_concept == NONE)[given.same[found]]
    said |= given.is_given & ~found  # silence that counts as saying so
    kinds = (held & said, ~none & among & said, held & ~said)
    return np.stack([np.bincount(gold.note[kind], minlength=notes) for kind in kinds], axis=1)
