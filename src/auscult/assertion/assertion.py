"""The ways in which a note can mean a condition that it names."""

from __future__ import annotations

from enum import StrEnum


class Assertion(StrEnum):
    """What a note says of a condition. The later one of two that apply is taken."""

    PRESENT = "present"
    HISTORICAL = "historical"
    UNCERTAIN = "uncertain"
    HYPOTHETICAL = "hypothetical"
    FAMILY = "family"
    NEGATED = "negated"

    @property
    def rank(self) -> int:
        """The place in the order in which one goes before another."""
        return _RANKS[self]


_RANKS = {assertion: rank for rank, assertion in enumerate(Assertion)}
