"""Where the sentences of a note begin: at full stops, headings, list items and new lines."""

from __future__ import annotations

import re
from collections.abc import Set

# All that is looked back for comes after the sign itself: most characters are none.
_TITLES = "".join(rf"(?<!\b{title}[.!])" for title in ("vs", "Dr", "Mr", "Ms", "Mrs", "St"))
_BREAK = re.compile(rf"[;\n]|[.!?:](?=\s|$){_TITLES}(?!(?<=\b[A-Z]\.)\s[a-z])(?<!\s\?)(?<!\A\?)")
"""A full stop after a title, or after the initial of a genus (*E. coli*), ends no sentence."""
_BEGINS = re.compile(r"\s*(?:[-*#•·]|\d+[.)]\s|[A-Z]\w*[^\n:]{0,40}:)")
_WRAPPED = 55
"""Lines of at least this many characters that end without a full stop continue on the next line."""

_LISTED = 40
"""A shorter line that begins with a capital is an item of a list, whatever is before it."""


def sentence_edges(text: str, cue_ends: Set[int] = frozenset()) -> list[int]:
    """Where sentences begin, and the place after the text. A colon after a cue ends nothing.

    >>> sentence_edges("No fever. Cough.")
    [0, 9, 16, 17]
    """
    edges = [0]
    line = 0
    for match in _BREAK.finditer(text):
        if match[0] == "\n":
            length, line = match.start() - line, match.end()
            if not _is_new_line(text, match.end(), length):
                continue
        elif match[0] == ":" and (match.start() in cue_ends or match.end() in cue_ends):
            continue
        edges.append(match.end())
    return [*edges, len(text) + 1]


def _is_new_line(text: str, at: int, length: int) -> bool:
    """Whether a line that begins at a place begins something new, after one of a length."""
    if at >= len(text) or text[at] == "\n" or _BEGINS.match(text, at):
        return True
    following = text[at : at + 80].lstrip(" \t")[:1]
    end = text.find("\n", at)
    next_length = (end if end >= 0 else len(text)) - at
    is_short = length < _WRAPPED or (next_length < _LISTED and following.isupper())
    return is_short and not following.islower()
