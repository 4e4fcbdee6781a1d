"""Folded text cut into words and symbols.

A word is a run of letters and digits; every other character that is not blank is a symbol by
itself. A hyphen inside a word counts as a blank, so that `follow-up` and `follow up` are the same
two words. A blank line is a token too, which no term has: terms do not reach across it.
"""

from __future__ import annotations

import re

TOKEN = re.compile(
    r"""
    [^\W_]+                          # a word
    | -(?![^\W_]) | (?<![^\W_])-     # a hyphen that joins no words
    | [^\w\s-] | _                   # a symbol
    | \n\s*\n                        # a blank line
    """,
    re.VERBOSE,
)


def tokenize(folded: str) -> list[str]:
    """The tokens of a folded text.

    >>> tokenize("follow-up: hiv- (cd4+), 3.5mg")
    ['follow', 'up', ':', 'hiv', '-', '(', 'cd4', '+', ')', ',', '3', '.', '5mg']
    """
    return TOKEN.findall(folded)
