"""Sites that stand apart from what is there: *a mass of 3 cm in the lower pole of the kidney*.

Words such as *mass*, *lesion* or *tumor* have no code until it is said where they are. Their site
may follow at some distance, as the object of a preposition; nothing between may begin another
statement.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from auscult.codes.locate.bags import general_words, is_idle
from auscult.codes.locate.note_words import TextToken
from auscult.codes.lookup.words import spelled

_PREPOSITIONS = frozenset(
    (
        *("in", "of", "at", "on", "over", "within", "inside", "along", "into", "around", "to"),
        *("involving", "affecting", "occupying"),
    )
)
_OTHER_STATEMENTS = frozenset(
    (
        *("and", "or", "but", "with", "without", "no", "not", "than", "by", "for", "from", "due"),
        *("which", "that", "who", "when", "while", "after", "before", "during", ";", ":"),
        *("is", "are", "was", "were", "has", "had", "have", "showed", "shows", "revealed"),
    )
)


def has_distant_site(tokens: Sequence[int], words: Sequence[TextToken]) -> bool:
    """Whether tokens, given by their numbers, are what is there and, further on, its site."""
    if spelled(words[tokens[0]].folded) not in general_words():
        return False
    gaps = [at for at, (one, other) in enumerate(pairwise(tokens), 1) if other - one > 1]
    if not gaps:
        return False
    # The words of the site stand together.
    between = [words[at].folded for at in range(tokens[gaps[0] - 1] + 1, tokens[gaps[0]])]
    after = tokens[-1] + 1
    return (
        len(gaps) == 1
        and not _PREPOSITIONS.isdisjoint(between)
        and _OTHER_STATEMENTS.isdisjoint(between)
        and (after == len(words) or is_idle(spelled(words[after].folded))
             or not words[after].folded[0].isalnum())
    )  # fmt: skip
