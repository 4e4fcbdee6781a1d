"""Terms that share a word: *liver and bone metastases*, *fractures of the tibia and fibula*.

A term whose words stand too far apart to be found by itself is one if what stands between them is
another term's part of the same list: both have the shared word, and their own words are joined by
a conjunction.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from auscult.codes.locate.bags import is_idle
from auscult.codes.locate.note_words import TextToken

_JOINTS = frozenset(("and", "or", "/", "&"))
SIDES = frozenset(("left", "right", "bilateral", "both"))
_BESIDE = _JOINTS | SIDES | frozenset((",", "also", "well"))
"""What may stand in a list beside its items."""

Tokens = tuple[int, ...]


def list_item(
    tokens: Tokens, kept: Iterable[Tokens], taken: Collection[int], words: Sequence[TextToken]
) -> Tokens:
    """The tokens that are a term's own, if it shares the others with a term that was kept.

    Tokens are given by their numbers; `taken` are those of all terms that were kept. Empty where
    the term and those are not items of one list.
    """
    own = tuple(at for at in tokens if at not in taken)
    shared = frozenset(tokens).difference(own)
    if not own or not shared or any(words[at].folded in SIDES for at in shared):
        return ()  # where sides are shared, each item has one of its own
    others = (tuple(at for at in one if at not in shared) for one in kept if shared.issubset(one))
    return own if any(_is_list(own, shared, other, taken, words) for other in others) else ()


def is_joined(tokens: Tokens, words: Sequence[TextToken]) -> bool:
    """Whether nothing but one conjunction stands between tokens."""
    between = [words[at].folded for at in range(tokens[0], tokens[-1]) if at not in tokens]
    return len(between) == 1 and between[0] in _JOINTS


def _is_list(
    own: Tokens,
    shared: Collection[int],
    other: Tokens,
    taken: Collection[int],
    words: Sequence[TextToken],
) -> bool:
    """Whether two terms' own tokens stand in one list, beside those that they share."""
    if not other:
        return False
    head, tail = (own, other) if own[0] < other[0] else (other, own)
    # Both stand on one side of what they share: before it, or after it.
    if not (tail[-1] < min(shared) or head[0] > max(shared)) or head[-1] >= tail[0]:
        return False
    between = range(head[-1] + 1, tail[0])
    return any(words[at].folded in _JOINTS for at in between) and all(
        at in taken or words[at].folded in _BESIDE or is_idle(words[at].folded) for at in between
    )
