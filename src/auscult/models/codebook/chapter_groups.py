"""The chapters of the code book, as far as they are alike in how they are documented."""

from __future__ import annotations

from auscult.models.codebook.lists import code_list

REASON = "Z reason"
"""The codes of chapter 21 for why somebody comes."""
_STATUS = "Z55"
_STATES = code_list("states")
_NEOPLASMS = "D50"


def chapter_group(code: str) -> str:
    """The first letter of a code, or a name for letters that are alike here."""
    letter = code[:1]
    if letter == "Z":
        return "Z status" if code[:3] >= _STATUS or code.startswith(_STATES) else REASON
    if letter == "D":
        return "D neoplasm" if code < _NEOPLASMS else "D"
    groups = {"OP": "OP", "ST": "ST", "VWXY": "VWXY", "AB": "AB"}
    return next((name for letters, name in groups.items() if letter in letters), letter)
