"""A span of PHI found by a recognizer: its kind, and the reason for doubt if uncertain."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from auscult.core import Code

SYSTEM = "PHI"
"""The code system of protected health information; its codes are the kinds."""


_WORD = 4


class PhiKind(StrEnum):
    """The kind of PHI."""

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


class PhiPart(StrEnum):
    """Which part of a name or an address it is, so that like is replaced by like."""

    GIVEN = "given"
    SURNAME = "surname"
    INITIAL = "initial"
    STREET = "street"
    TOWN = "town"
    STATE = "state"
    ZIP = "zip"
    COMPANY = "company"
    COUNTRY = "country"
    WHOLE = ""


class PhiSpan(NamedTuple):
    """A range of a text that may identify someone.

    `doubt` says why it may not, for the review; it is empty when there is none. `hide` is what
    happens to a doubtful one that nobody decides on.
    """

    begin: int
    end: int
    kind: PhiKind
    part: PhiPart = PhiPart.WHOLE
    doubt: str = ""
    hide: bool = True


def resolved(
    found: list[PhiSpan], first: Iterable[PhiSpan] = (), *, text: str = ""
) -> list[PhiSpan]:
    """The findings in order, none overlapping another.

    Where two overlap, what is hidden goes before what is kept, what is certain before what is
    doubtful, then the longer one, then the first. Two of a kind that are both hidden become one.
    Otherwise a loser that sticks out is cut to what is left of it, so that nothing that was found
    shows; of less than a word the winner takes hold, since half a word has no like value. Those in
    `first`, which do not overlap each other, go before all.

    >>> name, hospital = PhiSpan(7, 13, PhiKind.NAME), PhiSpan(0, 9, PhiKind.HOSPITAL)
    >>> [(one.begin, one.end, one.kind.value) for one in resolved([hospital, name])]
    [(0, 9, 'HOSPITAL'), (9, 13, 'NAME')]
    """
    preferred = list(first)
    settled: list[PhiSpan] = []
    cluster: list[PhiSpan] = []
    reached = 0
    for one in sorted((*preferred, *found), key=lambda f: f.begin):
        if cluster and one.begin >= reached:
            settled += _settled(cluster, preferred, text)
            cluster = []
        cluster.append(one)
        reached = max(reached, one.end)
    return settled + _settled(cluster, preferred, text)


def _settled(cluster: list[PhiSpan], preferred: list[PhiSpan], text: str) -> list[PhiSpan]:
    """Findings that overlap each other, in a chain at least, resolved."""
    if len(cluster) < 2:
        return cluster
    first_one = cluster[0]
    if not preferred and all(one[:3] == first_one[:3] and one.hide for one in cluster):
        return [min(cluster, key=_order)]
    taken: list[PhiSpan] = []
    others = _merged([one for one in cluster if one not in preferred])
    first = [one for one in cluster if one in preferred]
    for one in (*first, *sorted(others, key=_order)):
        pieces = [(one.begin, one.end)]
        for other in taken:
            if one.begin < other.end and other.begin < one.end:
                pieces = [left for piece in pieces for left in _without(piece, other)]
        if pieces == [(one.begin, one.end)]:
            taken.append(one)
        elif one.hide:
            for begin, end in pieces:
                _add(one._replace(begin=begin, end=end), taken, text)
    return sorted(taken)


def _order(found: PhiSpan) -> tuple[bool, bool, int, int]:
    """Hidden, certain and long ones first."""
    return not found.hide, bool(found.doubt), found.begin - found.end, found.begin


def _merged(found: list[PhiSpan]) -> list[PhiSpan]:
    """With one finding for those of a kind that are hidden and overlap, as the best of them is."""
    made = [one for one in found if not one.hide]
    for kind in dict.fromkeys(one.kind for one in found if one.hide):
        group: list[PhiSpan] = []
        reached = -1
        for one in sorted(one for one in found if one.hide and one.kind is kind):
            if one.begin >= reached:
                made += _union(group)
                group = []
            group.append(one)
            reached = max(reached, one.end)
        made += _union(group)
    return made


def _union(group: list[PhiSpan]) -> list[PhiSpan]:
    if not group:
        return []
    best = min(group, key=_order)
    return [best._replace(begin=group[0].begin, end=max(one.end for one in group))]


def _add(piece: PhiSpan, taken: list[PhiSpan], text: str) -> None:
    """Take what is left of a finding, or let the winner beside it take it in."""
    bare = _stripped(piece, text)
    if bare is None:
        return
    small = _is_less_than_a_word(bare, text)
    for at, other in enumerate(taken):
        beside = piece.begin == other.end or piece.end == other.begin
        if beside and other.hide and (small or piece.kind is other.kind):
            begin, end = min(bare.begin, other.begin), max(bare.end, other.end)
            taken[at] = other._replace(begin=begin, end=end)
            return
    taken.append(bare)


def _stripped(piece: PhiSpan, text: str) -> PhiSpan | None:
    """A piece without the blanks and marks at its ends, which hide nothing; None of only those."""
    begin, end = piece.begin, piece.end
    if not text:
        return piece
    while begin < end and not text[begin].isalnum():
        begin += 1
    while begin < end and not text[end - 1].isalnum():
        end -= 1
    return piece._replace(begin=begin, end=end) if begin < end else None


def _is_less_than_a_word(piece: PhiSpan, text: str) -> bool:
    """Whether a piece has no word of its own: the end of a word, a possessive."""
    if not text:
        return piece.end - piece.begin < _WORD
    if piece.end - piece.begin < 2:
        return True
    return (
        text[piece.begin - 1 : piece.begin].isalnum() or text[piece.end : piece.end + 1].isalnum()
    )


def _without(piece: tuple[int, int], other: PhiSpan) -> list[tuple[int, int]]:
    begin, end = piece
    return [
        (first, last)
        for first, last in ((begin, min(end, other.begin)), (max(begin, other.end), end))
        if first < last
    ]
