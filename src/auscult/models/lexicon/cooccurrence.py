"""Terms for codes without annotated evidence: words and word pairs that co-occur with them.

They are those found with the code at least three times as often as chance would have it, or half
as much too often as they could be for a code that a fifth of the charts have or more; the most
telling ones first (by the code's part of the log-likelihood ratio). They are chosen by the charts'
codes, so the choice is made again without each fold: a term that only a fold's own charts brought
up is hidden from them, or the counts of terms would be too optimistic.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from auscult.core.progress import track
from auscult.models.lexicon.gold_evidence import FOLDS, GoldEvidence
from auscult.models.lexicon.joined_charts import JoinedCharts, batches
from auscult.models.lexicon.lexicon_text import LexiconText
from auscult.models.lexicon.ragged import Ints, expand, first_of_runs
from auscult.models.lexicon.string_counts import HashCounts
from auscult.models.lexicon.strings import Hashes, scrambled
from auscult.models.lexicon.terms import TermTable, key_of

_CHARTS = 2_000
"""Maximum number of charts of a code in which its terms are looked for."""
_PER_CODE = 12
_LEAST = 2
_LIFT = 3.0


def add_cooccurring_terms(
    terms: TermTable,
    charts: Sequence[LexiconText],
    golds: Sequence[GoldEvidence],
    common: npt.NDArray[np.bool_],
) -> None:
    """Add the terms of every code that has no annotated evidence."""
    having: dict[int, list[int]] = defaultdict(list)
    for row, gold in enumerate(golds):
        for code in gold.codes:
            having[code].append(row)
    with_evidence = {code for gold in golds for code in gold.extents}
    mined = sorted(
        code for code, rows in having.items() if code not in with_evidence and len(rows) >= _LEAST
    )
    if not mined:
        return
    words = WordOccurrences(charts, [gold.fold for gold in golds], common)
    for code in track(mined, "collecting terms", len(mined)):
        for term, parts, hidden in words.terms_of(np.array(having[code])):
            wording = words.wording(term)
            terms.add(key_of(wording), wording, code, parts, hidden)


class WordOccurrences:
    """Which chart has which word or pair of neighbors, those in at least two charts."""

    def __init__(
        self, charts: Sequence[LexiconText], folds: Sequence[int], common: npt.NDArray[np.bool_]
    ) -> None:
        strings = charts[0].forms.strings
        self._names = strings.names
        self._size = len(strings) + 1
        ignored = np.zeros(self._size, bool)
        ignored[: len(common)] = common
        ignored[:-1] |= strings.lengths[np.arange(len(strings))] < 2
        self._folds = np.array(folds, np.int64)
        self._of_fold = np.bincount(self._folds, minlength=FOLDS)
        counted = HashCounts()
        for _, hashes, *_ in self._batches(charts, ignored, "counting words"):
            counted.add(hashes)
        often = counted.merged().only(counted.counts >= _LEAST)
        self._codes = np.zeros(len(often), np.int64)
        self._first = np.full(len(often), np.iinfo(np.int64).max)
        self._times = np.zeros((len(often), FOLDS), np.int32)
        found: list[npt.NDArray[np.int32]] = []
        starts = [np.zeros(1, np.int64)]
        for rows, hashes, codes, charts_of, order in self._batches(
            charts, ignored, "sorting words"
        ):
            places = often.places(hashes)
            kept = places >= 0
            places, of_chart = places[kept], charts_of[kept]
            self._codes[places] = codes[kept]
            np.minimum.at(self._first, places, order[kept])
            np.add.at(self._times, (places, self._folds[rows[of_chart]]), 1)
            found.append(places.astype(np.int32))
            starts.append(np.bincount(of_chart, minlength=len(rows)))
        self._found = np.concatenate(found)
        self._starts = np.cumsum(np.concatenate(starts))

    def _batches(
        self, charts: Sequence[LexiconText], ignored: npt.NDArray[np.bool_], what: str
    ) -> Iterator[tuple[Ints, Hashes, Ints, Ints, Ints]]:
        """For some charts at a time: which they are; then for each word and pair of neighbors that
        one has, its hash, its code, the chart, and where it comes first.
        """
        seen = 0
        for rows in track(list(batches(map(len, charts))), what):
            batch = JoinedCharts.of([charts[row] for row in rows], [None] * len(rows))
            stems = batch.stems.astype(np.int64)
            at = np.flatnonzero(~ignored[batch.folded])
            pair = np.flatnonzero(batch.sentences[at[1:]] == batch.sentences[at[:-1]])
            one, other = at[pair], at[pair + 1]
            codes = np.concatenate([stems[at], (stems[one] + 1) * self._size + stems[other]])
            charts_of = batch.chart_of[np.concatenate([at, other])].astype(np.int64)
            order = 2 * np.concatenate([at, other]) + np.repeat([0, 1], [len(at), len(other)])
            by_code = np.lexsort((order, codes, charts_of))
            kept = by_code[first_of_runs(charts_of[by_code], codes[by_code])]
            codes = codes[kept]
            yield (
                np.array(rows), scrambled(codes.astype(np.uint64)), codes, charts_of[kept],
                seen + order[kept],
            )  # fmt: skip
            seen += 2 * len(batch)

    def wording(self, term: int) -> tuple[str, ...]:
        """The stems of a term."""
        first, second = divmod(int(self._codes[term]), self._size)
        return (*((self._names[first - 1],) if first else ()), self._names[second])

    def terms_of(self, rows: Ints) -> Iterator[tuple[int, dict[int, int], list[int]]]:
        """The terms of a code, which the charts `rows` have; for each the charts that have both, by
        fold, and the folds without which it would not be one.
        """
        having = np.bincount(self._folds[rows], minlength=FOLDS)
        sampled = rows
        if len(rows) > _CHARTS:
            sampled = rows[(np.arange(_CHARTS) * len(rows)) // _CHARTS]
        starts = self._starts[sampled]
        owner, place = expand(starts, self._starts[sampled + 1] - starts)
        found = np.sort(self._found[place].astype(np.int64) * FOLDS + self._folds[sampled[owner]])
        at = first_of_runs(found)
        times = np.diff(at, append=len(found))
        term, fold = found[at] // FOLDS, found[at] % FOLDS
        of_term = first_of_runs(term)
        is_often = np.add.reduceat(times, of_term) >= _LEAST if len(term) else np.zeros(0, bool)
        kept = np.repeat(is_often, np.diff(of_term, append=len(term)))
        each, place = np.unique(term[kept], return_inverse=True)
        each, place = self._by_first(each, place)
        both = np.zeros((FOLDS, len(each)))
        both[fold[kept], place] = times[kept]
        both *= len(rows) / len(sampled)
        chosen = self._most_associated(each, both, having)
        for order in chosen[0].tolist():
            parts = {
                fold: max(1, round(float(charts)))
                for fold, charts in enumerate(both[:, order])
                if charts
            }
            hidden = [fold for fold in range(FOLDS) if order not in chosen[1 + fold]]
            yield int(each[order]), parts, hidden

    def _by_first(self, terms: Ints, places: Ints) -> tuple[Ints, Ints]:
        """Terms in the order in which they first come, and what pointed at them."""
        order = np.argsort(self._first[terms])
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        return terms[order], rank[places]

    def _most_associated(
        self, terms: Ints, both_of_fold: npt.NDArray[np.float64], having_of_fold: Ints
    ) -> list[Ints]:
        """The terms most associated with a code, in all and with the charts of each fold left out.

        They are places in `terms`; of those as much associated, the first come first.
        """
        times_of_fold = self._times[terms].T
        both = _without_each(both_of_fold)
        times, having = _without_each(times_of_fold), _without_each(having_of_fold[:, None])
        charts = _without_each(self._of_fold[:, None])
        # Of a half of the charts three times as often is beyond reach.
        lift = np.minimum(_LIFT, (1 + charts / np.maximum(having, 1)) / 2)
        is_often = (both >= _LEAST) & (both * charts >= lift * times * having)
        is_often &= both * charts > times * having  # nothing is informative of what all have
        with np.errstate(divide="ignore", invalid="ignore"):
            associated = both * np.log(both * charts / (times * having))
        found = []
        for row, often in zip(associated, is_often, strict=True):
            at = np.flatnonzero(often)
            found.append(at[np.argsort(-row[at], kind="stable")[:_PER_CODE]])
        return found


def _without_each(of_fold: npt.NDArray[np.generic]) -> npt.NDArray[np.float64]:
    """The sum over all folds, and over all but each, a row each."""
    counted = of_fold.astype(np.float64)
    whole = counted.sum(axis=0)
    return np.vstack([whole, whole - counted])
