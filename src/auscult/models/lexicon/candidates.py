"""Candidates: a range of words, a code it may be evidence for, and its features.

A match of a term is a candidate, and so is the match together with a few words before or after
it where evidence is likely to begin or end there. Each is described by numbers (how good the
string was in other charts, where evidence tends to begin and end, what else lies there); the words
around it are where negation, family history and doubt show.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from auscult.models.lexicon.boundaries import UNKNOWN, Logits
from auscult.models.lexicon.counts import CodeCounts
from auscult.models.lexicon.joined_charts import JoinedCharts
from auscult.models.lexicon.matching import Matcher, Matches
from auscult.models.lexicon.ragged import Ints, expand, first_of_runs
from auscult.models.lexicon.rivals import Rivals
from auscult.models.lexicon.string_counts import PRIOR, StringCounts, string_features
from auscult.models.lexicon.strings import Hashes, hashed_rows, sequences
from auscult.models.lexicon.term_index import WORDING, Sources, TermIndex, wording_hashes

_WIDENINGS = ((3, 0), (2, 0), (2, 1), (1, 0), (1, 1), (1, 2), (0, 1), (0, 2), (0, 3))
"""Words by which a match may be widened, before and after it, from the earliest to the latest."""
_WIDER = 2
"""Wider ranges tried for a match."""
_LENGTH_BITS = 6
"""Ranges are shorter than 2^6 words."""
_TIGHT = 2
_KEY, _SCATTERED, _EXACT = np.uint64(1), np.uint64(3), np.uint64(4)
"""Salts of the hashes of a key, of the wording of a scattered match, and of a range as it is."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Candidates:
    """The candidates of a batch of charts, by range and code.

    Candidate `k` is code `codes[k]` in range `ranges[k]`: words `begins[ranges[k]]` up to
    `ends[ranges[k]]` of the batch. It comes from source `source[k]`, with `wider[k]` words added
    before and after the match.
    """

    batch: JoinedCharts
    edges: Logits | None
    begins: Ints
    ends: Ints
    ranges: Ints
    codes: Ints
    source: Ints
    wider: Ints
    precision: Floats
    sources: Sources
    described: Floats
    """The numbers of each source."""
    counts: CodeCounts

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def chart_of(self) -> npt.NDArray[np.int32]:
        """The chart of each candidate."""
        return self.batch.chart_of[self.begins[self.ranges]]

    @cached_property
    def _rivals(self) -> Rivals:
        return Rivals(
            self.begins, self.ends, self.ranges, self.codes, self.chart_of, self.precision
        )

    def numbers(self, chosen: Ints | None = None) -> npt.NDArray[np.float32]:
        """The features of all candidates, or of some."""
        every = np.arange(len(self)) if chosen is None else chosen
        batch, ranges, source = self.batch, self.ranges[every], self.source[every]
        begins, ends = self.begins[ranges], self.ends[ranges]
        charts = batch.chart_of[begins]
        first, last = batch.characters()
        lengths = np.diff(batch.starts)[charts]
        edges = _edge_numbers(self.edges, batch, self.begins, self.ends)
        codes = self.codes[every]
        columns: list[npt.NDArray[Any]] = [
            self.described[source],
            self.wider[every],
            edges[ranges],
            ends - begins,
            last[ends - 1] - first[begins],
            self.counts.describe(codes, batch.folds[charts]),
            (begins - batch.starts[charts]) / lengths,
            np.log1p(lengths),
            self._rivals.numbers(every),
        ]
        return np.column_stack(columns).astype(np.float32)


