"""What a sentence says of a condition apart from its term: the stage, the quadrant of a breast.

*Pressure ulcer of the left heel, 2 x 2 cm, stage 3*: the stage belongs to the ulcer wherever it
stands, since nothing else in the sentence has one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_STAGE = re.compile(r"\bstage ?(1|2|3[ab]?|4|5|i{1,3}|iv|v)\b", re.IGNORECASE)
_OTHERS_STAGED = re.compile(
    r"cancer|carcinoma|lymphoma|melanoma|myeloma|hypertension|fibrosis|retinopathy", re.IGNORECASE
)
"""What has stages too."""
_UNSTAGEABLE = re.compile(r"\bunstageable\b", re.IGNORECASE)
_ROMAN = {"i": "1", "ii": "2", "iii": "3", "iv": "4", "v": "5"}
_STAGED = ("L89", "N18")
"""Categories with a stage in every code."""
_BREAST = "C50.9"
_QUADRANTS = (
    ("C50.4", re.compile(r"\bupper[- ]outer\b|\bUOQ\b", re.IGNORECASE)),
    ("C50.2", re.compile(r"\bupper[- ]inner\b|\bUIQ\b", re.IGNORECASE)),
    ("C50.5", re.compile(r"\blower[- ]outer\b|\bLOQ\b", re.IGNORECASE)),
    ("C50.3", re.compile(r"\blower[- ]inner\b|\bLIQ\b", re.IGNORECASE)),
)

Refined = tuple[str, list[str]]
"""A code, and the words that led to it."""


def said_apart(
    code: str,
    sentence: str,
    beside: Callable[[str, Sequence[str]], Refined],
    is_code: Callable[[str], bool],
) -> Refined:
    """The code with the stage or the quadrant that its sentence names, if it names one alone."""
    if code.startswith(_STAGED) and not _OTHERS_STAGED.search(sentence):
        stages = {match.lower() for match in _STAGE.findall(sentence)}
        said = [_ROMAN.get(stage, stage) for stage in stages]
        if _UNSTAGEABLE.search(sentence):
            said.append("unstageable")
        return beside(code, said) if len(said) == 1 else (code, [])
    if code.startswith(_BREAST):
        named = [
            (begins, found[0]) for begins, text in _QUADRANTS if (found := text.search(sentence))
        ]
        if len(named) == 1:
            begins, words = named[0]
            exact = f"{begins}{code[len(begins) :]}"
            if is_code(exact):
                return exact, [words.lower()]
    return code, []
