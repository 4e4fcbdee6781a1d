"""Excerpts of training charts, by which short notes are learnt to be judged.

A long chart names what it is about many times and over, so that a term that stands there once is
seldom to be believed. Who has learnt from long charts alone would not believe a short note either.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from auscult.coders.lexicon.gold import Gold
from auscult.coders.lexicon.words import Prepared

_SHORTEST, _LONGEST = 30, 220
"""Words of an excerpt, which then takes in the sentences that it begins and ends in."""
_LONG = 3 * _LONGEST
"""Words from which a chart has excerpts; shorter ones teach what they have to as they are."""


def places(chart: Prepared, gold: Gold, dice: np.random.Generator) -> Iterator[tuple[int, int]]:
    """Where excerpts of a long chart begin and end, each within one note.

    One is around evidence, if there is some, and one anywhere, for a short note need not have any.
    """
    if len(chart) < _LONG:
        return
    sentences, note_of = chart.sentences, chart.text.note_of
    pointed = [begin for extents in gold.extents.values() for begin, _ in extents]
    for is_pointed in (bool(pointed), False):
        size = int(dice.integers(_SHORTEST, _LONGEST))
        at = int(dice.choice(pointed)) if is_pointed else int(dice.integers(len(chart)))
        first = int(np.searchsorted(note_of, note_of[at], "left"))
        last = int(np.searchsorted(note_of, note_of[at], "right"))
        begin = max(first, at - int(dice.integers(size)))
        end = min(last, begin + size)
        begin = max(first, bisect_left(sentences, sentences[begin]))
        end = min(last, bisect_right(sentences, sentences[end - 1]))
        if end - begin <= 2 * _LONGEST:
            yield begin, end


def cut(chart: Prepared, gold: Gold, begin: int, end: int) -> tuple[Prepared, Gold]:
    """Words `begin` up to `end` of a chart as a chart, and what is gold there.

    The codes are those of the whole: who saw just these lines would code what they name, even if
    the evidence that was pointed at is elsewhere.
    """
    text = chart.text
    text = replace(
        text,
        words=text.words[begin:end],
        note_of=text.note_of[begin:end],
        begins=text.begins[begin:end],
        ends=text.ends[begin:end],
    )
    part = Prepared(
        text,
        chart.folded[begin:end],
        chart.stems[begin:end],
        chart.keys[begin:end],
        chart.sentences[begin:end],
        chart.gaps[begin:end],
    )
    inside = {
        code: [(first - begin, last - begin) for first, last in found]
        for code, extents in gold.extents.items()
        if (found := [one for one in extents if begin <= one[0] and one[1] <= end])
    }
    return part, replace(gold, extents=inside, example=replace(gold.example, text=text))
