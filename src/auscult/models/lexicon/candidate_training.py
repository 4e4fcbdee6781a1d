"""Training of the candidate model on labeled charts and excerpts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from auscult.models.lexicon.candidate_model import CandidateModel
from auscult.models.lexicon.candidates import CandidateRows, ContextVectorizer, context
from auscult.models.lexicon.gold_evidence import GoldEvidence
from auscult.models.lexicon.lexicon_text import LexiconText

_CANDIDATES = 100_000
"""Maximum number of training candidates of whole charts; a sample is drawn when there are more."""
_IN_EXCERPTS = 50_000
"""The same for excerpts."""


@dataclass(frozen=True, eq=False)
class LabeledCandidates:
    """A chart or an excerpt with its candidates, and what is gold in it."""

    chart: LexiconText
    gold: GoldEvidence
    rows: CandidateRows


def fit_candidate_model(
    whole: Sequence[LabeledCandidates], parts: Sequence[LabeledCandidates], seed: int
) -> CandidateModel:
    """Train on the candidates of whole charts and excerpts, or on samples of them."""
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
    return CandidateModel.fit(
        np.array(table, np.float32), ContextVectorizer().matrix(around), gold, applies, folds, seed
    )


def _some(
    candidates: Sequence[LabeledCandidates], most: int, seed: int
) -> list[tuple[LabeledCandidates, int]]:
    """Candidates, each as a row of its chart; at most so many, at random."""
    places = [(one, row) for one in candidates for row in range(len(one.rows))]
    if len(places) <= most:
        return places
    chosen = np.random.default_rng(seed).choice(len(places), most, replace=False)
    return [places[at] for at in np.sort(chosen)]
