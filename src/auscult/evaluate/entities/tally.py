"""Sums by note, and every metric as a function of them.

All metrics of the benchmark are ratios of sums over notes, or functions of such ratios. They are
collected here and then computed together: one pass over the resamples for all of them, and one over
the shuffles for all pairs of systems.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from auscult.core import Metric
from auscult.evaluate.entities.marked_spans import Ints
from auscult.statistics import bootstrap
from auscult.statistics.bootstrap import Floats
from auscult.statistics.pairwise import holm
from auscult.statistics.significance import Comparison

Value = Callable[[Floats], Floats]
"""From sums (draws × columns of the metric) to values (draws); NaN where there is none."""

# A sum of ratios may differ in its last bit between two orders.
_EQUAL = 1e-12


@dataclass(frozen=True, slots=True, repr=False)
class _Noted:
    name: str
    definition: str
    columns: Ints
    value: Value
    n: int
    why: str


@dataclass(slots=True, repr=False)
class NoteTally:
    """Columns of sums by note, and the metrics computed from them."""

    notes: int
    _columns: list[Floats] = field(default_factory=list)
    _noted: dict[tuple[str, ...], _Noted] = field(default_factory=dict)

    def columns(self, *by_note: Floats) -> Ints:
        """Add columns, a number for each note, and return their indices."""
        self._columns.extend(by_note)
        return np.arange(len(self._columns) - len(by_note), len(self._columns))

    def note(
        self, key: tuple[str, ...], definition: str, columns: Ints, value: Value, n: int, why: str
    ) -> None:
        """Add a metric that is a function of the sums of some columns."""
        self._noted[key] = _Noted(key[-1], definition, columns, value, n, why)

    def columns_of(self, key: tuple[str, ...]) -> Ints:
        """The indices of the columns of a metric."""
        return self._noted[key].columns

    def metrics(self, *, times: int, seed: int) -> dict[tuple[str, ...], Metric]:
        """Every metric, with its interval from resampled notes."""
        table = self._table()

        def statistic(weights: Floats) -> Floats:
            sums = weights @ table
            values = [one.value(sums[:, one.columns]) for one in self._noted.values()]
            return np.stack(values, axis=1) if values else np.empty((len(weights), 0))

        values = bootstrap.point(statistic, self.notes)
        edges = bootstrap.intervals(statistic, self.notes, times=times, seed=seed)
        found = {}
        for (key, one), value, (begin, end) in zip(self._noted.items(), values, edges, strict=True):
            if np.isnan(value):
                found[key] = Metric(one.name, one.definition, n=one.n, undefined=one.why)
            else:
                interval = None if np.isnan(begin) else (float(begin), float(end))
                found[key] = Metric(one.name, one.definition, float(value), interval, one.n)
        return found

    def compare(
        self, keys: Mapping[str, Sequence[tuple[str, ...]]], *, times: int, seed: int
    ) -> dict[str, list[tuple[int, int, Comparison]]]:
        """Compare all pairs of systems, on metrics given by name with the key of each system.

        The difference has its interval from resamples in which both get the same notes. Its p-value
        is that of a paired approximate randomization test, with Holm's correction over all pairs.
        """
        if all(len(of) < 2 for of in keys.values()):
            return {name: [] for name in keys}
        table = self._table()
        total = table.sum(axis=0)
        pairs = {name: list(combinations(range(len(of)), 2)) for name, of in keys.items()}

        def values(sums: Floats, key: tuple[str, ...]) -> Floats:
            one = self._noted[key]
            return one.value(sums[:, one.columns])

        now = {n: [values(total[None], key)[0] for key in of] for n, of in keys.items()}
        has_chance = self.notes > 1 and times > 0
        drawn: dict[str, list[Floats]] = {name: [] for name in keys}
        larger = {name: np.zeros(len(pairs[name]), dtype=np.int64) for name in keys}
        if has_chance:
            for weights in bootstrap.draws(self.notes, times, seed):
                sums = weights @ table
                for name, of in keys.items():
                    each = [values(sums, key) for key in of]
                    gaps = [each[a] - each[b] for a, b in pairs[name]]
                    drawn[name].append(np.stack(gaps, axis=1))
            for swapped in bootstrap.swaps(self.notes, times, seed):
                kept = swapped @ table
                for name, of in keys.items():
                    for at, (a, b) in enumerate(pairs[name]):
                        gap = self._shuffled(kept, total, of[a], of[b])
                        # A shuffle without a value counts against a difference, never for one.
                        less = np.abs(gap) < abs(now[name][a] - now[name][b]) - _EQUAL
                        larger[name][at] += int((~less).sum())
        return {
            name: _comparisons(
                name,
                pairs[name],
                now[name],
                drawn[name],
                larger[name] if has_chance else None,
                times,
            )
            for name in keys
        }

    def _shuffled(
        self, kept: Floats, total: Floats, first: tuple[str, ...], second: tuple[str, ...]
    ) -> Floats:
        """The difference of two systems after they swapped the notes that were not kept."""
        one, other = self._noted[first], self._noted[second]
        mine, theirs = kept[:, one.columns], kept[:, other.columns]
        rest, rest_other = total[one.columns] - mine, total[other.columns] - theirs
        return one.value(mine + rest_other) - other.value(theirs + rest)

    def _table(self) -> Floats:
        if not self._columns:
            return np.zeros((self.notes, 0))
        return np.stack(self._columns, axis=1)


def ratio(sums: Floats) -> Floats:
    """The first column over the second."""
    return _over(sums[:, 0], sums[:, 1])


def precision(sums: Floats) -> Floats:
    """Right over predicted: the third column over the fourth."""
    return _over(sums[:, 2], sums[:, 3])


def f1(sums: Floats) -> Floats:
    """The harmonic mean of recall and precision; 0 where one side is empty or nothing is right."""
    found, held, right, given = sums.T
    recall, exact = _over(found, held), _over(right, given)
    both = np.nan_to_num(recall) + np.nan_to_num(exact)
    value = np.where(both > 0, 2 * np.nan_to_num(recall * exact) / np.where(both > 0, both, 1), 0.0)
    return np.where((held == 0) & (given == 0), np.nan, value)


def _over(top: Floats, bottom: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(bottom == 0, np.nan, top / bottom)


def _comparisons(
    name: str,
    pairs: Sequence[tuple[int, int]],
    now: Sequence[float],
    drawn: Sequence[Floats],
    larger: Ints | None,
    times: int,
) -> list[tuple[int, int, Comparison]]:
    gaps = np.array([now[a] - now[b] for a, b in pairs])
    edges = np.full((len(pairs), 2), np.nan)
    if drawn:
        edges = bootstrap.percentiles(np.concatenate(drawn))
    chance = None if larger is None else (larger + 1) / (times + 1)
    defined = ~np.isnan(gaps)
    corrected = np.full(len(pairs), np.nan)
    if chance is not None:
        corrected[defined] = holm(chance[defined])
    definition = f"paired approximate randomization of {times:,} shuffles of notes, two-sided, Holm"
    found = []
    for at, (a, b) in enumerate(pairs):
        first, second = (None if np.isnan(now[x]) else float(now[x]) for x in (a, b))
        gap = "first − second, paired over notes"
        if first is None or second is None:
            difference = Metric(f"{name}_difference", gap, undefined="one of the two is undefined")
        else:
            low, high = edges[at]
            interval = None if np.isnan(low) else (float(low), float(high))
            difference = Metric(f"{name}_difference", gap, first - second, interval)
        p_value = (
            Metric("p_value", definition, undefined="it needs at least two notes and one shuffle")
            if chance is None or difference.undefined
            else Metric("p_value", definition, float(corrected[at]))
        )
        found.append((a, b, Comparison(name, first, second, difference, p_value)))
    return found
