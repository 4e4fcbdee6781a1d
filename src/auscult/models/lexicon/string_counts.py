"""How often a string occurs in the training text, and how often it was evidence for a code.

During training, the counts of a chart's own fold are subtracted, so that a string seen once does
not look reliable because of that very chart. Strings are known by hashes of 64 bits: of a corpus's
fifty million, two have the same one once in ten thousand times.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from auscult.learning.arrays import stored_arrays
from auscult.models.lexicon.ragged import first_of_runs
from auscult.models.lexicon.strings import Hashes, Ids, mixed

PRIOR = 0.3
"""The prior precision of a string."""
_HELD = 1 << 22
"""Number of hashes to collect before they are counted."""


class HashCounts:
    """How often each hash was added."""

    def __init__(self) -> None:
        self.hashes: Hashes = np.zeros(0, np.uint64)
        self.counts: npt.NDArray[np.int32] = np.zeros(0, np.int32)
        self._new: list[Hashes] = []
        self._held = 0
        self._shift = np.uint64(0)
        self._starts: npt.NDArray[np.int64] | None = None

    @classmethod
    def of(cls, hashes: Hashes, counts: npt.NDArray[np.int32]) -> HashCounts:
        """Counts of hashes, which are sorted."""
        found = cls()
        found.hashes, found.counts = hashes, counts
        return found

    def add(self, hashes: Hashes) -> None:
        """Count each once."""
        self._new.append(hashes)
        self._held += len(hashes)
        self._starts = None
        if self._held > max(_HELD, len(self.hashes)):
            self._merge()

    def __len__(self) -> int:
        return len(self.hashes)

    def get(self, hashes: Hashes) -> npt.NDArray[np.int64]:
        """How often each was added."""
        places = self.places(hashes)
        if not len(self):
            return np.zeros(len(hashes), np.int64)
        return np.where(places >= 0, self.counts[places], 0).astype(np.int64)

    def places(self, hashes: Hashes) -> npt.NDArray[np.int64]:
        """Where each is among `hashes`; -1 if it was never added."""
        self._merge()
        if not len(self):
            return np.full(len(hashes), -1, np.int64)
        if self._starts is None:
            bits = max(1, len(self).bit_length())
            self._shift = np.uint64(64 - bits)
            edges = np.arange(1 << bits, dtype=np.uint64) << self._shift
            self._starts = np.searchsorted(self.hashes, edges)
        # Hashes are spread evenly, so each stands near the first one that has its leading bits.
        last = len(self) - 1
        at = np.minimum(self._starts[(hashes >> self._shift).astype(np.int64)], last)
        found = self.hashes[at]
        behind = np.flatnonzero((found < hashes) & (at < last))
        while len(behind):
            at[behind] += 1
            found[behind] = self.hashes[at[behind]]
            behind = behind[(found[behind] < hashes[behind]) & (at[behind] < last)]
        return np.where(found == hashes, at, -1)

    def only(self, chosen: npt.NDArray[np.bool_]) -> HashCounts:
        """Those of some hashes."""
        self._merge()
        return HashCounts.of(self.hashes[chosen], self.counts[chosen])

    def merged(self) -> HashCounts:
        """Itself, with all that was added in its arrays."""
        self._merge()
        return self

    def _merge(self) -> None:
        if not self._new:
            return
        new = np.sort(np.concatenate(self._new))
        self._new, self._held = [], 0
        starts = first_of_runs(new)
        times = np.diff(starts, append=len(new)).astype(np.int32)
        every = np.concatenate([self.hashes, new[starts]])
        order = np.argsort(every, kind="stable")  # of two sorted runs
        every, counts = every[order], np.concatenate([self.counts, times])[order]
        starts = first_of_runs(every)
        self.hashes = every[starts]
        self.counts = np.add.reduceat(counts, starts) if len(starts) else counts


class StringCounts:
    """Counts of strings, in all and fold by fold: how often they occurred, how often they were
    evidence for something, and for which code. Folds are numbered from 1; fold 0 has nothing.
    """

    def __init__(self) -> None:
        self.times = HashCounts()
        self.hits = HashCounts()
        self.codes = HashCounts()
        self._parts = (HashCounts(), HashCounts(), HashCounts())

    def add(self, strings: Hashes, folds: Ids, is_hit: npt.NDArray[np.bool_]) -> None:
        """Count an occurrence of each string in a chart of a fold, and whether it was evidence."""
        by_fold = mixed(strings, folds)
        times, hits, _ = self._parts
        self.times.add(strings)
        times.add(by_fold)
        self.hits.add(strings[is_hit])
        hits.add(by_fold[is_hit])

    def add_codes(self, strings: Hashes, codes: npt.NDArray[Any], folds: Ids) -> None:
        """Count that each string was evidence for a code."""
        for_code = mixed(strings, codes)
        self.codes.add(for_code)
        self._parts[2].add(mixed(for_code, folds))

    def forget_folds(self) -> None:
        """Keep only the whole, without strings that occurred once and were nothing."""
        self._parts = (HashCounts(), HashCounts(), HashCounts())
        times = self.times.merged()
        self.times = times.only((times.counts > 1) | (self.hits.get(times.hashes) > 0))

    def save(self, file: Path) -> None:
        """Write the whole as arrays."""
        times, hits, codes = (one.merged() for one in (self.times, self.hits, self.codes))
        np.savez(
            file, times=times.hashes, times_counts=times.counts, hits=hits.hashes,
            hits_counts=hits.counts, codes=codes.hashes, codes_counts=codes.counts,
        )  # fmt: skip

    @classmethod
    def load(cls, file: Path) -> StringCounts:
        """What `save` wrote."""
        found = cls()
        with stored_arrays(file) as held:
            found.times = HashCounts.of(held["times"], held["times_counts"])
            found.hits = HashCounts.of(held["hits"], held["hits_counts"])
            found.codes = HashCounts.of(held["codes"], held["codes_counts"])
        return found

    def occurrences(
        self, strings: Hashes, folds: Ids
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """How often each string occurred, and was evidence, without a fold."""
        times, hits = self.times.get(strings), self.hits.get(strings)
        if folds.any():
            by_fold = mixed(strings, folds)
            times -= self._parts[0].get(by_fold)
            hits -= self._parts[1].get(by_fold)
        return times, hits

    def evidence_for(
        self, strings: Hashes, codes: npt.NDArray[Any], folds: Ids
    ) -> npt.NDArray[np.int64]:
        """How often each string was evidence for a code, without a fold."""
        for_code = mixed(strings, codes)
        found = self.codes.get(for_code)
        if folds.any():
            found -= self._parts[2].get(mixed(for_code, folds))
        return found


def string_features(
    times: npt.NDArray[Any], hits: npt.NDArray[Any], right: npt.NDArray[Any],
    expected: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]:  # fmt: skip
    """Smoothed precision, log of occurrences and of hits, share of hits, share of the code."""
    return np.column_stack(
        [
            (right + expected) / (times + 1),
            np.log1p(times),
            np.log1p(right),
            hits / (times + 0.5),
            (right + 0.2) / (hits + 0.4),
        ]
    )
