"""Who has what: prevalence by age and sex, comorbidity, and which conditions exclude each other."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from functools import cached_property
from math import fsum

from auscult.synth.clinical_tables import ClinicalTables, Condition
from auscult.synth.incompatible import rivals
from auscult.synth.random_draws import RandomDraws

BASE_LOG_ODDS = -4.0
"""Of a 30-day readmission for someone whose conditions weigh nothing."""
_TYPICAL = 1.36
"""What the conditions of a stay weigh together, on average."""
_CEILING = 0.85
_SICKER = 1.35
"""Intensive care sees more of everything than the admissions that prevalences are shares of."""


class Epidemiology:
    """The tables' conditions in the order in which chance decides about them."""

    def __init__(self, known: ClinicalTables, readmission_effect: float = 1.0) -> None:
        self.known = known
        self._effect = readmission_effect
        order = _causes_first(known.conditions)
        self._risks = {row.id: tuple(row.risks.items()) for row in order}
        self._share = {row.id: _SICKER * row.prevalence / _usual_risk(row, known) for row in order}
        self._by_age: dict[tuple[int, str], dict[str, float]] = {}
        self.lasting = [row for row in order if row.kind in ("chronic", "status")]
        self.sudden = [row for row in order if row.kind in ("acute", "injury")]

    @cached_property
    def rivals(self) -> dict[str, frozenset[str]]:
        """For each condition those that cannot stand beside it in one chart; see rivals.py."""
        return rivals(self.known)

    def log_odds(self, rows: Iterable[Condition], *, back: bool) -> float:
        """Of being readmitted within 30 days, with these conditions, after a readmission or not.

        With a larger effect the conditions decide more and chance less; the middle stays.
        """
        return fsum(
            [
                BASE_LOG_ODDS,
                0.35 if back else 0.0,
                -(self._effect - 1.0) * _TYPICAL,
                *(self._effect * row.readmission for row in rows),
            ]
        )

    def clashes(self, row: str, present: Iterable[str]) -> bool:
        """Whether a condition cannot stand beside those present."""
        rivals = self.rivals[row]
        return any(name == row or name in rivals for name in present)

    def draw(
        self,
        rows: Sequence[Condition],
        present: Sequence[str],
        age: int,
        sex: str,
        dice: RandomDraws,
        share: float = 1.0,
    ) -> list[str]:
        """Those of `rows` that chance adds to the conditions present."""
        have = dict.fromkeys(present)
        added = []
        for row in rows:
            likely = share * self.likelihood(row.id, have, age, sex)
            if dice.random() < likely and not self.clashes(row.id, have):
                have[row.id] = None
                added.append(row.id)
        return added

    def likelihood(self, row: str, present: Container[str], age: int, sex: str) -> float:
        """How likely a condition is at an age, for a sex, beside the conditions present."""
        likely = self.alone(age, sex)[row]
        for name, times in self._risks[row]:
            if name in present:
                likely *= times
        return min(_CEILING, likely)

    def alone(self, age: int, sex: str) -> dict[str, float]:
        """How likely each condition is at an age and for a sex, beside nothing else."""
        found = self._by_age.get((age, sex))
        if found is None:
            found = self._by_age[age, sex] = {
                row.id: self._share[row.id] * _age_factor(row, age)
                if row.sex in ("any", sex)
                else 0.0
                for row in self.known.conditions.values()
            }
        return found


def _usual_risk(row: Condition, known: ClinicalTables) -> float:
    """How many times likelier its risks make a condition on average.

    Without that factor a condition is rarer than its prevalence, so that with its risks it comes
    to it: hardly anyone is on dialysis whose kidneys work.
    """
    times = 1.0
    for name, risk in row.risks.items():
        times *= 1.0 + known.conditions[name].prevalence * (risk - 1.0)
    return times


def _age_factor(row: Condition, age: int) -> float:
    low, high = row.ages
    away = max(low - age, age - high, 0) / 9.0
    return 1.0 / (1.0 + away * away)


def _causes_first(conditions: dict[str, Condition]) -> list[Condition]:
    """The conditions so that what raises a risk comes before what it raises, cycles aside."""
    order: dict[str, Condition] = {}
    waiting: set[str] = set()

    def visit(row: Condition) -> None:
        if row.id in order or row.id in waiting:
            return
        waiting.add(row.id)
        for cause in row.risks:
            visit(conditions[cause])
        order[row.id] = row

    for row in conditions.values():
        visit(row)
    return list(order.values())
