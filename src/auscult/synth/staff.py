"""The simulated authors of the notes, each with their own writing habits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from auscult.synth import names
from auscult.synth.random_draws import RandomDraws

_SIZES = {"MD": 36, "radiology": 12, "cardiology": 10, "RN": 40, "RD": 6, "RT": 8, "PT": 8}


@dataclass(frozen=True, slots=True)
class Author:
    """Someone who writes notes, and how: every habit here shows in every note of theirs."""

    cgid: int
    first: str
    last: str
    title: str
    abbreviates: float
    """How readily a short form is used where there is one."""
    typos: float
    """Typing errors per word."""
    terse: float
    """How readily a telegraphic sentence is used instead of a full one."""
    rewords: float
    """How readily a phrase is written in words of the author's own; see wording.py."""
    lower: bool
    """Whether abbreviations are typed in lower case."""
    shouts: bool
    """Whether diagnoses are typed in capitals."""
    bullet: str
    """What stands before each problem or item: `1.`, `#`, `-` or nothing (run on)."""
    copies: float
    """How readily earlier text is copied forward instead of written anew."""
    patient: str
    """What the patient is called: `Mr. N`, `pt`, `Patient`, `he`."""
    width: int
    """The length of a line, 0 when lines are not broken."""
    dates: str
    """How a date is written: `numeric`, `us`, `words`."""


def _author(seed: int, role: str, number: int) -> Author:
    dice = RandomDraws(f"{seed}/staff/{role}/{number}")
    nurse = role in ("RN", "RT")
    woman = dice.chance(0.85 if nurse else 0.45)
    return Author(
        cgid=14_000 + 100 * list(_SIZES).index(role) + number,
        first=dice.pick(names.WOMEN if woman else names.MEN),
        last=dice.pick(names.SURNAMES),
        title={"radiology": "MD", "cardiology": "MD"}.get(role, role),
        abbreviates=dice.real(0.45, 0.9) if nurse else dice.real(0.1, 0.75),
        typos=dice.real(0.0, 0.02) if nurse else dice.random() * dice.random() * 0.026,
        terse=dice.real(0.5, 1.0) if nurse else dice.random(),
        rewords=dice.real(0.3, 0.95),
        lower=dice.chance(0.5 if nurse else 0.12),
        shouts=dice.chance(0.12),
        bullet=dice.weighted(("1.", "#", "-", "*", "1)", ""), (30, 28, 20, 6, 8, 8)),
        copies=dice.real(0.15, 0.95),
        patient=dice.pick(("name", "pt", "Patient", "pronoun", "Pt", "name")),
        width=dice.weighted((72, 78, 0), (0.35, 0.5, 0.15)),
        dates=dice.weighted(("numeric", "us", "words"), (0.6, 0.3, 0.1)),
    )


class Staff:
    """Everyone who works in the hospital of one seed; the same people however large it is."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    @cached_property
    def _by_role(self) -> dict[str, tuple[Author, ...]]:
        return {
            role: tuple(_author(self._seed, role, number) for number in range(size))
            for role, size in _SIZES.items()
        }

    def on_duty(self, role: str, dice: RandomDraws) -> Author:
        """Someone of a role."""
        return dice.pick(self._by_role[role])
