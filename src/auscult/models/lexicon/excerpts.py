"""Excerpts of training charts, to train the lexicon for short notes as well.

A long chart repeats what it is about, so a term that occurs once is rarely evidence there. A model
trained on long charts alone would give terms in short notes too low a probability.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from auscult.models.lexicon.gold_evidence import GoldEvidence
from auscult.models.lexicon.lexicon_text import LexiconText

_SHORTEST, _LONGEST = 30, 220
"""Length of an excerpt, in words, before it is extended to whole sentences."""
_LONG = 3 * _LONGEST
"""Minimum length, in words, of a chart that gets excerpts; shorter ones are used as they are."""


def places(
    chart: LexiconText, gold: GoldEvidence, dice: np.random.Generator
) -> Iterator[tuple[int, int]]:
    """Where excerpts of a long chart begin and end, each within one note.

    One is around evidence, if there is some, and one anywhere, for a short note need not have any.
    """
    if len(chart) < _LONG:
        return
    sentences, note_of = chart.sentences, chart.text.note_of
    evidence_at = [begin for extents in gold.extents.values() for begin, _ in extents]
    for on_evidence in (bool(evidence_at), False):
        size = int(dice.integers(_SHORTEST, _LONGEST))
        at = int(dice.choice(evidence_at)) if on_evidence else int(dice.integers(len(chart)))
        first = int(np.searchsorted(note_of, note_of[at], "left"))
        last = int(np.searchsorted(note_of, note_of[at], "right"))
        begin = max(first, at - int(dice.integers(size)))
        end = min(last, begin + size)
        begin = max(first, bisect_left(sentences, sentences[begin]))
        end = min(last, bisect_right(sentences, sentences[end - 1]))
        if end - begin <= 2 * _LONGEST:
            yield begin, end


def cut(
    chart: LexiconText, gold: GoldEvidence, begin: int, end: int
) -> tuple[LexiconText, GoldEvidence]:
    """Words `begin` up to `end` of a chart as a chart, with its gold codes and evidence.

    The codes are those of the whole chart: a coder who saw only these lines would code what they
    name, even if the annotated evidence is elsewhere.
    """
    part = chart.part(begin, end)
    inside = {
        code: [(first - begin, last - begin) for first, last in found]
        for code, extents in gold.extents.items()
        if (found := [one for one in extents if begin <= one[0] and one[1] <= end])
    }
    return part, replace(gold, extents=inside, example=replace(gold.example, text=part.text))
