"""The codes that the mentions of a chart speak for, with what speaks for and against each."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass

from auscult.assertion import Assertion
from auscult.codes.symptoms import explains, is_symptom
from auscult.core import Code
from auscult.models.codebook.mention import ABSENT, Mention
from auscult.models.codebook.sections import Section, trust
from auscult.models.codebook.translating import BOOK

_STATUS = "Z55"
_STATES = ("Z16", "Z17", "Z21", "Z22", "Z33", "Z37", "Z3A", "Z51.5")
"""What chapter 21 has of a patient's state and history; the rest is why somebody comes."""
_ONE_CODE = ("E08", "E09", "E10", "E11", "E13", "I50", "N18")
"""Categories of which one code says all."""
_SYMPTOMS = ("R", "M25.5", "M54.9", "M79.6", "H92.0", "J34.89")
_PAIN = "R52"
_PAIN_OF_A_SITE = (
    *("G43", "G89", "H57.1", "H92.0", "M25.5", "M54", "M79.6", "N64.4", "N94", "R07", "R10", "R30"),
    *("R51", "R68.84"),
)
_MANY_WORDS = 3
_NEOPLASMS = "D50"


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
    found: Sequence[Candidate], heading: Callable[[str], str | None], *, is_encounter: bool
) -> list[Candidate]:
    """The codes without those that another code of the chart makes superfluous.

    A symptom that a diagnosis explains (ICD-10-CM Official Guidelines, Section I.B.5), pain without
    a site beside pain of a site (Excludes1 at R52), and the code for what is not specified beside
    one that specifies it (I.B.18); `heading` is the heading that a code stands for. Once a note
    comes to a diagnosis in its assessment, symptoms count only if they are assessed too.

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
    settled = given if is_encounter else [c for c in given if c.startswith(_ONE_CODE)]
    kept = []
    for one in found:
        own, above = Code(BOOK, one.code), heading(one.code)
        if above and any(code != one.code and code.startswith(above) for code in settled):
            continue
        if is_concluded and one.code.startswith(_SYMPTOMS) and one.code not in concluded:
            continue
        if is_encounter and (
            any(explains(Code(BOOK, code), own) for code in given)
            or (one.code == _PAIN and any(code.startswith(_PAIN_OF_A_SITE) for code in given))
        ):
            continue
        kept.append(one)
    return kept


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
        f"words {min(best.words, _MANY_WORDS)}": 1.0,
        f"source {best.source}{alone}": 1.0,
        f"chapter {chapter_group(candidate.code)}": 1.0,
        f"common {common}": 1.0,
        f"assertion {best.assertion}": 1.0,
        f"section {best.section}": 1.0,
        "preference": 10 * (best.preference - 1),
        "mentions": math.log(len(candidate.mentions)),
        "absent share": candidate.absent / (candidate.absent + len(candidate.mentions)),
        "length": len(candidate.code.replace(".", "")) - 3.0,
        "unspecified": float("unspecified" in description.lower()),
        "place": place,
        "rule": float(bool(best.rules)),
        "gap": float(best.gap > 0),
        "synonym": float(best.synonyms > 0),
        "explained": float(is_symptom(own) and any(explains(c, own) for c in codes if c != own)),
        "sibling": float(any(c != own and c.value[:3] == own.value[:3] for c in codes)),
    }
    return {name: value for name, value in found.items() if value}


def chapter_group(code: str) -> str:
    """The first letter of a code, or a name for letters that are alike here."""
    letter = code[:1]
    if letter == "Z":
        return "Z status" if code[:3] >= _STATUS or code.startswith(_STATES) else "Z reason"
    if letter == "D":
        return "D neoplasm" if code < _NEOPLASMS else "D"
    groups = {"OP": "OP", "ST": "ST", "VWXY": "VWXY", "AB": "AB"}
    return next((name for letters, name in groups.items() if letter in letters), letter)
