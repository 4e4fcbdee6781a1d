"""Names and ids in messages: which was meant, and whether it may be shown."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from enum import Enum
from typing import TypeVar

from auscult.core.errors import OptionError

_LONGEST = 40
_LISTED = 50
"""The most names that an error lists."""

E = TypeVar("E", bound=Enum)


def shown(name: str) -> str:
    """An id or a code as a message may show it: with blanks, or long, it may be a note's text.

    >>> shown("n1"), shown("No fever."), shown("a" * 70)
    ("'n1'", 'of 9 characters', 'of 70 characters')
    """
    is_short = len(name) <= _LONGEST and not any(map(str.isspace, name))
    return repr(name) if is_short else f"of {len(name)} characters"


def guess(name: str, known: Collection[str], cutoff: float = 0.6) -> str:
    """A question after the name that was perhaps meant, with a blank before it; or nothing.

    >>> guess("trian", ["train", "predict"]), guess("xyz", ["train"])
    (' Did you mean train?', '')
    """
    near = difflib.get_close_matches(name, known, n=1, cutoff=cutoff)
    return f" Did you mean {near[0]}?" if near else ""


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
        f"There is no {what} {name!r} among {len(known):,}.{guess(name, known, cutoff=0.8)}"
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
