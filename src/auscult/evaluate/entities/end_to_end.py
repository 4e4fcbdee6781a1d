"""Spans and concepts found by the system itself: the paper's lenient rule, and a fixed panel.

The same predictions may score 0.9 by overlap and 0.6 by characters, so no number of the panel is
shown without the others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from auscult.evaluate.entities.marked import NONE, Bools, Ints, Marked
from auscult.evaluate.entities.normalisation import Answers
from auscult.evaluate.entities.overlap import (
    Pieces,
    covered,
    on_concepts,
    on_notes,
    overlapping,
)
from auscult.evaluate.entities.settings import Settings
from auscult.statistics.bootstrap import Floats

RULES = {
    "lenient": "some span given that overlaps the gold span has a right concept; for a CUI-less "
    "span, no concept is given on exactly that span (the paper's rule)",
    "span": "the span is given exactly, whatever the concept",
    "span_overlap": "some span given overlaps it, whatever the concept",
}
PANEL = {
    "strict": "the same span with the same concept; recall over gold spans (one right concept is "
    "enough), precision over pairs of span and concept given",
    "overlap": "overlapping spans with the same concept; recall over gold spans, precision over "
    "pairs of span and concept given; a span may serve several",
    "overlap_paired": "overlapping spans with the same concept, each pair of span and concept "
    "serving one at most (a largest matching); every concept of a span counts",
    "span": "the same span, whatever the concept",
    "span_overlap": "overlapping spans, whatever the concept; a span may serve several",
    "note": "the same concept in the same note, wherever and however often",
    "characters": "characters under the same concept; every concept of a span counts",
}
IOU = {
    "character_iou": "characters under the same concept on both sides / on either side",
    "character_iou_of_spans": "characters under any span on both sides / on either side",
}

COLUMNS = 4
"""Found, to be found, right, given: recall is the first over the second, precision the rest."""


@dataclass(frozen=True, slots=True, repr=False)
class Found:
    """How a system did end to end.

    `spans` has what each gold span scores by each of `RULES`; `panel` has by note the numbers found
    and to be found, right and given; `iou` by note the characters of both and of either side.
    """

    spans: dict[str, Floats]
    panel: dict[str, Floats]
    iou: dict[str, Floats]
    is_right: Bools
    """Gold spans that were given exactly, with a right concept."""
    is_hit: Bools
    """Gold spans that a span with a right concept overlaps."""
    is_near: Bools
    """Of these, the ones where that concept is not right on the very span it was given on."""
    pairs: tuple[Ints, Ints]
    """Gold spans and spans of the system that overlap."""


def find(
    gold: Marked, system: Marked, given: Answers, settings: Settings, concepts: int, notes: int
) -> Found:
    """Everything that is counted end to end."""
    one, other, _ = overlapping(on_notes(gold), on_notes(system))
    to_find, said = _real(gold, settings), _real(system, settings)
    gold_rows = on_concepts(gold, to_find, concepts)
    system_rows = on_concepts(system, said, concepts)
    row, other_row, _ = overlapping(gold_rows, system_rows)
    hit = _among(gold.said_span[row], len(gold))
    spans = {
        "lenient": _lenient(gold, system, given, hit).astype(np.float64),
        "span": (given.same >= 0).astype(np.float64),
        "span_overlap": _among(one, len(gold)).astype(np.float64),
    }
    wanted = gold.where(to_find)
    right_exact = _among(gold.said_span[to_find & _right(gold, system, given, concepts)], len(gold))

    def panel(found: Bools, held: Bools, right: Bools, claimed: Bools, by: Ints) -> Floats:
        """Numbers by note: gold spans on the left, rows or spans of the system on the right."""
        return np.stack(
            [
                np.bincount(gold.note[found & held], minlength=notes),
                np.bincount(gold.note[held], minlength=notes),
                np.bincount(by[right & claimed], minlength=notes),
                np.bincount(by[claimed], minlength=notes),
            ],
            axis=1,
        ).astype(np.float64)

    row_note, every = system.note[system.said_span], np.ones(len(system), dtype=np.bool_)
    all_gold = np.ones(len(gold), dtype=np.bool_)
    found_spans = _among(given.same[given.same >= 0], len(system))
    touched = _among(other, len(system))
    hit_rows = _among(other_row, len(system.said_span))
    table = {
        "strict": panel(right_exact, wanted, given.right, said, row_note),
        "overlap": panel(hit, wanted, hit_rows, said, row_note),
        "overlap_paired": _paired(gold, system, row, other_row, to_find, said, notes),
        "span": panel(given.same >= 0, all_gold, found_spans, every, system.note),
        "span_overlap": panel(_among(one, len(gold)), all_gold, touched, every, system.note),
        "note": _by_note_and_concept(gold, system, to_find, said, concepts, notes),
    }
    with_concept = _characters(gold_rows, system_rows, lambda p: p.line // concepts, notes)
    without = _characters(on_notes(gold), on_notes(system), lambda p: p.line, notes)
    both, held, claimed = with_concept
    table["characters"] = np.stack([both, held, both, claimed], axis=1)
    iou = {
        name: np.stack([both, held + claimed - both], axis=1)
        for name, (both, held, claimed) in zip(IOU, (with_concept, without), strict=True)
    }
    near = _among(gold.said_span[row[~given.right[other_row]]], len(gold))
    return Found(spans, table, iou, right_exact, hit, near, (one, other))


def _real(side: Marked, settings: Settings) -> Bools:
    """The rows that are to be found, or that claim something."""
    every = np.ones(len(side.said_span), dtype=np.bool_)
    return every if settings.finds_cui_less else side.said_concept != NONE


def _among(members: Ints, number: int) -> Bools:
    found = np.zeros(number, dtype=np.bool_)
    found[members] = True
    return found


def _right(gold: Marked, system: Marked, given: Answers, concepts: int) -> Bools:
    """Which rows of gold the system has on the very same span."""
    keys = system.said_span * concepts + system.said_concept
    place = given.same[gold.said_span]
    return (place >= 0) & np.isin(place * concepts + gold.said_concept, keys)


def _lenient(gold: Marked, system: Marked, given: Answers, hit: Bools) -> Bools:
    """The paper's rule. CUI-less given on the span is no concept, and so does not harm."""
    cui_less = gold.where(gold.said_concept == NONE)
    claims = np.zeros(len(gold), dtype=np.bool_)
    found = given.same >= 0
    claims[found] = system.where(system.said_concept != NONE)[given.same[found]]
    return hit | (cui_less & ~claims)


