"""What the encounter itself adds to a code: healing after treatment, findings of an examination.

ICD-10-CM Official Guidelines, Section I.C.19.a and I.C.19.c.1: 7th character D is for routine care
while an injury heals, for fractures G with delayed healing, K with nonunion, P with malunion.
I.C.21.c.13: a routine examination has a code for abnormal findings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from auscult.codes.coding_edits.finding import official
from auscult.models.codebook.mention import ABSENT, Mention

_INITIAL, _SEVENTH = "A", 8
"""The 7th character of active treatment, and the length of a code that has one, with its dot."""
_HEALING = (
    ("K", re.compile(r"\bnon-?union\b", re.IGNORECASE)),
    ("P", re.compile(r"\bmal-?union\b", re.IGNORECASE)),
    ("G", re.compile(r"\bdelayed (?:healing|union)\b", re.IGNORECASE)),
    (
        "D",
        re.compile(
            r"(?<!non-)(?<!non )(?<!not )\b(?:routine healing|healing|healed|callus"
            r"|(?:weeks?|wks?|months?|mos?) (?:out|post|after|s/p)"
            r"|s/p (?:ORIF|CRPP|IM ?N|nail\w*)|status post (?:ORIF|open reduction))\b",
            re.IGNORECASE,
        ),
    ),
)
_BEFORE, _AFTER = 40, 70
_FRACTURE = re.compile(r"S\d2|M84\.[34]")
_EXAMINATIONS = {"Z00.00": "Z00.01", "Z00.129": "Z00.121", "Z01.419": "Z01.411"}
_ABNORMAL = re.compile(
    r"(?:\bwith |\bw/ ?)abnormal findings?\b|\babnormal findings?(?: as|:)", re.IGNORECASE
)
_NORMAL = re.compile(r"\b(?:without|w/o|no) (?:any )?abnormal findings?\b", re.IGNORECASE)
_ENCOUNTER, _EXAMINATION = official("I.C.19.a"), official("I.C.21.c.13")


def of_encounter(
    mentions: Sequence[Mention], texts: Sequence[str], is_code: Callable[[str], bool]
) -> list[Mention]:
    """The mentions of an encounter's notes, with the codes that the encounter calls for."""
    codes = _EXAMINATIONS if any(map(_ABNORMAL.search, texts)) else {}
    if any(map(_NORMAL.search, texts)):
        codes = {abnormal: normal for normal, abnormal in _EXAMINATIONS.items()}
    found = [_examined(one, codes) for one in mentions]
    healing: dict[str, str] = {}
    for one in found:
        seventh = _seventh(one, texts[one.note])
        if seventh and one.assertion not in ABSENT:
            healing.setdefault(one.code, f"{one.code[:-1]}{seventh}")
    return [
        replace(
            one,
            code=healing[one.code],
            why=f"{one.why}, healing → {healing[one.code]}",
            rules=(*one.rules, _ENCOUNTER),
        )
        if one.code in healing and is_code(healing[one.code])
        else one
        for one in found
    ]


def _seventh(one: Mention, text: str) -> str | None:
    """The 7th character that the words around an injury call for; None for active treatment."""
    if len(one.code) != _SEVENTH or not one.code.endswith(_INITIAL) or one.code[0] not in "SM":
        return None
    around = text[max(0, one.begin - _BEFORE) : one.spans[-1].end + _AFTER]
    for seventh, said in _HEALING:
        if said.search(around) and (seventh == "D" or _FRACTURE.match(one.code)):
            return seventh
    return None


def _examined(one: Mention, codes: Mapping[str, str]) -> Mention:
    code = codes.get(one.code)
    if code is None:
        return one
    return replace(
        one, code=code, why=f"{one.why}, by its findings → {code}",
        rules=(*one.rules, _EXAMINATION),
    )  # fmt: skip
