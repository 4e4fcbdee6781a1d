"""The codes that the mentions of a chart speak for, with what speaks for and against each."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass

from auscult.assertion import Assertion
from auscult.codes.symptoms import explains, is_symptom
from auscult.core import Code
from auscult.models.codebook.chapter_groups import chapter_group
from auscult.models.codebook.lists import code_list
from auscult.models.codebook.mention import ABSENT, Mention
from auscult.models.codebook.past import history_code
from auscult.models.codebook.phrase_table import rows
from auscult.models.codebook.sections import Section, trust
from auscult.models.codebook.translating import BOOK

_ONE_CODE = code_list("one_code")
_SYMPTOMS = code_list("symptoms")
_VAGUE = code_list("vague")
_PAIN = "R52"
_MASS, _WEIGHT = "Z68", code_list("weight")
_COVERED = tuple((begins, tuple(by.split("|"))) for begins, by in rows("covered.tsv"))
"""Codes, and those that say the same more precisely in another place of the book."""
MANY_WORDS = 3
_REST = ".9"
"""How the code of a category goes on for what is not specified."""
_NEAR = 2
"""Empty places between the words of a term, beyond which its site stands apart."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A code, the mentions that say that the patient has it, and how many say otherwise."""

    code: str
    mentions: tuple[Mention, ...]
    absent: int

    @property
    def best(self) -> Mention:
        """The mention whose words fit best, of those in the sections that are trusted most."""
        return max(self.mentions, key=lambda one: (trust(one.section), one.fit, one.preference))


def candidates_of(mentions: Sequence[Mention], absent: Set[Assertion] = ABSENT) -> list[Candidate]:
    """The codes of mentions in the order in which they first come.

    `absent` is how conditions are meant that are not coded.
    """
    by_code: dict[str, list[Mention]] = {}
    for mention in mentions:
        by_code.setdefault(mention.code, []).append(mention)
    found = []
    for code, own in by_code.items():
        present = tuple(one for one in own if one.assertion not in absent)
        if present:
            found.append(Candidate(code, present, len(own) - len(present)))
    return found


def verified(
    found: Sequence[Candidate], describe: Callable[[str], str | None], *, is_encounter: bool
) -> list[Candidate]:
    """The codes without those that another code of the chart makes superfluous.

    A symptom that a diagnosis explains (ICD-10-CM Official Guidelines, Section I.B.5), and the code
    for what is not specified beside one that specifies it (I.B.18). Once a note comes to a
    diagnosis in its assessment, symptoms count only if they are assessed too.

    The body mass index is coded beside the diagnosis of the weight alone (I.B.14).

    In a text that is no note of an encounter, such as a case report, only diabetes, heart failure
    and kidney disease are settled in this way: there, annotators code all that is mentioned.
    """
    given = [one.code for one in found]
    concluded = {
        one.code
        for one in found
        if any(mention.section is Section.DIAGNOSES for mention in one.mentions)
    }
    is_concluded = any(not code.startswith(("R", "Z")) for code in concluded)
    kept = []
    for one in found:
        own = Code(BOOK, one.code)
        others = [code for code in given if code != one.code]
        if _is_contradicted(describe(one.code), [describe(code) for code in others]):
            continue
        if _is_default_beside(one.code, others, describe, is_encounter=is_encounter):
            continue
        is_assessed = one.code in concluded and one.code != _PAIN
        if is_concluded and one.code.startswith(_SYMPTOMS) and not is_assessed:
            continue
        if is_encounter and any(explains(Code(BOOK, code), own) for code in others):
            continue
        if is_encounter and (one.code.startswith(_VAGUE) or _is_told_as_history(one, given)):
            continue
        if is_encounter and one.code.startswith(_MASS) and not _has_weight(others):
            continue
        kept.append(one)
    return kept


def _is_default_beside(
    code: str, others: Sequence[str], describe: Callable[[str], str | None], *, is_encounter: bool
) -> bool:
    """Whether a code says nothing that one of the others does not say more precisely."""
    by = tuple(m for own, more in _COVERED if code.startswith(own) for m in more)
    if is_encounter and by and any(other.startswith(by) for other in others):
        return True
    if not (is_encounter or code.startswith(_ONE_CODE)) or not _is_open(describe(code)):
        return False
    return any(
        other[:3] == code[:3]
        and (not _is_open(describe(other)) or (code[3:5] == _REST and other[3:5] != _REST))
        for other in others
    )


def _is_told_as_history(one: Candidate, given: Sequence[str]) -> bool:
    """Whether a neoplasm is coded as a history too, and not assessed as one of today."""
    return (
        one.code.startswith("C")
        and history_code(one.code) in given
        and all(mention.section is Section.HISTORY for mention in one.mentions)
    )


def _has_weight(codes: Sequence[str]) -> bool:
    return any(code.startswith(_WEIGHT) for code in codes)


def _is_contradicted(description: str | None, others: Sequence[str | None]) -> bool:
    """Whether another code says that there is what a description says there is not."""
    said = (description or "").lower()
    return " without " in said and said.replace(" without ", " with ") in map(
        str.lower, filter(None, others)
    )


def _is_open(description: str | None) -> bool:
    said = (description or "").lower()
    return "unspecified" in said or "without complication" in said


def features(
    candidate: Candidate, codes: Sequence[Code], common: int, description: str, place: float
) -> dict[str, float]:
    """What a score rests on, by name.

    `codes` are all that the chart may have. `common` says how often hospitals see the code, from 1
    to 3, `place` where in the chart it is first mentioned, from 0 to 1.
    """
    best, own = candidate.best, Code(BOOK, candidate.code)
    alone = " alone" if best.words == 1 else ""
    found = {
        f"words {min(best.words, MANY_WORDS)}": 1.0,
        f"source {best.source}{alone}": 1.0,
        f"chapter {chapter_group(candidate.code)}": 1.0,
        f"common {common}": 1.0,
        f"assertion {best.assertion}": 1.0,
        f"section {best.section}": 1.0,
        "preference": 10 * (best.preference - 1),
        "mentions": math.log(len(candidate.mentions)),
        "absent share": candidate.absent / (candidate.absent + len(candidate.mentions)),
        f"length {len(candidate.code.replace('.', ''))}": 1.0,
        "unspecified": float("unspecified" in description.lower()),
        "place": place,
        "rule": float(bool(best.rules)),
        "gap": float(best.gap > 0),
        "distant site": float(best.gap > _NEAR),
        "gap and synonym": float(best.gap > 0 and best.synonyms > 0),
        "synonym": float(best.synonyms > 0),
        "explained": float(is_symptom(own) and any(explains(c, own) for c in codes if c != own)),
        "sibling": float(sum(c.value[:3] == own.value[:3] for c in codes) > 1),
    }
    return {sys.intern(name): value for name, value in found.items() if value}