class CandidateMaker:
    """Makes the candidates of charts from the fitted terms and counts."""

    def __init__(
        self, index: TermIndex, matcher: Matcher, tally: StringCounts, counts: CodeCounts
    ) -> None:
        self.index = index
        self.matcher = matcher
        self.tally = tally
        self.counts = counts

    def candidates(self, batch: JoinedCharts, edges: Sequence[Logits] | None) -> Candidates:
        """The candidates of some charts."""
        logits = None if edges is None else np.concatenate(edges)
        matches = self.matcher.matches(batch)
        sources, described, precision = self._sources(batch, matches)
        owners, first, last, before, after = _ranges(batch, logits, matches)
        # Sources lie by match, so those of a range's match are neighbors.
        per_match = np.bincount(sources.matches, minlength=len(matches))
        starts = np.cumsum(per_match) - per_match
        of_range, source = expand(starts[owners], per_match[owners])
        begin, end = first[of_range], last[of_range]
        wide = before[of_range] + after[of_range]
        place = (begin << _LENGTH_BITS) | (end - begin)
        codes = sources.codes[source]
        # The best of those with a range and code: the least widened, the closest, the most precise.
        order = np.lexsort((-precision[source], -sources.near[source], wide, codes, place))
        kept = order[first_of_runs(place[order], codes[order])]
        place = place[kept]
        firsts = first_of_runs(place)
        ranges = np.repeat(np.arange(len(firsts)), np.diff(firsts, append=len(place)))
        return Candidates(
            batch, logits, begin[kept][firsts], end[kept][firsts], ranges, codes[kept],
            source[kept],
            np.column_stack([before[of_range[kept]], after[of_range[kept]]]),
            precision[source[kept]], sources, described, self.counts,
        )  # fmt: skip

    def _sources(self, batch: JoinedCharts, matches: Matches) -> tuple[Sources, Floats, Floats]:
        """The codes of matches, the numbers that describe each, and its precision."""
        strings = batch.forms.strings
        places = np.minimum(matches.places, len(batch) - 1)
        stems = batch.stems[places]
        folds = batch.folds[batch.chart_of[matches.begins]]
        wordings, bags = wording_hashes(stems, matches.sizes, strings)
        sources = self.index.sources(matches.keys, wordings, bags, folds)
        # A code of the fold alone, by its name or by analogy, would give itself away.
        sources = sources.only(self.counts.is_known(sources.codes, folds[sources.matches]))
        match, codes = sources.matches, sources.codes
        expected = np.full(len(sources), PRIOR)
        columns: list[npt.NDArray[Any]] = []
        for level in self.levels(batch, matches):
            times, hits = self.tally.occurrences(level, folds)
            right = self.tally.evidence_for(level[match], codes, folds[match])
            found = string_features(times[match], hits[match], right, expected)
            expected = found[:, 0]
            columns += [_log_odds(expected), found]
        sizes = matches.sizes[match]
        is_there = np.arange(stems.shape[1]) < matches.sizes[:, None]
        longest = np.where(is_there, strings.lengths[stems], 0).max(axis=1, initial=0)
        columns += [
            sources.near,
            sources.near == 1,
            np.log1p(sources.charts),
            sizes,
            (matches.ends - matches.begins)[match] - sizes,
            longest[match],
            sources.ways,
        ]
        return sources, np.column_stack(columns), expected

    def levels(self, batch: JoinedCharts, matches: Matches) -> tuple[Hashes, Hashes, Hashes]:
        """The strings under which matches are counted, from the loosest to the exact wording."""
        hashes = batch.forms.strings.hashes
        places = np.minimum(matches.places, len(batch) - 1)
        lengths = matches.ends - matches.begins
        is_tight = lengths - matches.sizes <= _TIGHT
        stems = hashed_rows(
            hashes[batch.stems][places], matches.sizes, np.where(is_tight, WORDING, _SCATTERED)
        )
        tight = np.flatnonzero(is_tight)
        # What lies between the words of a scattered term is nobody's business to keep.
        exact = stems.copy()
        exact[tight] = sequences(
            hashes[batch.folded], matches.begins[tight], lengths[tight],
            np.full(len(tight), _EXACT),
        )  # fmt: skip
        return self._keys_hashed[matches.keys], stems, exact

    @cached_property
    def _keys_hashed(self) -> Hashes:
        return self.matcher.hashes(_KEY)


def _ranges(
    batch: JoinedCharts, edges: Logits | None, matches: Matches
) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """The range of every match, and the most likely ones a few words wider: its match, where it
    begins and ends, and the words added before and after.
    """
    begins, ends = matches.begins, matches.ends
    owners, nothing = np.arange(len(matches)), np.zeros(len(matches), np.int64)
    if edges is None or not len(matches):
        return owners, begins, ends, nothing, nothing
    words = len(batch)
    sentences = batch.sentences
    base = (edges[begins, 0] + edges[ends - 1, 1]).astype(np.float64)
    scores = np.full((len(matches), len(_WIDENINGS)), -np.inf)
    for column, (before, after) in enumerate(_WIDENINGS):
        first, last = np.maximum(begins - before, 0), np.minimum(ends + after, words)
        is_inside = (begins >= before) & (ends + after <= words)
        is_inside &= sentences[first] == sentences[begins]
        is_inside &= sentences[last - 1] == sentences[ends - 1]
        score = (edges[first, 0] + edges[last - 1, 1]).astype(np.float64) - 0.3 * (before + after)
        is_likely = is_inside & ((score > base - 1) | (score > -1.5))
        scores[is_likely, column] = score[is_likely]
    best = np.argsort(-scores, axis=1, kind="stable")[:, :_WIDER]
    is_tried = np.take_along_axis(scores, best, axis=1) > -np.inf
    match, rank = np.nonzero(is_tried)
    added = np.array(_WIDENINGS)[best[match, rank]]
    return (
        np.concatenate([owners, match]),
        np.concatenate([begins, begins[match] - added[:, 0]]),
        np.concatenate([ends, ends[match] + added[:, 1]]),
        np.concatenate([nothing, added[:, 0]]),
        np.concatenate([nothing, added[:, 1]]),
    )


def _edge_numbers(edges: Logits | None, batch: JoinedCharts, begins: Ints, ends: Ints) -> Floats:
    """Whether evidence begins, ends and lies in each range, and around it."""
    found = np.zeros((len(begins), 8))
    if edges is None or not len(begins):
        return found
    range_of, word = expand(begins, ends - begins)
    starts = np.cumsum(ends - begins) - (ends - begins)
    found[:, 0] = edges[begins, 0]
    found[:, 1] = edges[ends - 1, 1]
    found[:, 2] = np.minimum.reduceat(edges[word, 2], starts)
    found[:, 3] = np.add.reduceat(edges[word, 2], starts) / (ends - begins).astype(np.float32)
    charts = batch.chart_of[begins]
    before, after = np.maximum(begins - 1, 0), np.minimum(ends, len(batch) - 1)
    found[:, 4] = np.where(begins > batch.starts[charts], edges[before, 2], UNKNOWN)
    found[:, 5] = np.where(ends < batch.starts[charts + 1], edges[after, 2], UNKNOWN)
    inner_end = np.where(word < ends[range_of] - 1, edges[word, 1], -np.inf)
    inner_begin = np.where(word > begins[range_of], edges[word, 0], -np.inf)
    is_long = ends - begins > 1
    found[:, 6] = np.where(is_long, np.maximum.reduceat(inner_end, starts), UNKNOWN)
    found[:, 7] = np.where(is_long, np.maximum.reduceat(inner_begin, starts), UNKNOWN)
    return found


def _log_odds(probability: Floats) -> Floats:
    bounded = np.clip(probability, 1e-3, 1 - 1e-3)
    found: Floats = np.log(bounded / (1 - bounded))
    return found
