"""Finding terms in charts: in any word order, with other words between."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from auscult.models.lexicon.joined_charts import JoinedCharts
from auscult.models.lexicon.lexicon_text import Key
from auscult.models.lexicon.ragged import Ints, expand, pointers
from auscult.models.lexicon.strings import Hashes, Ids, NumberedStrings, digest, hashed_rows

_WINDOW = 14
"""Words away from its rarest word that another word of a term may stand."""
_NOWHERE = np.iinfo(np.int64).max
_BITS = 5
"""Two words of a match are less than 2^5 apart."""


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """Match `k` is of key `keys[k]`, with its `sizes[k]` words at the first of `places[k]`."""

    keys: Ids
    places: Ints
    sizes: Ids

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def begins(self) -> Ints:
        """The first word of each match."""
        return self.places[:, 0]

    @property
    def ends(self) -> Ints:
        """The word after the last of each match."""
        last: Ints = self.places[np.arange(len(self)), self.sizes - 1] + 1
        return last


class Matcher:
    """Finds keys, looking only where the rarest word of each is."""

    def __init__(
        self, keys: Iterable[Key], frequency: Mapping[str, int], strings: NumberedStrings
    ) -> None:
        self.keys = sorted(keys)
        needed = sorted({word for key in self.keys for word in key})
        self.frequency = {word: frequency.get(word, 0) for word in needed}
        self._width = max(map(len, self.keys), default=1)
        anchors = np.zeros(len(self.keys), np.int32)
        self._others = np.full((len(self.keys), max(self._width - 1, 1)), -1, np.int32)
        self._number_of_others = np.array([len(key) - 1 for key in self.keys], np.int32)
        number = strings.number
        for at, key in enumerate(self.keys):
            anchor = min(key, key=lambda word: (self.frequency[word], word))
            anchors[at] = number(anchor)
            others = [number(word) for word in key if word != anchor]
            self._others[at, : len(others)] = others
        self._by_anchor = np.argsort(anchors, kind="stable").astype(np.int32)
        self._starts = pointers(anchors, max(1, len(strings)))

    def hashes(self, salt: np.uint64) -> Hashes:
        """A hash for every key."""
        rows = np.zeros((len(self.keys), self._width), np.uint64)
        for at, key in enumerate(self.keys):
            rows[at, : len(key)] = [digest(word) for word in key]
        return hashed_rows(rows, self._number_of_others + 1, np.full(len(rows), salt))

    def matches(self, batch: JoinedCharts) -> Matches:
        """The matches in some charts, in the order of the text."""
        at, keys = self._at_anchors(batch.keys)
        places = np.full((len(at), self._width), _NOWHERE, np.int64)
        places[:, 0] = at
        occurrences = _Occurrences(batch)
        alive = np.arange(len(at))
        for column in range(self._width - 1):
            of_more = self._number_of_others[keys[alive]] > column
            asked = alive[of_more]
            if not len(asked):
                break
            nearest = occurrences.nearest(self._others[keys[asked], column], at[asked])
            places[asked, column + 1] = nearest
            is_there = np.ones(len(alive), bool)
            is_there[of_more] = nearest >= 0
            alive = alive[is_there]
        keys, places = keys[alive], np.sort(places[alive], axis=1)
        sizes = self._number_of_others[keys] + 1
        apart = np.where(places == _NOWHERE, 0, places - places[:, :1])
        rank = places[:, 0]
        for column in range(1, self._width):
            rank = (rank << _BITS) | apart[:, column]
        order = np.lexsort((keys, rank))
        return Matches(keys[order], places[order], sizes[order])

    def _at_anchors(self, words: Ids) -> tuple[Ints, Ids]:
        """Every word that is the rarest of a key, with that key."""
        known = np.where(words < len(self._starts) - 1, words, 0)
        starts, ends = self._starts[known], self._starts[known + 1]
        counts = np.where(words < len(self._starts) - 1, ends - starts, 0)
        at, place = expand(starts, counts)
        keys = self._by_anchor[place]
        # Most have a second word that is nowhere near.
        present = np.zeros(max(len(self._starts), int(words.max(initial=0)) + 1), bool)
        present[words] = True
        is_there = (self._number_of_others[keys] == 0) | present[self._others[keys, 0]]
        return at[is_there], keys[is_there]


class _Occurrences:
    """Where each word of some charts occurs."""

    def __init__(self, batch: JoinedCharts) -> None:
        self._words = len(batch)
        self._sentences = batch.sentences
        order = np.argsort(batch.keys, kind="stable")
        self._sorted = batch.keys[order].astype(np.int64) * self._words + order

    def nearest(self, words: Ids, places: Ints) -> Ints:
        """The nearest place of each word in the sentence of a place, within the window; -1 if none.

        Of two as near, it is the earlier one.
        """
        first = words.astype(np.int64) * self._words
        after = np.searchsorted(self._sorted, first + places)
        left = self._sorted[np.maximum(after - 1, 0)] - first
        right = self._sorted[np.minimum(after, len(self._sorted) - 1)] - first
        left_away = self._away(left, places, places - left)
        right_away = self._away(right, places, right - places)
        found = np.where(left_away <= right_away, left, right)
        return np.where(np.minimum(left_away, right_away) <= _WINDOW, found, -1)

    def _away(self, found: Ints, places: Ints, away: Ints) -> Ints:
        is_near = (away >= 0) & (away <= _WINDOW) & (found >= 0) & (found < self._words)
        there = np.where(is_near, found, 0)
        is_near &= self._sentences[there] == self._sentences[places]
        return np.where(is_near, away, _WINDOW + 1)
