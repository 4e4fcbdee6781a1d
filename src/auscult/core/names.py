"""Saying which name was meant."""

from __future__ import annotations

import difflib
from collections.abc import Collection

from auscult.core.errors import OptionError


def require_known(name: str, known: Collection[str], what: str) -> str:
    """The name, when it is known; otherwise an error that lists what is, and guesses.

    >>> require_known("gould", ["gold", "second"], "annotator")
    Traceback (most recent call last):
    auscult.core.errors.OptionError: There is no annotator 'gould'. Did you mean gold? Known: \
gold, second.
    """
    if name in known:
        return name
    near = difflib.get_close_matches(name, known, n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    shown = sorted(known)
    rest = f" and {len(shown) - 20} more" if len(shown) > 20 else ""
    listed = f" Known: {', '.join(shown[:20])}{rest}." if shown else f" There is no {what} at all."
    raise OptionError(f"There is no {what} {name!r}.{hint}{listed}")
