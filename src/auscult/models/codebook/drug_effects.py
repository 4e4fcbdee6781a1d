"""Codes of the Table of Drugs, by what the drug did: harm as prescribed or not, or too little.

ICD-10-CM Official Guidelines, Section I.C.19.e.5: an adverse effect is that of a drug that was
taken as prescribed; poisoning is its use otherwise, accidental unless somebody meant it;
underdosing is taking less than was prescribed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from auscult.assertion import Scopes
from auscult.codes.alphabetic.current import alphabetic_volume
from auscult.codes.alphabetic.volume import IndexVolume
from auscult.codes.coding_edits.finding import official
from auscult.core import Span
from auscult.models.codebook.lists import word_list
from auscult.models.codebook.mention import ABSENT, Mention, of_phrase
from auscult.models.codebook.phrase_table import rows

_ADVERSE, _UNDERDOSING, _ACCIDENT, _SELF_HARM = (
    "adverse-effect",
    "underdosing",
    "accidental",
    "self-harm",
)
_DRUG = (
    r"(?:(?:his|her|the|a|an|all|of|her home|his home|oral|iv|high[- ]dose|low[- ]dose|chronic) )?"
)
_CUES = (
    (
        _ADVERSE,
        frozenset(("induced", "related", "associated")),
        re.compile(r"\b([A-Za-z]{3,})[- ](?:induced|related|associated)\b"),
    ),
    (
        _ADVERSE,
        frozenset(("due", "secondary", "2", "d", "caused", "side", "reaction", "adverse")),
        re.compile(
            r"\b(?:due to|secondary to|2/2|d/t|caused by|side effects? (?:of|from)|reaction to"
            rf"|adverse effects? of) {_DRUG}([A-Za-z]{{3,}})",
            re.IGNORECASE,
        ),
    ),
    (
        _UNDERDOSING,
        frozenset(
            (
                *("missed", "misses", "missing", "taking", "ran", "run", "skipped", "skipping"),
                *("skips", "adherent", "adherence", "compliant", "compliance", "nonadherent"),
                *("nonadherence", "noncompliant", "noncompliance", "forgets"),
            )
        ),
        re.compile(
            r"\b(?:missed|misses|missing|not taking|stopped taking|ran out of|run out of|skipp\w+"
            r"|skips|non-?(?:adheren|complian)\w+ (?:to|with)|forgets) (?:\w+ )?"
            rf"{_DRUG}([A-Za-z]{{3,}})",
            re.IGNORECASE,
        ),
    ),
    (
        _ACCIDENT,
        frozenset(
            ("overdose", "overdosed", "overdoses", "poisoning", "poisoned", "od", "ingestion")
        ),
        re.compile(
            r"\b(?:overdose[ds]?|poisoning|od|poisoned|ingestion) (?:of|on|with|from|by) "
            rf"(?:\w+ )?{_DRUG}([A-Za-z]{{3,}})"
            r"|\b([A-Za-z]{3,}) (?:overdose|poisoning)\b",
            re.IGNORECASE,
        ),
    ),
)
"""What each says of the drug beside it, the words of which a note must have one, the wording."""
_MEANT = re.compile(
    r"\b(?:suicid\w*|intentional\w*|self[- ]harm|kill (?:him|her)self)", re.IGNORECASE
)
_NOT_DRUGS = word_list("not_drugs")
_GUIDELINE = official("I.C.19.e.5")
_BESIDE = 150


def drug_effects(
    number: int, text: str, words: frozenset[str], scopes: Scopes
) -> Iterator[Mention]:
    """What drugs did, in the text of note `number`, which has these words."""
    for intent, triggers, pattern in _CUES:
        for match in pattern.finditer(text) if not words.isdisjoint(triggers) else ():
            span = Span(*match.span(match.lastindex or 1))
            said = span.of(text).lower()
            cells = {} if said in _NOT_DRUGS else _named(alphabetic_volume()).get(said, {})
            # Of "no bleeding due to warfarin" the bleeding is denied.
            effect = Span(max(0, match.start() - 2), max(1, match.start() - 1))
            if not cells or scopes.at(span) in ABSENT or scopes.at(effect) in ABSENT:
                continue
            around = text[max(0, match.start() - _BESIDE) : match.end() + _BESIDE]
            is_meant = intent == _ACCIDENT and _MEANT.search(around)
            code = cells.get(_SELF_HARM if is_meant else intent)
            if code is not None:
                yield of_phrase(number, span, f"{code}A", f"{intent} of {said}", _GUIDELINE, said)


@lru_cache(maxsize=2)
def _named(volume: IndexVolume) -> Mapping[str, Mapping[str, str]]:
    """The codes of each drug of one word, by intent."""
    found: dict[str, dict[str, str]] = {}
    for entry in volume.drugs or ():
        if entry.level == 0 and " " not in entry.title.text:
            cells = {cell.column: cell.code for cell in entry.cells if cell.code.startswith("T")}
            if cells:
                found.setdefault(entry.title.text.lower(), cells)
    for said, listed in rows("drug_names.tsv"):
        if listed in found:
            found.update((word, found[listed]) for word in said.split("|"))
    return found
