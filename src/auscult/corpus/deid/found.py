"""What a recogniser finds: a range of the text, what kind of secret it is, and any doubt."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from auscult.core import Code

SYSTEM = "PHI"
"""The code system of protected health information; its codes are the kinds."""


class Kind(StrEnum):
    """What a secret is."""

    NAME = "NAME"
    DATE = "DATE"
    AGE = "AGE"
    PHONE = "PHONE"
    ID = "ID"
    EMAIL = "EMAIL"
    URL = "URL"
    LOCATION = "LOCATION"
    HOSPITAL = "HOSPITAL"

    @property
    def code(self) -> Code:
        """The kind as the code of an annotation."""
        return Code(SYSTEM, self.value)


class Part(StrEnum):
    """Which part of a name or an address it is, so that like is replaced by like."""

    GIVEN = "given"
    SURNAME = "surname"
    INITIAL = "initial"
    STREET = "street"
    TOWN = "town"
    STATE = "state"
    ZIP = "zip"
    COMPANY = "company"
    WHOLE = ""


class Found(NamedTuple):
    """A range of a text that may identify someone.

    `doubt` says why it may not, for the review; it is empty when there is none. `hide` is what
    happens to a doubtful one that nobody decides on.
    """

    begin: int
    end: int
    kind: Kind
    part: Part = Part.WHOLE
    doubt: str = ""
    hide: bool = True


def resolved(found: list[Found], first: Iterable[Found] = ()) -> list[Found]:
    """The findings in order, none overlapping another.

    Where two overlap, what is hidden goes before what is kept, what is certain before what is
    doubtful, then the longer one, then the first. A loser that sticks out is cut to what is left
    of it, so that nothing that was found shows. Those in `first`, which do not overlap each other,
    go before all.

    >>> resolved([Found(0, 4, Kind.NAME), Found(0, 9, Kind.HOSPITAL), Found(7, 12, Kind.NAME)])[1]
    Found(begin=9, end=12, kind=<Kind.NAME: 'NAME'>, part=<Part.WHOLE: ''>, doubt='', hide=True)
    """
    preferred = list(first)
    settled: list[Found] = []
    cluster: list[Found] = []
    reached = 0
    for one in sorted((*preferred, *found), key=lambda f: f.begin):
        if cluster and one.begin >= reached:
            settled += _settled(cluster, preferred)
            cluster = []
        cluster.append(one)
        reached = max(reached, one.end)
    return settled + _settled(cluster, preferred)


def _settled(cluster: list[Found], preferred: list[Found]) -> list[Found]:
    """Findings that overlap each other, in a chain at least, resolved."""
    if len(cluster) < 2:
        return cluster
    taken: list[Found] = []
    order = sorted(
        cluster,
        key=lambda f: (f not in preferred, not f.hide, bool(f.doubt), f.begin - f.end, f.begin),
    )
    for one in order:
        pieces = [(one.begin, one.end)]
        for other in taken:
            if one.begin < other.end and other.begin < one.end:
                pieces = [left for piece in pieces for left in _without(piece, other)]
        if len(pieces) == 1 and pieces[0] == (one.begin, one.end):
            taken.append(one)
        elif one.hide:
            taken += [one._replace(begin=begin, end=end) for begin, end in pieces]
    return sorted(taken)


def _without(piece: tuple[int, int], other: Found) -> list[tuple[int, int]]:
    begin, end = piece
    return [
        (first, last)
        for first, last in ((begin, min(end, other.begin)), (max(begin, other.end), end))
        if first < last
    ]
