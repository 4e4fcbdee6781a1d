"""The assertion categories of a mentioned condition."""

from __future__ import annotations

from enum import StrEnum


class Assertion(StrEnum):
    """The assertion status of a condition. If two apply, the later one in this order wins."""

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
