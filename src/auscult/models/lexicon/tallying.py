"""Counting in the training text: every match, and which of them were evidence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from auscult.core.progress import track
from auscult.models.lexicon.candidates import CandidateMaker
from auscult.models.lexicon.gold_evidence import GoldEvidence
from auscult.models.lexicon.joined_charts import JoinedCharts, batches
from auscult.models.lexicon.lexicon_text import LexiconText
from auscult.models.lexicon.matching import Matches
from auscult.models.lexicon.ragged import Ints


def count_matches(
    candidates: CandidateMaker, charts: Sequence[LexiconText], golds: Sequence[GoldEvidence]
) -> None:
    """Count every match in the training text, and how many of them were evidence."""
    index, tally = candidates.index, candidates.tally
    for places in track(list(batches(map(len, charts))), "counting matches"):
        held = [golds[at] for at in places]
        batch = JoinedCharts.of([charts[at] for at in places], [gold.fold for gold in held])
        matches = candidates.matcher.matches(batch)
        folds = batch.folds[batch.chart_of[matches.begins]]
        match, codes = evidence_among(held, batch, matches, *index.all_codes(matches.keys))
        is_hit = np.zeros(len(matches), bool)
        is_hit[match] = True
        for strings in candidates.levels(batch, matches):
            tally.add(strings, folds, is_hit)
            tally.add_codes(strings[match], codes, folds[match])


def evidence_among(
    golds: Sequence[GoldEvidence], batch: JoinedCharts, matches: Matches, match: Ints, codes: Ints
) -> tuple[Ints, Ints]:
    """Of pairs of a match and a code those where the match is evidence for the code."""
    charts = batch.chart_of[matches.begins[match]]
    labels = 1 + max(int(codes.max(initial=0)), *(max(gold.codes, default=0) for gold in golds))
    has, points = np.zeros((2, len(golds), labels), bool)
    for at, gold in enumerate(golds):
        has[at, list(gold.codes)] = True
        points[at, list(gold.extents)] = True
    fits = has[charts, codes]
    for pair in np.flatnonzero(fits & points[charts, codes]).tolist():
        chart, at = int(charts[pair]), match[pair]
        first = int(batch.starts[chart])
        begin, end = int(matches.begins[at]) - first, int(matches.ends[at]) - first
        fits[pair] = golds[chart].covers(begin, end, int(codes[pair]))
    return match[fits], codes[fits]
