"""How many charts each word is tried on.

Every chart costs as many predictions as there are replacements, which the paper names as the limit
of the method. With a budget, words are tried on samples of their charts, in rounds; a word whose
interval no longer overlaps any other has a settled rank and gets no more charts.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from auscult.audit.filters.contract import ReplacementFilter
from auscult.audit.trial_table import Floats, TrialTable, overall
from auscult.audit.trials import Occurrences, Trial
from auscult.core import OptionError
from auscult.core.randomness import shuffled

_FIRST = 16
_Z = 2.576
"""99%: a word gets no more charts only when its rank is hardly in doubt."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Maximum number of predictions of edited charts; whether settled words stop early."""

    readings: int | None = None
    early: bool = False

    def __post_init__(self) -> None:
        if self.readings is not None and self.readings < 1:
            raise OptionError(f"A budget must be at least 1 prediction; got {self.readings}.")


class Sampler:
    """Chooses which words to try on which charts next, from the results so far."""

    def __init__(
        self, found: Occurrences, filters: Sequence[ReplacementFilter], budget: Budget, seed: int
    ) -> None:
        self._found, self._budget = found, budget
        # What a filter will propose is not known before; five is what all of them do by default.
        self._each = sum(getattr(one, "number", 5) for one in filters)
        self._spent = 0
        self._given = dict.fromkeys(found.words, 0)
        self._order = {
            word: shuffled(sorted(charts), random.Random(f"{seed}/{word}"))
            for word, charts in found.places.items()
        }

    def next(self, table: TrialTable) -> list[tuple[str, int]]:
        """Pairs of word and chart; empty when all is done."""
        self._spent = len(table)
        left = [w for w in self._found.words if self._given[w] < len(self._order[w])]
        if self._budget.early and len(table):
            left = [word for word in left if word not in self._separated(table)]
        step = self._step(left)
        pairs = []
        for word in left:
            begin = self._given[word]
            some = self._order[word][begin : begin + step]
            self._given[word] = begin + len(some)
            pairs += [(word, chart) for chart in some]
        return pairs

    def affordable(self, trials: Sequence[Trial]) -> list[Trial]:
        """The trials of as many whole pairs as there is budget for."""
        if self._budget.readings is None or self._spent + len(trials) <= self._budget.readings:
            return list(trials)
        left = self._budget.readings - self._spent
        counts = Counter((trial.word, trial.chart) for trial in trials)
        kept = set()
        for pair, count in counts.items():
            if count <= left:
                kept.add(pair)
                left -= count
        return [trial for trial in trials if (trial.word, trial.chart) in kept]

    def _step(self, words: Sequence[str]) -> int:
        """How many charts more each of the words is tried on."""
        if not words:
            return 0
        most = max(len(self._order[word]) for word in words)
        sampled = self._budget.early or self._budget.readings is not None
        given = max(self._given[word] for word in words)
        step = max(_FIRST, given) if sampled else most
        if self._budget.readings is not None:
            affordable = (self._budget.readings - self._spent) // (self._each * len(words))
            if not affordable and not self._spent:
                raise OptionError(
                    f"A budget of {self._budget.readings} predictions is too small to try "
                    f"{len(words)} words with {self._each} replacements each. Raise the budget, or "
                    "give fewer words."
                )
            step = min(step, affordable)
        return step

    def _separated(self, table: TrialTable) -> set[str]:
        """The words whose interval overlaps that of no other."""
        level = table.note_level()
        means = overall(level)
        errors = [
            standard_error(level[:, at], len(self._order[word]))
            for at, word in enumerate(self._found.words)
        ]
        reach = _Z * np.array([np.inf if error is None else error for error in errors])
        low, high = means - reach, means + reach
        known = np.flatnonzero(~np.isnan(means))
        return {
            self._found.words[at]
            for at in known
            if all(high[at] < low[o] or low[at] > high[o] for o in known if o != at)
        }


def standard_error(changes: Floats, charts: int) -> float | None:
    """Of a mean over some of the charts, for the mean over all of them; 0 when all were tried.

    >>> round(standard_error(np.array([0.1, 0.3, np.nan]), 4), 4)
    0.0707
    """
    tried = changes[~np.isnan(changes)]
    if len(tried) == charts:
        return 0.0 if charts else None
    if len(tried) < 2:
        return None
    left_out = 1 - len(tried) / charts
    return float(tried.std(ddof=1) * np.sqrt(left_out / len(tried)))
