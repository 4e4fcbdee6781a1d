"""Find entries by words, step by step down the index.

The same walk serves a person who looks a term up and a `see` reference. Every spelling of a subterm
is tried against the words that are left, in any order. Connectives may be missing on either side;
levels, and words of a long title, may be skipped where that was allowed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple, Protocol

from auscult.codes.alphabetic.titles import parse_title
from auscult.codes.alphabetic.words import FILLERS, is_connective, stems_of, title_stems


class Tree(Protocol):
    """What a walk needs of an index."""

    def printed(self, number: int) -> str:
        """The title of an entry as printed."""

    def children(self, number: int) -> Iterator[int]:
        """The entries one level below."""

    def main_terms(self, stems: Sequence[str]) -> tuple[int, ...]:
        """The main terms with exactly these stems in this order."""

    def longer_main_terms(self, stems: Sequence[str]) -> tuple[int, ...]:
        """The main terms that begin with these stems and go on."""


class Cost(NamedTuple):
    """What does not fit between the words and an entry; the less the better."""

    left: int
    """Words that no step has."""
    skipped: int
    """Steps passed, and words of steps, that no word asked for."""
    small: int
    """Connectives and *specified* on one side only, modifiers used, words in another order."""


class Reached(NamedTuple):
    """An entry, what it cost, and the words that were left."""

    cost: Cost
    number: int
    left: tuple[str, ...]


class _State(NamedTuple):
    number: int
    unread: tuple[str, ...]
    skipped: int
    small: int


def walk(
    tree: Tree, stems: Sequence[str], *, skips: int = 0, prefix: bool = False
) -> list[Reached]:
    """The entries that fit the words best, all with the same cost, in the order of the book.

    The first words name the main term. With `prefix`, the last word may be the beginning of one.
    """
    reached: list[Reached] = []
    for length in range(len(stems), 0, -1):
        for main in tree.main_terms(stems[:length]):
            left, used = _without_modifiers(tree.printed(main), tuple(stems[length:]))
            reached += _below(tree, _State(main, left, 0, used), skips, prefix)
            # A modifier may also be a subterm of its own.
            if used:
                start = _State(main, tuple(stems[length:]), 0, 0)
                reached += _below(tree, start, skips, prefix)
        if skips:
            # Fracture, femur is under Fracture, traumatic.
            for main in tree.longer_main_terms(stems[:length]):
                left, _ = _taken(tuple(stems[length:]), title_stems(tree.printed(main)))
                reached += _below(tree, _State(main, left, 1, 0), skips, prefix)
    return best_of(reached)


def best_of(reached: list[Reached]) -> list[Reached]:
    """Those of the lowest cost, each entry once."""
    if not reached:
        return []
    lowest = min(found.cost for found in reached)
    once = {found.number: found for found in reached if found.cost == lowest}
    return [once[number] for number in sorted(once)]


def _below(tree: Tree, start: _State, skips: int, prefix: bool) -> Iterator[Reached]:
    waiting = [start]
    while waiting:
        at = waiting.pop()
        yield _reached(at)
        if not at.unread:
            continue
        beginnings = {word[:_ALIKE] for word in at.unread}
        for child in tree.children(at.number):
            printed = tree.printed(child)
            # Words that are alike begin the same; most titles have nothing in common with them.
            step = _step(printed)
            shares = prefix or not beginnings.isdisjoint(step.beginnings)
            fits = _consume(printed, at.unread, prefix, skips > 0) if shares else ()
            for left, missing, small in fits:
                skipped = at.skipped + missing
                waiting.append(_State(child, left, skipped, at.small + small))
                rest, used = _without_modifiers(printed, left)
                if used:
                    waiting.append(_State(child, rest, skipped, at.small + small + used))
            if step.is_connective:
                waiting.append(_State(child, at.unread, at.skipped, at.small + 1))
            elif at.skipped < skips:
                waiting.append(_State(child, at.unread, at.skipped + 1, at.small))


class _Step(NamedTuple):
    """How the stems of a title begin, and whether it only joins."""

    beginnings: frozenset[str]
    is_connective: bool


@lru_cache(maxsize=100_000)
def _step(printed: str) -> _Step:
    stems = (stem for spelling in title_stems(printed) for stem in spelling)
    return _Step(frozenset(stem[:_ALIKE] for stem in stems), parse_title(printed).is_connective)


def _reached(at: _State) -> Reached:
    left = tuple(word for word in at.unread if not _is_small(word))
    cost = Cost(len(left), at.skipped, at.small + len(at.unread) - len(left))
    return Reached(cost, at.number, left)


def _consume(
    printed: str, words: tuple[str, ...], prefix: bool, loose: bool
) -> Iterator[tuple[tuple[str, ...], int, int]]:
    """The words left after each spelling of a title that they contain, and what that costs.

    The costs are the words of the title that were not asked for, and the small ones. Only a loose
    walk passes over any of the former, and then the first word and half of all have to be there.
    """
    for spelling in title_stems(printed):
        left = list(words)
        small = matched = missing = 0
        for place, stem in enumerate(spelling):
            if stem in left:
                # Another order is no obstacle, but the same order is better.
                small += any(not _is_small(word) for word in left[: left.index(stem)])
                left.remove(stem)
                matched += 1
            elif prefix and left and stem.startswith(left[-1]):
                left.pop()
                matched += 1
            elif _is_small(stem):
                small += 1
            elif loose and (near := _like(stem, left)):
                left.remove(near)
                matched, small = matched + 1, small + 1
            elif loose and place:
                missing += 1
            else:
                break
        else:
            if matched and missing <= matched:
                yield tuple(left), missing, small


def _taken(
    words: tuple[str, ...], spellings: tuple[tuple[str, ...], ...]
) -> tuple[tuple[str, ...], int]:
    """The words without those of any spelling, and how many."""
    known = {stem for spelling in spellings for stem in spelling if not _is_small(stem)}
    left = tuple(word for word in words if word not in known)
    return left, len(words) - len(left)


def _without_modifiers(printed: str, words: tuple[str, ...]) -> tuple[tuple[str, ...], int]:
    """The words without those that are non-essential modifiers of a title, and how many."""
    return _taken(words, tuple(map(stems_of, parse_title(printed).modifiers)))


def _like(stem: str, words: list[str]) -> str:
    """The first of the words that begins as a stem does: retina for retinal; "" for none."""
    if len(stem) < _ALIKE:
        return ""
    return next(
        (w for w in words if w[:_ALIKE] == stem[:_ALIKE] and abs(len(w) - len(stem)) < 4), ""
    )


_ALIKE = 5


def _is_small(stem: str) -> bool:
    return is_connective(stem) or stem in _small_stems()


@cache
def _small_stems() -> frozenset[str]:
    """Of "specified site" and "specified type": which one is for the reader to add."""
    words = (*FILLERS, "a", "an", "site", "type")
    return frozenset(stem for word in words for stem in stems_of(word))
