"""End-to-end evaluation: spans and concepts as the system predicts them.

The same predictions may score 0.9 by overlap and 0.6 by characters, so the panel always shows all
of its numbers, beside the paper's lenient rule.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from auscult.evaluate.entities.linking import Answers
from auscult.evaluate.entities.marked_spans import NONE, Bools, Ints, MarkedSpans
from auscult.evaluate.entities.overlap import (
    TextPieces,
    covered,
    on_concepts,
    on_notes,
    overlapping,
)
from auscult.evaluate.entities.settings import EntitySettings
from auscult.statistics.bootstrap import Floats

RULES = {
    "lenient": (
        "a predicted span that overlaps the gold span has a right concept; for a "
        "CUI-less span, no concept is predicted on exactly that span (the paper's rule)"
    ),
    "span": "the span is predicted exactly, whatever the concept",
    "span_overlap": "a predicted span overlaps it, whatever the concept",
}
PANEL = {
    "strict": (
        "the same span with the same concept; recall over gold spans (one right "
        "concept is enough), precision over predicted pairs of span and concept"
    ),
    "overlap": (
        "overlapping spans with the same concept; recall over gold spans, precision "
        "over predicted pairs of span and concept; a span may match several"
    ),
    "overlap_paired": (
        "overlapping spans with the same concept, each pair of span and concept "
        "matched at most once (a maximum matching); every concept of a span counts"
    ),
    "span": "the same span, whatever the concept",
    "span_overlap": "overlapping spans, whatever the concept; a span may match several",
    "note": "the same concept in the same note, wherever and however often",
    "characters": "characters under the same concept; every concept of a span counts",
}
IOU = {
    "character_iou": "characters under the same concept on both sides / on either side",
    "character_iou_of_spans": "characters under any span on both sides / on either side",
}

COLUMNS = 4
"""Found, to be found, right, predicted: recall is the first over the second, precision the third
over the fourth."""


@dataclass(frozen=True, slots=True, repr=False)
class EndToEndCounts:
    """The end-to-end counts of a system.

    `spans` has the score of each gold span by each of `RULES`; `panel` has by note the numbers
    found and to be found, right and predicted; `iou` by note the characters of the intersection and
    of the union.
    """

    spans: dict[str, Floats]
    panel: dict[str, Floats]
    iou: dict[str, Floats]
    is_right: Bools
    """Gold spans that were predicted exactly, with a right concept."""
    is_hit: Bools
    """Gold spans that a span with a right concept overlaps."""
    is_near: Bools
    """Of these, the ones where that concept is not right on the span it was predicted on."""
    pairs: tuple[Ints, Ints]
    """Gold spans and spans of the system that overlap."""


def find(
    gold: MarkedSpans,
    system: MarkedSpans,
    given: Answers,
    settings: EntitySettings,
    concepts: int,
    notes: int,
) -> EndToEndCounts:
    """Everything that is counted end to end."""
    one, other, _ = overlapping(on_notes(gold), on_notes(system))
    to_find, predicted = _real(gold, settings), _real(system, settings)
    gold_rows = on_concepts(gold, to_find, concepts)
    system_rows = on_concepts(system, predicted, concepts)
    row, other_row, _ = overlapping(gold_rows, system_rows)
    hit = _among(gold.pair_span[row], len(gold))
    spans = {
        "lenient": _lenient(gold, system, given, hit).astype(np.float64),
        "span": (given.same >= 0).astype(np.float64),
        "span_overlap": _among(one, len(gold)).astype(np.float64),
    }
    wanted = gold.where(to_find)
    right_exact = _among(gold.pair_span[to_find & _right(gold, system, given, concepts)], len(gold))

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

    row_note, every = system.note[system.pair_span], np.ones(len(system), dtype=np.bool_)
    all_gold = np.ones(len(gold), dtype=np.bool_)
    found_spans = _among(given.same[given.same >= 0], len(system))
    touched = _among(other, len(system))
    hit_rows = _among(other_row, len(system.pair_span))
    table = {
        "strict": panel(right_exact, wanted, given.right, predicted, row_note),
        "overlap": panel(hit, wanted, hit_rows, predicted, row_note),
        "overlap_paired": _paired(gold, system, row, other_row, to_find, predicted, notes),
        "span": panel(given.same >= 0, all_gold, found_spans, every, system.note),
        "span_overlap": panel(_among(one, len(gold)), all_gold, touched, every, system.note),
        "note": _by_note_and_concept(gold, system, to_find, predicted, concepts, notes),
    }
    with_concept = _characters(gold_rows, system_rows, lambda p: p.line // concepts, notes)
    without = _characters(on_notes(gold), on_notes(system), lambda p: p.line, notes)
    both, held, claimed = with_concept
    table["characters"] = np.stack([both, held, both, claimed], axis=1)
    iou = {
        name: np.stack([both, held + claimed - both], axis=1)
        for name, (both, held, claimed) in zip(IOU, (with_concept, without), strict=True)
    }
    near = _among(gold.pair_span[row[~given.right[other_row]]], len(gold))
    return EndToEndCounts(spans, table, iou, right_exact, hit, near, (one, other))


def _real(side: MarkedSpans, settings: EntitySettings) -> Bools:
    """The rows that are to be found, or that claim something."""
    every = np.ones(len(side.pair_span), dtype=np.bool_)
    return every if settings.finds_cui_less else side.pair_concept != NONE


def _among(members: Ints, number: int) -> Bools:
    found = np.zeros(number, dtype=np.bool_)
    found[members] = True
    return found


def _right(gold: MarkedSpans, system: MarkedSpans, given: Answers, concepts: int) -> Bools:
    """The rows of gold that the system has on exactly the same span."""
    keys = system.pair_span * concepts + system.pair_concept
    place = given.same[gold.pair_span]
    return (place >= 0) & np.isin(place * concepts + gold.pair_concept, keys)


def _lenient(gold: MarkedSpans, system: MarkedSpans, given: Answers, hit: Bools) -> Bools:
    """The paper's rule. CUI-less given on the span is no concept, and so does not harm."""
    cui_less = gold.where(gold.pair_concept == NONE)
    claims = np.zeros(len(gold), dtype=np.bool_)
    found = given.same >= 0
    claims[found] = system.where(system.pair_concept != NONE)[given.same[found]]
    return hit | (cui_less & ~claims)


