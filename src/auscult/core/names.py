"""Names and ids in messages: which was meant, and whether it may be shown."""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import Enum
from itertools import takewhile
from typing import TypeVar

from auscult.core.edit_distance import edit_distance
from auscult.core.errors import OptionError

_LONGEST = 40
_LISTED = 50
"""The most names that an error lists."""
_SHORTEST_PART = 3
"""The letters of a beginning or a word of a name that say which name is meant."""

E = TypeVar("E", bound=Enum)


def shown(name: str) -> str:
    """An id or a code as a message may show it: with blanks, or long, it may be a note's text.

    >>> shown("n1"), shown("No fever."), shown("a" * 70)
    ("'n1'", 'of 9 characters', 'of 70 characters')
    """
    is_short = len(name) <= _LONGEST and not any(map(str.isspace, name))
    return repr(name) if is_short else f"of {len(name)} characters"


def guess(name: str, known: Collection[str], slips: int | None = None) -> str:
    """A question after the name that was perhaps meant, with a blank before it; or nothing.

    A name that differs in case or separators only is meant first, then one that has the given name
    as its beginning or as a word, then the one with the fewest slips of the keyboard, and of those
    the one that begins alike. With `slips`, only so many slips are guessed at.

    >>> guess("trian", ["train", "predict"]), guess("xyz", ["train"])
    (' Did you mean train?', '')
    >>> guess("lineer", ["linker", "linear"]), guess("batch", ["match", "batch_size"])
    (' Did you mean linear?', ' Did you mean batch_size?')
    """
    ranked = [(rank, at, one) for at, one in enumerate(known) if (rank := _rank(name, one, slips))]
    return f" Did you mean {min(ranked)[-1]}?" if ranked else ""


def _rank(name: str, known: str, slips: int | None) -> tuple[int, int, int] | None:
    """How near a known name is, lower is nearer; None if it is too far."""
    given, other = _plain(name), _plain(known)
    if given == other:
        return 0, 0, 0
    if slips is None and len(given) >= _SHORTEST_PART:
        words = [_plain(word) for word in re.split(r"[\W_]+", known)]
        if other.startswith(given) or given in words:
            return 1, len(other) - len(given), 0
    # In one letter, or nearly all of a short name, there is nothing to recognize.
    allowed = min(len(given) // 3 or len(given) - 1, 3) if slips is None else slips
    distance = edit_distance(given, other, allowed)
    if distance > allowed:
        return None
    pairs = zip(given, other, strict=False)  # the one may be longer
    return 2, distance, -sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()


def require_id(name: str, known: Collection[str], what: str) -> str:
    """The id, when it is known; otherwise an error that guesses only at a slip of the keyboard.

    Ids all look alike, so that listing them or guessing further helps nobody.

    >>> require_id("102736", ["102763", "198114"], "chart")
    Traceback (most recent call last):
    auscult.core.errors.OptionError: There is no chart '102736' among 2. Did you mean 102763?
    """
    if name in known:
        return name
    raise OptionError(
        f"There is no {what} {name!r} among {len(known):,}.{guess(name, known, slips=1)}"
    )


def require_known(name: str, known: Collection[str], what: str) -> str:
    """The name, when it is known; otherwise an error that lists what is, and guesses.

    >>> require_known("gould", ["gold", "second"], "annotator")
    Traceback (most recent call last):
    auscult.core.errors.OptionError: There is no annotator 'gould'. Did you mean gold? Known: \
gold, second.
    """
    if name in known:
        return name
    shown = sorted(known)
    rest = f" and {len(shown) - _LISTED} more" if len(shown) > _LISTED else ""
    listed = (
        f" Known: {', '.join(shown[:_LISTED])}{rest}." if shown else f" There is no {what} at all."
    )
    raise OptionError(f"There is no {what} {name!r}.{guess(name, known)}{listed}")


def chosen(kind: type[E], value: E | str, noun: str) -> E:
    """A member of an enumeration by its value; an error that lists the values for any other."""
    values = [str(one.value) for one in kind]
    if not isinstance(value, kind):
        require_known(str(value), values, noun)
    return kind(value)
