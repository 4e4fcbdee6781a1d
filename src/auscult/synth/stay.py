"""The values that say what happened in one stay in hospital; notes are written from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from auscult.synth.note_parts import PhraseKind
from auscult.synth.patients import Patient


class ConditionRole(StrEnum):
    """Why a condition is in the chart."""

    PRINCIPAL = "principal"
    SUDDEN = "sudden"
    LASTING = "lasting"


class Shown(StrEnum):
    """How the notes document a condition of the patient."""

    FULL = "full"
    VAGUE = "vague"
    """Never by a phrase that says exactly which: it is coded less specifically."""
    ASIDE = "aside"
    """In one kind of note only, and not in the discharge summary."""
    SILENT = "silent"
    """Not at all, though it may be billed."""


class Illness(NamedTuple):
    """A condition the patient has during a stay, and how the notes tell of it.

    `coded` is the condition whose code the notes support; `place` the kind of note that alone
    tells of a condition shown aside.
    """

    row: str
    role: ConditionRole
    shown: Shown
    coded: str
    place: str = ""


class Past(NamedTuple):
    """A past event: a resolved condition, or an earlier procedure."""

    kind: PhraseKind
    row: str
    when: date


class PerformedProcedure(NamedTuple):
    """A procedure done during the stay."""

    row: str
    when: datetime
    told: bool


class Order(NamedTuple):
    """A drug as it is ordered."""

    row: str
    order: str


class Results(NamedTuple):
    """A laboratory test's results on admission, at their worst, and before discharge."""

    first: str
    worst: str
    last: str
    off: str
    """`high`, `low`, or nothing when normal."""


class Vitals(NamedTuple):
    """Vital signs as a nurse charts them."""

    temperature: float
    pulse: int
    systolic: int
    diastolic: int
    breaths: int
    saturation: int
    oxygen: str


@dataclass(frozen=True)
class Admission:
    """One stay: from the door to discharge or death."""

    patient: Patient
    number: int
    hadm_id: int
    admitted: datetime
    discharged: datetime
    died: bool
    kind: str
    unit: str
    service: str
    illnesses: tuple[Illness, ...]
    complaints: tuple[str, ...]
    unexplained: tuple[str, ...]
    external: str | None
    deeds: tuple[PerformedProcedure, ...]
    ruled_out: tuple[str, ...]
    past: tuple[Past, ...]
    family: tuple[tuple[str, str], ...]
    home_drugs: tuple[Order, ...]
    new_drugs: tuple[Order, ...]
    stopped: tuple[str, ...]
    labs: dict[str, Results]
    vitals: Vitals
    log_odds: float
    """Of coming back within 30 days of discharge."""
    readmitted: bool = False
    explained: frozenset[str] = field(default_factory=frozenset)
    """Symptoms that a condition of the stay accounts for, told or not."""
    facts: frozenset[str] = field(default_factory=frozenset)
    """Circumstances that some sentences need: `ventilated`, `awake`, `operated`, `old`..."""

    @property
    def age(self) -> int:
        """The patient's age on admission."""
        return self.patient.age(self.admitted)

    @property
    def days(self) -> int:
        """Nights spent, at least one."""
        return max(1, (self.discharged.date() - self.admitted.date()).days)

    @property
    def principal(self) -> Illness:
        """What brought the patient in."""
        return self.illnesses[0]

    @cached_property
    def told(self) -> tuple[Illness, ...]:
        """What the discharge summary knows of."""
        return tuple(i for i in self.illnesses if i.shown in (Shown.FULL, Shown.VAGUE))

    @cached_property
    def plain(self) -> frozenset[str]:
        """Conditions that any note may name outright."""
        return frozenset(i.row for i in self.illnesses if i.shown is Shown.FULL)

    @cached_property
    def present(self) -> frozenset[str]:
        """Ids of conditions, symptoms and procedures that no note may deny."""
        rows = [i.row for i in self.illnesses] + [i.coded for i in self.illnesses]
        return frozenset([*rows, *self.complaints, *self.explained, *(d.row for d in self.deeds)])

    def day(self, number: int, hour: int = 8, minute: int = 0) -> datetime:
        """A time on the n-th day of the stay, never after discharge."""
        start = datetime.combine(self.admitted.date(), datetime.min.time())
        when = start + timedelta(days=number, hours=hour, minutes=minute)
        if when < self.admitted:
            when = self.admitted + timedelta(minutes=20 + 7 * hour + minute)
        return min(when, self.discharged)


def hadm_id(patient: int, number: int) -> int:
    """The stay's number: six digits in hospitals of up to 12,000 patients."""
    block, slot = divmod(8 * patient + number, 99_991)
    return 100_001 + 99_991 * block + slot * 48_271 % 99_991