def _paired(
    gold: MarkedSpans,
    system: MarkedSpans,
    row: Ints,
    other_row: Ints,
    to_find: Bools,
    predicted: Bools,
    notes: int,
) -> Floats:
    """One to one: how many pairs there can be at most does not depend on how ties are broken."""
    shape = (len(gold.pair_span), len(system.pair_span))
    edges = csr_array((np.ones(len(row), dtype=np.int8), (row, other_row)), shape=shape)
    partner = maximum_bipartite_matching(edges, perm_type="column")
    note, other_note = gold.note[gold.pair_span], system.note[system.pair_span]
    found = np.bincount(note[partner >= 0], minlength=notes)
    return np.stack(
        [
            found,
            np.bincount(note[to_find], minlength=notes),
            found,
            np.bincount(other_note[predicted], minlength=notes),
        ],
        axis=1,
    ).astype(np.float64)


def _by_note_and_concept(
    gold: MarkedSpans,
    system: MarkedSpans,
    to_find: Bools,
    predicted: Bools,
    concepts: int,
    notes: int,
) -> Floats:
    def pairs(side: MarkedSpans, chosen: Bools) -> Ints:
        spans = side.pair_span[chosen]
        return np.unique(side.note[spans] * concepts + side.pair_concept[chosen])

    held, claimed = pairs(gold, to_find), pairs(system, predicted)
    both = np.intersect1d(held, claimed, assume_unique=True)
    counted = [
        np.bincount(part // concepts, minlength=notes) for part in (both, held, both, claimed)
    ]
    return np.stack(counted, axis=1).astype(np.float64)


def _characters(
    one: TextPieces, other: TextPieces, group: Callable[[TextPieces], Ints], notes: int
) -> tuple[Floats, Floats, Floats]:
    """Characters by note: on both sides, and on each."""
    either = TextPieces(
        *(
            np.concatenate([getattr(one, name), getattr(other, name)])
            for name in ("owner", "line", "begin", "end")
        )
    )
    held, claimed, all_of_them = (
        covered(pieces, group(pieces), notes).astype(np.float64) for pieces in (one, other, either)
    )
    return held + claimed - all_of_them, held, claimed
