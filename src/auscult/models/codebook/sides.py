"""Which side of the body a sentence speaks of.

ICD-10-CM Official Guidelines, Section I.B.13 (laterality: what is bilateral and has no bilateral
code has one for each side) and I.C.6.a: where it is not documented
whether the dominant side is affected, the right side is taken for dominant, the left for not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from auscult.codes.locate.note_words import TextToken, is_leaving

_FARTHEST = 10
"""Tokens between a term and the side it is on."""
_LEFT, _RIGHT = ("left", "nondominant"), ("right", "dominant")
BOTH_SIDES = ("bilateral", "both")
_WORDS = {
    "left": _LEFT, "lt": _LEFT, "right": _RIGHT, "rt": _RIGHT,
    "bilateral": BOTH_SIDES, "bilaterally": BOTH_SIDES, "both": BOTH_SIDES,
}  # fmt: skip
Descended = tuple[str, list[str]]
"""A code, and the words that led down to it."""
_CAPITALS = {"L": _LEFT, "R": _RIGHT, "B": BOTH_SIDES, "OS": _LEFT, "OD": _RIGHT, "OU": BOTH_SIDES}
_FOLDED = frozenset((*_WORDS, *(capitals.lower() for capitals in _CAPITALS)))


class NamedSide(NamedTuple):
    """Number `at` of a note's tokens, where it begins, and the side that it names."""

    at: int
    begin: int
    side: tuple[str, ...]


def named_sides(tokens: Sequence[TextToken], text: str) -> list[NamedSide]:
    """The tokens of a note that name a side, in order."""
    found = []
    for at, (folded, begin, end) in enumerate(tokens):
        side = _side(tokens, at, text[begin:end]) if folded in _FOLDED else ()
        if side in (_LEFT, _RIGHT) and _is_both(tokens, at):
            side = BOTH_SIDES
        if side:
            found.append(NamedSide(at, begin, side))
    return found


def side_words(
    sides: Sequence[NamedSide], first: int, last: int, sentence: tuple[int, int]
) -> tuple[str, ...]:
    """The words of the side that stands nearest to tokens `first` to `last` in their sentence.

    `sentence` is where it begins and ends, in characters. None where both sides are named.
    """
    found: dict[tuple[str, ...], int] = {}
    for at, begin, side in sides:
        distance = max(first - at, at - last, 0)
        if distance <= _FARTHEST and sentence[0] <= begin < sentence[1]:
            found[side] = min(distance, found.get(side, distance))
    if not found:
        return ()
    nearest = min(found, key=lambda side: found[side])
    # "Left and right", "on the right, not the left": the nearest must be clearly nearer.
    others = [distance for side, distance in found.items() if side != nearest]
    return () if any(distance < found[nearest] + 3 for distance in others) else nearest


def on_sides(
    value: str,
    side: Sequence[str],
    down: Callable[[str, Sequence[str]], Descended],
    *,
    is_one_sided: bool,
) -> Iterator[Descended]:
    """The codes of a side below a code, and the words that led to each."""
    if not side:
        yield value, []
        return
    found, met = down(value, side)
    if met or side != BOTH_SIDES or is_one_sided:
        yield found, met
        return
    each = [down(value, one) for one in (_RIGHT, _LEFT)]
    # Of what has no sides there is one code.
    yield from each if all(sides for _, sides in each) else [(value, [])]


def _side(tokens: Sequence[TextToken], at: int, written: str) -> tuple[str, ...]:
    if written in _CAPITALS:
        return _CAPITALS[written]
    return () if is_leaving(tokens, at) else _WORDS.get(tokens[at].folded, ())


def _is_both(tokens: Sequence[TextToken], at: int) -> bool:
    """Whether a side is one of *right and left*."""
    return any(
        0 <= at + 2 * step < len(tokens)
        and tokens[at + step].folded in ("and", "&", "/")
        and tokens[at + 2 * step].folded in ("left", "right")
        and tokens[at + 2 * step].folded != tokens[at].folded
        for step in (-1, 1)
    )
