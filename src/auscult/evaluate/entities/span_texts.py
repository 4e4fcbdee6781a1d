"""Normalization of span texts: without a leading possessive, and optionally without case."""

from __future__ import annotations

import re

_POSSESSIVE = re.compile(r"(?:my|your|his|hers?|its|our|their|whose)\s+(?=\S)", re.IGNORECASE)


def plain(text: str, *, strip_possessives: bool = True, fold_case: bool = True) -> str:
    """The text with single blanks, as the settings want it.

    >>> plain("Her  Diabetes"), plain("his"), plain("Herpes", fold_case=False)
    ('diabetes', 'his', 'Herpes')
    """
    if strip_possessives:
        text = (
            _POSSESSIVE.sub("", text.lstrip(), count=1)
            if _POSSESSIVE.match(text.lstrip())
            else text
        )
    text = " ".join(text.split())
    return text.lower() if fold_case else text
