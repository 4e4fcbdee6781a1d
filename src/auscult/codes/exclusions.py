"""What a source holds that a vocabulary cannot take: counted, and the first of each listed."""

from __future__ import annotations

from dataclasses import dataclass

_LISTED = 20


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A reason for leaving rows out, how many it met, and where the first of them are."""

    reason: str
    count: int
    places: tuple[str, ...]


class Exclusions:
    """Counts as it goes.

    >>> left_out = Exclusions()
    >>> left_out.add("no text", "terms.csv row 3")
    >>> left_out.list()
    [Exclusion(reason='no text', count=1, places=('terms.csv row 3',))]
    """

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._places: dict[str, list[str]] = {}

    def add(self, reason: str, place: str = "", count: int = 1) -> None:
        """One more, or `count` more, left out for a reason."""
        self._counts[reason] = self._counts.get(reason, 0) + count
        places = self._places.setdefault(reason, [])
        if place and len(places) < _LISTED:
            places.append(place)

    def list(self) -> list[Exclusion]:
        """All reasons met, in the order they first came."""
        return [
            Exclusion(reason, count, tuple(self._places[reason]))
            for reason, count in self._counts.items()
        ]
