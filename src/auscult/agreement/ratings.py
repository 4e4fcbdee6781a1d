"""The code sets that several annotators assigned to the same units, as arrays.

An annotator gives each unit a set of codes, which may be empty, or has not seen the unit at all.
Equal sets are numbered once, so that every coefficient is arithmetic on a table of units ×
annotators.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from auscult.core import OptionError

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
MISSING = -1


@dataclass(frozen=True, slots=True, eq=False)
class CodeSets:
    """The distinct code sets, as sets × codes with a 1 for each member.

    `alike` keeps how alike they are, by distance, once that was worked out: all pairs of annotators
    and all resamples of a study have the same sets.
    """

    members: csr_array = field(repr=False)
    alike: dict[str, csr_array] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, distinct: Sequence[Sequence[int]], codes: int) -> CodeSets:
        """Sets of codes by place."""
        lengths = [len(given) for given in distinct]
        inside = np.array([code for given in distinct for code in given], dtype=np.int64)
        edges = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
        return cls(csr_array((np.ones(len(inside)), inside, edges), shape=(len(distinct), codes)))

    @property
    def sizes(self) -> Ints:
        """How many codes each set has."""
        sizes: Ints = np.diff(self.members.indptr).astype(np.int64)
        return sizes


@dataclass(frozen=True, slots=True)
class Ratings:
    """The code sets that annotators assigned to units.

    `sets` (units × annotators) names one of the `distinct` sets, or is `MISSING` where the
    annotator has not seen the unit. `chart` is the chart of each unit, of `charts` in all, and
    `copies` how many units a row stands for.

    >>> ratings = Ratings.of([("A", "A"), ("AB", "B"), ("", None)])
    >>> ratings.sets.shape, len(ratings.codes), int(ratings.seen.sum())
    ((3, 2), 2, 5)
    """

    annotators: tuple[str, ...]
    codes: tuple[Any, ...] = field(repr=False)
    sets: Ints = field(repr=False)
    distinct: CodeSets = field(repr=False)
    chart: Ints = field(repr=False)
    charts: int
    copies: Ints = field(repr=False)

    @classmethod
    def of(
        cls,
        units: Sequence[Sequence[Collection[Hashable] | None]],
        annotators: Sequence[str] | None = None,
        charts: Sequence[int] | None = None,
    ) -> Ratings:
        """Ratings from plain rows: for each unit the set of each annotator, None where it is
        missing.

        Each unit is a chart of its own unless `charts` says of which it is.
        """
        number = len(units[0]) if units else len(annotators or ())
        if any(len(row) != number for row in units):
            raise OptionError(
                f"Each unit needs one set for each of the {number} annotators, or None."
            )
        found = {frozenset(given) for row in units for given in row if given is not None}
        codes = sorted({code for given in found for code in given}, key=repr)
        place = {code: at for at, code in enumerate(codes)}
        distinct = sorted(tuple(sorted(place[c] for c in given)) for given in found)
        numbers = {given: at for at, given in enumerate(distinct)}
        table = [
            [
                MISSING if given is None else numbers[tuple(sorted(place[c] for c in set(given)))]
                for given in row
            ]
            for row in units
        ]
        chart = np.arange(len(units)) if charts is None else np.asarray(charts)
        return cls(
            tuple(annotators)
            if annotators
            else tuple(f"annotator {at + 1}" for at in range(number)),
            tuple(codes),
            np.array(table, dtype=np.int64).reshape(len(units), number),
            CodeSets.of(distinct, len(codes)),
            chart.astype(np.int64),
            int(chart.max(initial=-1)) + 1,
            np.ones(len(units), dtype=np.int64),
        )

    @property
    def seen(self) -> Bools:
        """Which units each annotator has seen."""
        seen: Bools = self.sets != MISSING
        return seen

    @property
    def members(self) -> csr_array:
        """The distinct sets as sets × codes."""
        return self.distinct.members

    @property
    def sizes(self) -> Ints:
        """How many codes each distinct set has."""
        return self.distinct.sizes

    @property
    def units(self) -> int:
        """How many units there are."""
        return int(self.copies.sum())

    def pairs(self) -> list[tuple[int, int]]:
        """The pairs of annotators, by place."""
        return list(combinations(range(len(self.annotators)), 2))

    def pair(self, one: int, other: int) -> Ratings:
        """The units that both of two annotators have seen."""
        sets = self.sets[:, [one, other]]
        return replace(
            self, annotators=(self.annotators[one], self.annotators[other]), sets=sets
        ).shared()

    def shared(self) -> Ratings:
        """The units that at least two annotators have seen: no others can agree or disagree."""
        kept = self._rows(self.seen.sum(axis=1) > 1)
        charts, chart = np.unique(kept.chart, return_inverse=True)
        return replace(kept, chart=chart.astype(np.int64), charts=len(charts))

    def annotated(self) -> Ratings:
        """The units that somebody gave a code."""
        number = np.where(self.seen, self.sizes[self.sets], 0).sum(axis=1)
        return self._rows(np.asarray(number > 0))

    def by_chart(self, values: Floats) -> Floats:
        """The sum over the units of each chart."""
        weights = values * self.copies
        return np.bincount(self.chart, weights, self.charts).astype(np.float64)

    def sets_by_chart(self, annotator: int | None = None) -> csr_array:
        """How often each set was given in each chart (charts × sets), by all annotators or one."""
        columns = range(len(self.annotators)) if annotator is None else [annotator]
        rows, places, numbers = [], [], []
        for column in columns:
            there = self.seen[:, column]
            rows.append(self.chart[there])
            places.append(self.sets[there, column])
            numbers.append(self.copies[there].astype(np.float64))
        shape = (self.charts, self.members.shape[0])
        triple = (np.concatenate(numbers), (np.concatenate(rows), np.concatenate(places)))
        return csr_array(triple, shape=shape)

    def _rows(self, which: Bools) -> Ratings:
        return replace(
            self, sets=self.sets[which], chart=self.chart[which], copies=self.copies[which]
        )
