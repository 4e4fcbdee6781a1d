"""Codes of chapter 15: their trimester, and what complicates a pregnancy.

ICD-10-CM Official Guidelines, Section I.C.15.a.1 (conditions of a pregnant patient are taken for
complications of the pregnancy), I.C.15.a.3 and 4 (the trimester is that of the weeks), I.C.15.b.1
(Z33.1 is for a pregnancy that nothing else is coded of).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from auscult.assertion import Assertion
from auscult.codes.coding_edits.finding import official
from auscult.codes.lookup.descent import Descent
from auscult.codes.lookup.words import stem_of
from auscult.models.codebook.mention import ABSENT, Mention
from auscult.models.codebook.past import is_over, of_history
from auscult.models.codebook.phrase_table import rows
from auscult.models.codebook.sections import Section

_WEEKS, _INCIDENTAL, _CHAPTER = "Z3A.", "Z33.1", "O"
_OUTCOME, _NORMAL, _CESAREAN = "Z37", "O80", "O82"
_TRIMESTERS = ((14, "first"), (28, "second"), (46, "third"))
_COMPLICATION, _TRIMESTER = official("I.C.15.a.1"), official("I.C.15.a.3")


def of_pregnancy(
    mentions: Sequence[Mention], descent: Descent, *, is_encounter: bool
) -> list[Mention]:
    """The mentions of a chart, those of a pregnancy with codes of chapter 15.

    Other conditions complicate it in notes of an encounter only: a case report may tell of a
    pregnancy that is long over.
    """
    present = [one for one in mentions if one.assertion not in ABSENT | {Assertion.HISTORICAL}]
    codes = [one.code for one in present]
    is_told = any(map(_tells, present))
    is_pregnant = is_told or _INCIDENTAL in codes
    if not is_pregnant:
        if not is_encounter:
            return list(mentions)
        return [one for one in map(_of_former, mentions) if not is_over(one)]
    trimester = _trimester(codes)
    # Without weeks or an outcome, a cesarean is one of the past, or that of the patient's birth.
    is_here = any(code.startswith((_WEEKS, _OUTCOME)) for code in codes)
    is_delivered = any(code.startswith((_OUTCOME, _NORMAL, _CESAREAN)) for code in codes)
    found: list[Mention] = []
    for one in mentions:
        if (is_told and one.code == _INCIDENTAL) or (one.code == _CESAREAN and not is_here):
            continue
        if one.code.startswith(_CHAPTER) and trimester is not None:
            found.append(_in_trimester(one, trimester, descent))
            continue
        heading, covers = _heading(one.code) if is_encounter and one in present else ("", False)
        if heading:
            words = ("childbirth",) if is_delivered else (trimester or "unspecified", "trimester")
            code, _ = descent.down(heading, [frozenset((stem_of(word),)) for word in words])
            found.append(
                replace(
                    one,
                    code=code,
                    why=f"{one.why}, in a pregnancy → {code}",
                    rules=(*one.rules, _COMPLICATION),
                )
            )
        if not covers:
            found.append(one)
    return found


def _tells(one: Mention) -> bool:
    """Whether a mention says that the patient is pregnant now, or gives birth.

    A former cesarean is coded like one of today, and a history lists former pregnancies.
    """
    is_of_one = one.code.startswith(_CHAPTER) and not one.code.startswith(_CESAREAN)
    return one.code.startswith(_WEEKS) or (is_of_one and one.section is not Section.HISTORY)


def _of_former(one: Mention) -> Mention:
    """What a history tells of a pregnancy, if the patient is not pregnant now, is over."""
    is_listed = one.section is Section.HISTORY and one.code.startswith(_CHAPTER)
    if not is_listed or one.assertion in ABSENT:
        return one
    return of_history(replace(one, assertion=Assertion.HISTORICAL))


def _trimester(codes: Sequence[str]) -> str | None:
    """The trimester of the weeks that are coded."""
    weeks = next((code[len(_WEEKS) :] for code in codes if code.startswith(_WEEKS)), "")
    if not weeks.isdecimal() or weeks == "00":
        return None
    return next((name for end, name in _TRIMESTERS if int(weeks) < end), None)


def _in_trimester(one: Mention, trimester: str, descent: Descent) -> Mention:
    words = [frozenset((stem_of(word),)) for word in (trimester, "trimester")]
    code, met = descent.down(one.code, words)
    # Of a code that has no trimesters, none is better than one of another condition.
    is_same = descent.added(one.code, code) <= frozenset().union(*words)
    if code == one.code or not met or not is_same:
        return one
    return replace(
        one,
        code=code,
        why=f"{one.why}, in the {trimester} trimester → {code}",
        rules=(*one.rules, _TRIMESTER),
    )


@cache
def _headings() -> tuple[tuple[tuple[str, ...], str, bool], ...]:
    return tuple(
        (tuple(begins.split("|")), heading, covers == "yes")
        for begins, heading, covers, _ in rows("obstetric.tsv")
    )


def _heading(code: str) -> tuple[str, bool]:
    """What a condition is called in a pregnancy, and whether that says all of it."""
    found = ((h, covers) for begins, h, covers in _headings() if code.startswith(begins))
    return next(found, ("", False))
