"""Whether the words of a note document a code, or only remind of it.

The index has names for what is done at an encounter (*Examination, eye*) and for single things that
may cause an injury (*Noise*). In a note such words mostly mean something else.
"""

from __future__ import annotations

import re

from auscult.codes.locate.locator import LocatedTerm
from auscult.codes.lookup.terms import TermSource
from auscult.models.codebook.chapter_groups import REASON, chapter_group

_COMING = re.compile(
    r"\b(?:visit|encounter|here|presents?|presented|comes?|came|seen|admitted|admission|scheduled"
    r"|referred|reason) (?:in |to \w+ )?for\b[^.;\n]*$",
    re.IGNORECASE,
)
_BEFORE = 60
_LEFT_BEHIND = ("Z89", "Z90", "Z93", "Z94", "Z95", "Z96", "Z97", "Z98")
"""What a procedure leaves behind, which it has not while it is done."""
_DOING = re.compile(
    r"\b(?:perform\w*|placement of|placed|insert\w*|creation of|creating|decided|proposed|requir\w+"
    r"|scheduled for|candidate for|technique|surgical treatment)\b[^.;\n]*$",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"[^.;\n]{0,25}\b(?:performed|placed|carried out|inserted|created|placement|insertion)\b",
    re.IGNORECASE,
)
_NO_CONDITION = ("Z03", "Z04", "Z08", "Z09", "Z30")
"""Whatever they are called: what was ruled out, what is followed up, contraception."""


_NEEDED = {
    "A35": re.compile(r"trismus|spasm|lockjaw", re.IGNORECASE),
    "J12.82": re.compile(r"covid|corona|sars", re.IGNORECASE),
    "Q79.8": re.compile(r"congenital|anomal|born", re.IGNORECASE),
}
"""What must stand near the words of a code that mean something else without it."""
_ELSEWHERE = {
    "B20": re.compile(
        r"\b(?:neg(?:ative)?|non-?reactive|NR|test\w*|screen\w*|PrEP)\b", re.IGNORECASE
    ),
    "I95": re.compile(r"\b25[ -]?(?:OH|hydroxy)|\bvit(?:amin)? D\b", re.IGNORECASE),
    "J11": re.compile(
        r"\b(?:shots?|vaccin\w*|vax|immuniz\w*|imm|booster|due for|season|UTD)\b", re.IGNORECASE
    ),
    "R63": re.compile(
        r"\b(?:goals?|advi[cs]\w*|encourag\w*|counsel\w*|recommend\w*|program|discuss\w*|target|exercise)\b",
        re.IGNORECASE,
    ),
    "Z33": re.compile(
        r"\bpregnan\w+ (?:contacts?|wom[ae]n|people|persons?|daughter|wife|partner|friend)"
        r"|\b(?:avoid|his|if) \w* ?pregnan",
        re.IGNORECASE,
    ),
    **dict.fromkeys(
        ("T20", "T21", "T22", "T23", "T24", "T25", "T26", "T30"), re.compile(r"\bburning\b")
    ),
    "I09": re.compile(r"\bRHD (?:male|female|man|woman|m|f|gentleman|lady)\b|hand", re.IGNORECASE),
    "R59": re.compile(r"\b(?:stents?|PCI|DES|CAD|coronary|occlusion|stenosis|ostial|LIMA)\b"),
    "K21": re.compile(r"\b(?:venous|vein|saphenous|[GS]SV|ureter\w*|vesico\w*|hepato\w*)\b"),
}
"""What near the words of a code says that they are of another thing."""


def is_documented(one: LocatedTerm, text: str, begin: int, end: int) -> bool:
    """Whether the words of a term, which stand between two characters, mean it."""
    if one.meaning is not None:
        return True
    best = one.terms[0]
    near = text[max(0, begin - _BEFORE) : end + _BEFORE]
    line = _line(text, begin, end)
    if (needed := _NEEDED.get(best.code)) is not None and not needed.search(near):
        return False
    if (other := _ELSEWHERE.get(best.code[:3])) is not None and other.search(line):
        return False
    if best.source is TermSource.EXTERNAL_CAUSE:
        return len(one.tokens) > 1
    if best.code.startswith(_LEFT_BEHIND) and _is_done_now(text, begin, end):
        return False
    is_reason = best.source is TermSource.INDEX and chapter_group(best.code) == REASON
    if is_reason or best.code.startswith(_NO_CONDITION):
        return _COMING.search(text, max(0, begin - _BEFORE), begin) is not None
    return not (best.source is TermSource.CLINICIANS and one.gap and one.cost)


def _line(text: str, begin: int, end: int) -> str:
    """The words near two characters, up to the ends of their item: a comma, a stop, a line."""
    before = re.split(r"[,;.\n]", text[max(0, begin - _BEFORE) : begin])[-1]
    return before + text[begin:end] + re.split(r"[,;.\n]", text[end : end + _BEFORE])[0]


def _is_done_now(text: str, begin: int, end: int) -> bool:
    """Whether the words around a procedure say that it is done, and not that it once was."""
    return bool(_DOING.search(text, max(0, begin - _BEFORE), begin) or _DONE.match(text, end))