def _paired(
    gold: Marked,
    system: Marked,
    row: Ints,
    other_row: Ints,
    to_find: Bools,
    said: Bools,
    notes: int,
) -> Floats:
    """One to one: how many pairs there can be at most does not depend on how ties are broken."""
    shape = (len(gold.said_span), len(system.said_span))
    edges = csr_array((np.ones(len(row), dtype=np.int8), (row, other_row)), shape=shape)
    partner = maximum_bipartite_matching(edges, perm_type="column")
    note, other_note = gold.note[gold.said_span], system.note[system.said_span]
    found = np.bincount(note[partner >= 0], minlength=notes)
    return np.stack(
        [
            found,
            np.bincount(note[to_find], minlength=notes),
            found,
            np.bincount(other_note[said], minlength=notes),
        ],
        axis=1,
    ).astype(np.float64)


def _by_note_and_concept(
    gold: Marked, system: Marked, to_find: Bools, said: Bools, concepts: int, notes: int
) -> Floats:
    def pairs(side: Marked, chosen: Bools) -> Ints:
        spans = side.said_span[chosen]
        return np.unique(side.note[spans] * concepts + side.said_concept[chosen])

    held, claimed = pairs(gold, to_find), pairs(system, said)
    both = np.intersect1d(held, claimed, assume_unique=True)
    counted = [
        np.bincount(part // concepts, minlength=notes) for part in (both, held, both, claimed)
    ]
    return np.stack(counted, axis=1).astype(np.float64)


def _characters(
    one: Pieces, other: Pieces, group: Callable[[Pieces], Ints], notes: int
) -> tuple[Floats, Floats, Floats]:
    """Characters by note: on both sides, and on each."""
    either = Pieces(
        *(
            np.concatenate([getattr(one, name), getattr(other, name)])
            for name in ("owner", "line", "begin", "end")
        )
    )
    held, claimed, all_of_them = (
        covered(pieces, group(pieces), notes).astype(np.float64) for pieces in (one, other, either)
    )
    return held + claimed - all_of_them, held, claimed
