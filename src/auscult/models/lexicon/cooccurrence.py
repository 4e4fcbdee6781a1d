"""Terms for codes without annotated evidence: words and word pairs that co-occur with them.

They are those found with the code at least three times as often as chance would have it, or half
as much too often as they could be for a code that a fifth of the charts have or more; the most
telling ones first (by the code's part of the log-likelihood ratio). They are chosen by the charts'
codes, so the choice is made again without each fold: a term that only a fold's own charts brought
up is hidden from them, or the counts of terms would be too optimistic.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import sparse

from auscult.models.lexicon.gold_evidence import FOLDS, GoldEvidence
from auscult.models.lexicon.lexicon_text import Key, LexiconText
from auscult.models.lexicon.terms import TermTable

_CHARTS = 5_000
_PER_CODE = 12
_LEAST = 2
_LIFT = 3.0


def add_cooccurring_terms(
    terms: TermTable,
    charts: Sequence[LexiconText],
    golds: Sequence[GoldEvidence],
    common: frozenset[str],
) -> None:
    """Add the terms of every code that has no annotated evidence."""
    with_evidence = {code for gold in golds for code in gold.extents}
    without_evidence = sorted({code for gold in golds for code in gold.codes} - with_evidence)
    if not without_evidence:
        return
    if len(charts) > _CHARTS:
        step = len(charts) / _CHARTS
        chosen = [int(at * step) for at in range(_CHARTS)]
    else:
        chosen = list(range(len(charts)))
    found, wordings, keys = _cooccurrences(charts, chosen, common)
    place = {code: at for at, code in enumerate(without_evidence)}
    pairs = [
        (row, place[code])
        for row, number in enumerate(chosen)
        for code in golds[number].codes
        if code in place
    ]
    given = sparse.csr_matrix(
        (np.ones(len(pairs)), tuple(np.array(pairs, np.int64).reshape(-1, 2).T)),
        shape=(len(chosen), len(without_evidence)),
    )
    fold_of = np.array([golds[number].fold for number in chosen])
    whole = _Together(found, given)
    parts = [_Together(found[fold_of == fold], given[fold_of == fold]) for fold in range(FOLDS)]
    by_term, by_code = found.tocsc(), given.tocsc()
    for column, code in enumerate(without_evidence):
        associated = whole.most_associated(column)
        without = [set(whole.most_associated(column, part).tolist()) for part in parts]
        with_code = set(_rows(by_code, column).tolist())
        for term in associated.tolist():
            for row in with_code.intersection(_rows(by_term, term).tolist()):
                number = chosen[row]
                terms.add(keys[term], wordings[term], code, number, golds[number].fold)
            for fold in range(FOLDS):
                if term not in without[fold]:
                    terms.hide(keys[term], wordings[term], code, fold)


class _Together:
    """How often terms and codes are in the same charts."""

    def __init__(self, found: sparse.csr_matrix, given: sparse.csr_matrix) -> None:
        self.charts = found.shape[0]
        self.both = (found.T @ given).tocsc()  # (terms, codes)
        self.times = np.asarray(found.sum(axis=0)).ravel()
        self.having = np.asarray(given.sum(axis=0)).ravel()

    def most_associated(self, column: int, part: _Together | None = None) -> npt.NDArray[np.int64]:
        """The terms most associated with a code, with the charts of a fold left out."""
        terms = _rows(self.both, column)
        both = self.both.data[self.both.indptr[column] : self.both.indptr[column + 1]]
        times, having, charts = self.times[terms], self.having[column], self.charts
        if part is not None:
            fewer = np.zeros(len(self.times))
            fewer[_rows(part.both, column)] = part.both.data[
                part.both.indptr[column] : part.both.indptr[column + 1]
            ]
            both, times = both - fewer[terms], times - part.times[terms]
            having, charts = having - part.having[column], charts - part.charts
        lift = min(_LIFT, (1 + charts / max(having, 1)) / 2)  # of a half of the charts 3 is beyond
        often = (both >= _LEAST) & (both * charts >= lift * times * having)
        often &= both * charts > times * having  # no word is informative of a code that all have
        terms, both, times = terms[often], both[often], times[often]
        associated = both * np.log(both * charts / (times * having))
        return np.asarray(terms[np.lexsort((terms, -associated))[:_PER_CODE]], np.int64)


def _rows(matrix: sparse.csc_matrix, column: int) -> npt.NDArray[np.int32]:
    found: npt.NDArray[np.int32] = matrix.indices[matrix.indptr[column] : matrix.indptr[column + 1]]
    return found


def _cooccurrences(
    charts: Sequence[LexiconText], chosen: Sequence[int], common: frozenset[str]
) -> tuple[sparse.csr_matrix, list[Key], list[Key]]:
    """Which chart has which word or pair of neighbors, those in at least two charts."""
    ids: dict[Key, int] = {}
    wordings: list[Key] = []
    keys: list[Key] = []
    rows: list[int] = []
    columns: list[int] = []
    for row, number in enumerate(chosen):
        chart = charts[number]
        here: set[int] = set()
        before = -1
        for at, word in enumerate(chart.folded):
            if word in common or len(word) < 2:
                continue
            ends: list[tuple[int, ...]] = [(at,)]
            if before >= 0 and chart.sentences[before] == chart.sentences[at]:
                ends.append((before, at))
            for places in ends:
                wording = tuple(chart.stems[place] for place in places)
                if wording not in ids:
                    ids[wording] = len(wordings)
                    wordings.append(wording)
                    keys.append(tuple(sorted({chart.keys[place] for place in places})))
                here.add(ids[wording])
            before = at
        rows += [row] * len(here)
        columns += sorted(here)
    found = sparse.csr_matrix(
        (np.ones(len(rows)), (rows, columns)), shape=(len(chosen), len(wordings))
    )
    often = np.flatnonzero(np.asarray(found.sum(axis=0)).ravel() >= _LEAST)
    return found[:, often], [wordings[at] for at in often], [keys[at] for at in often]
