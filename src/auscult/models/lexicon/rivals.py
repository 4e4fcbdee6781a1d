"""What else is claimed around a candidate, and elsewhere for its code."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from auscult.models.lexicon.ragged import Ints, expand, first_of_runs

Floats = npt.NDArray[np.float64]


class Rivals:
    """The candidates of a batch, compared with each other.

    Ranges are sorted by where they begin and end; candidates by range, each code once. Ranges of
    two charts have no word in common.
    """

    def __init__(
        self, begins: Ints, ends: Ints, ranges: Ints, codes: Ints,
        charts: npt.NDArray[np.int32], precision: Floats,
    ) -> None:  # fmt: skip
        self._begins, self._ends = begins, ends
        self._ranges, self._codes, self._precision = ranges, codes, precision
        self._charts = charts
        self._longest = int((ends - begins).max(initial=1))

    def numbers(self, chosen: Ints) -> Floats:
        """For some candidates: the best precision of what lies around its range, for another code
        and for the same one; of what is the same range, of what merely overlaps; of its code
        elsewhere in the chart, and the log of how often that is.
        """
        ranges, codes = self._ranges[chosen], self._codes[chosen]
        around, across = self._overlapping
        same, elsewhere, times = self._of_its_code(chosen)
        return np.column_stack(
            [
                around.without(ranges, codes),
                same,
                self._inside.without(ranges, codes),
                across.without(ranges, codes),
                elsewhere,
                np.log1p(times),
            ]
        )

    @cached_property
    def _inside(self) -> BestTwo:
        """The best of each range itself."""
        return BestTwo.of(self._ranges, self._codes, self._precision, len(self._begins))

    @cached_property
    def _overlapping(self) -> tuple[BestTwo, BestTwo]:
        """The best of the ranges around each range, and of those that overlap it otherwise."""
        begins, ends = self._begins, self._ends
        lower = np.searchsorted(begins, begins - self._longest + 1)
        upper = np.searchsorted(begins, ends)
        one, other = expand(lower, upper - lower)
        touches = (ends[other] > begins[one]) & (one != other)
        one, other = one[touches], other[touches]
        is_around = (begins[other] <= begins[one]) & (ends[other] >= ends[one])
        return self._best_of(one[is_around], other[is_around]), self._best_of(
            one[~is_around], other[~is_around]
        )

    def _best_of(self, one: Ints, other: Ints) -> BestTwo:
        best = self._inside
        return BestTwo.of(
            np.concatenate([one, one]),
            np.concatenate([best.code[other], best.second_code[other]]),
            np.concatenate([best.first[other], best.second[other]]),
            len(self._begins),
        )

    def _of_its_code(self, chosen: Ints) -> tuple[Floats, Floats, Ints]:
        """The best precision of the same code around a candidate and apart from it, and how many
        of its code are apart from it.
        """
        begins, ends = self._begins[self._ranges], self._ends[self._ranges]
        order = np.lexsort((begins, self._codes, self._charts))
        starts = first_of_runs(self._charts[order], self._codes[order])
        sizes = np.diff(starts, append=len(order))
        group = np.empty(len(order), np.int64)
        group[order] = np.repeat(np.arange(len(starts)), sizes)
        step = int(ends.max(initial=0)) + self._longest + 1
        keys = group[order] * step + begins[order]
        base = group[chosen] * step
        lower = np.searchsorted(keys, base + np.maximum(begins[chosen] - self._longest + 1, 0))
        upper = np.searchsorted(keys, base + ends[chosen])
        one, place = expand(lower, upper - lower)
        other = order[place]
        touches = ends[other] > begins[chosen][one]
        one, other = one[touches], other[touches]
        here = np.bincount(one, minlength=len(chosen))
        at = chosen[one]
        is_around = (begins[other] <= begins[at]) & (ends[other] >= ends[at]) & (other != at)
        same = np.zeros(len(chosen))
        np.maximum.at(same, one[is_around], self._precision[other[is_around]])
        elsewhere = self._elsewhere(chosen, group, starts, sizes)
        return same, elsewhere, sizes[group[chosen]] - here

    def _elsewhere(self, chosen: Ints, group: Ints, starts: Ints, sizes: Ints) -> Floats:
        """The best precision of a candidate's code where it does not overlap it."""
        begins, ends = self._begins[self._ranges], self._ends[self._ranges]
        best_first = np.lexsort((-self._precision, group))
        place = starts[group[chosen]]
        end = place + sizes[group[chosen]]
        found = np.zeros(len(chosen))
        left = np.arange(len(chosen))
        while len(left):
            left = left[place[left] < end[left]]
            other, at = best_first[place[left]], chosen[left]
            is_apart = (ends[other] <= begins[at]) | (begins[other] >= ends[at])
            found[left[is_apart]] = self._precision[other[is_apart]]
            left = left[~is_apart]
            place[left] += 1
        return found


class BestTwo:
    """For each owner, the best of its values and the best that is of another code."""

    def __init__(self, owners: int) -> None:
        self.first, self.second = np.zeros(owners), np.zeros(owners)
        self.code = np.full(owners, -1, np.int64)
        self.second_code = np.full(owners, -1, np.int64)

    @classmethod
    def of(cls, owner: Ints, codes: Ints, values: Floats, owners: int) -> BestTwo:
        """Find them among values that belong to an owner and a code."""
        found = cls(owners)
        order = np.lexsort((-values, owner))
        owner, codes, values = owner[order], codes[order], values[order]
        at = first_of_runs(owner)
        found.first[owner[at]], found.code[owner[at]] = values[at], codes[at]
        others = np.flatnonzero(codes != found.code[owner])
        at = others[first_of_runs(owner[others])]
        found.second[owner[at]], found.second_code[owner[at]] = values[at], codes[at]
        return found

    def without(self, owner: Ints, codes: Ints) -> Floats:
        """The best value of some owners that is not of a code; 0 if there is none."""
        return np.where(self.code[owner] == codes, self.second[owner], self.first[owner])
