"""What a patient or the family had: history and status codes.

ICD-10-CM Official Guidelines, Section I.C.21.c.4: a personal history code says that a condition is
over and no longer treated; I.C.2.m for neoplasms, I.C.9.d.3 for strokes, I.C.9.e.4 for infarctions.
I.C.21.c.3: a status code says what a past procedure left behind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from auscult.assertion import Assertion, Scopes
from auscult.codes.coding_edits.finding import official
from auscult.codes.locate.note_words import NoteWords
from auscult.core import Span
from auscult.models.codebook.lists import code_list
from auscult.models.codebook.mention import ABSENT, Mention, of_phrase
from auscult.models.codebook.phrase_table import phrase_table, rows
from auscult.models.codebook.sections import NoteSections, Section

_LASTING = code_list("lasting")
_LEFT_BEHIND = ("Z89", "Z90", "Z93", "Z94", "Z95", "Z96", "Z97", "Z98")
"""What a past procedure left behind is there still."""
_HISTORY = official("I.C.21.c.4")
_STATUS = official("I.C.21.c.3")
_BEFORE = re.compile(
    r"(?:history of|h/o|hx of|hx|s/p|status[- ]post|prior|previous|previously|underwent|had an?"
    r"|past|after|following|post)[\s:]+(?:\w+[\s-]+){0,3}$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"[\s,(]*(?:in|since)?[\s(]*(?:(?:19|20)\d\d\b|(?:\w+ )?(?:years?|months?) ago|as a child"
    r"|in childhood|in the past)",
    re.IGNORECASE,
)
_GONE = re.compile(
    r"[^.;\n]{0,80}?\b(?:no|without) (?:evidence of )?(?:recurren\w+|(?:residual )?disease\b)"
    r"|[^.;\n]{0,80}?\bNED\b",
)
_SOLID = (*(f"C{tens}" for tens in range(8)), "D0")
"""Neoplasms of which one is free when nothing of them is found; a leukemia is in remission."""
_PASSING = code_list("passing")
_HISTORY_OF = re.compile(
    r"(?<!family )\b(?:history of|hx of|h/o|hx)[ \t:]+(?!present)(?:[\w-]+[ \t]+){0,2}$",
    re.IGNORECASE,
)
_COURSE = re.compile(
    r"\b(?:\d+|an?|two|three|four|five|several)[ -](?:hours?|days?|weeks?|months?|years?)'?[ \t]+"
    r"(?:history|hx)\b|\b(?:acute|recent)[ \t]+(?:history|hx)\b",
    re.IGNORECASE,
)
"""How long a condition of today has lasted: *a 3-day history of cellulitis*."""
_TREATED_FOR = re.compile(
    r"\b(?:\w+(?:ectomy|otomy|ostomy|plasty|desis|pexy)|amputation|amputated|[BA]KA|TAH|BSO|resection|resected"
    r"|excision|excised|removed|surgery|operated|repair|transplant|ablation|fusion|CABG|bypass|cesarean|c-section)\b"
    r"([^.;:\n]{0,40}?)\bfor\s+(?:[\w-]+\s+){0,3}$",
    re.IGNORECASE,
)
_WHEN = re.compile(
    r"\b(?:(?:19|20)\d\ds?|(?:at )?age \d+|years ago|at \d{1,2}\b|as a? ?child|in childhood)",
    re.IGNORECASE,
)
_PLANNED = re.compile(
    r"\b(?:plan\w*|schedul\w+|refer\w*|candidate|consider\w*|discuss\w*|needs?|offer\w*|recommend\w*|await\w*"
    r"|will|wants?|today|underg\w+|admitted|presents?|POD ?#?\d*|post-?op\w*)\b[^.;\n]*$",
    re.IGNORECASE,
)
_MONTHS_AFTER = re.compile(
    r"\b(?:months|years) (?:after|post|since|status post|s/p)[\s-]+"
    r"(?:(?!with\b|develop|now\b|present|complicat)[\w-]+\s+){0,5}$",
    re.IGNORECASE,
)
_AT_AGE = re.compile(r"\s*(?:at )?age\s+\d{1,2}\b", re.IGNORECASE)
_CLAUSE = re.compile(r"[^.;\n]{0,40}")
_FULFILLED = frozenset(("underwent", "after", "following", "had a", "had an", "post"))
"""Words that speak of a past procedure only with a date."""


def of_history(mention: Mention) -> Mention:
    """The mention with the code of a history, where its condition is over or a relative's.

    What a past procedure left behind, as an artificial knee, stays as it is.
    """
    if mention.assertion is Assertion.HISTORICAL and mention.code.startswith(_LEFT_BEHIND):
        return replace(
            mention, assertion=Assertion.PRESENT, rules=(*mention.rules, _STATUS),
            section=Section.NONE,
        )  # fmt: skip
    table, when = {
        Assertion.HISTORICAL: ("history.tsv", "in the past"),
        Assertion.FAMILY: ("family.tsv", "in the family"),
    }.get(mention.assertion, ("", ""))
    code = _code_of(table, mention.code) if table else None
    if code is None:
        return mention
    return replace(
        mention,
        code=code,
        assertion=Assertion.PRESENT,
        why=f"{mention.why}, {when} → {code}",
        rules=(*mention.rules, _HISTORY),
        section=Section.NONE,  # a family history is what its section is for
    )


def history_code(code: str) -> str | None:
    """The code of the history of a condition, if it has one.

    >>> history_code("C18.7"), history_code("I10")
    ('Z85.038', None)
    """
    return _code_of("history.tsv", code)


def is_gone(code: str, text: str, end: int) -> bool:
    """Whether the words after a malignant neoplasm say that nothing is left of it.

    >>> is_gone("C73", "papillary carcinoma, no evidence of disease", 19)
    True
    """
    return code.startswith(_SOLID) and _GONE.match(text, end) is not None


def is_said_past(code: str, text: str, span: Span, *, is_listed: bool = False) -> bool:
    """Whether the words around a condition say that it was there and is no more.

    It is what a procedure was for that has a date, or that a history lists (`is_listed`) and nobody
    plans; it passes and is said to be history, or to lie so many months back.

    >>> is_said_past("I96", "left BKA in 2019 for gangrene", Span(21, 29))
    True
    >>> is_said_past("B02.9", "Hx of shingles", Span(6, 14))
    True
    """
    before = text[max(0, span.begin - 80) : span.begin]
    if (
        code.startswith(_PASSING)
        and _HISTORY_OF.search(before)
        and not _COURSE.search(before[-60:])
    ):
        return True
    if code.startswith(_PASSING) and (
        _MONTHS_AFTER.search(before) or _AT_AGE.match(text, span.end)
    ):
        return True
    reason = _TREATED_FOR.search(before)
    if reason is None or _PLANNED.search(before[: reason.start(1)]):
        return False
    if is_listed:
        return True
    after = _CLAUSE.match(text, span.end)
    return bool(_WHEN.search(reason[1]) or (after is not None and _WHEN.search(after[0])))


def is_over(mention: Mention) -> bool:
    """Whether a mention is of the past and its condition is one that passes."""
    is_past = mention.assertion is Assertion.HISTORICAL
    return is_past and not mention.code.startswith(_LASTING)


def past_procedures(
    number: int, text: str, words: NoteWords, scopes: Scopes, sections: NoteSections
) -> Iterator[Mention]:
    """What past procedures left behind, in the text of note `number`, which has these words."""
    for span, code in phrase_table("procedures.tsv").find(text, words):
        assertion = scopes.at(span)
        if assertion in ABSENT:
            continue
        is_listed = sections.at(span) is Section.SURGERIES
        if assertion is Assertion.HISTORICAL or is_listed or _is_past(text, span):
            said = span.of(text).lower()
            yield of_phrase(number, span, code, f"past {said}", _STATUS, said)


def _is_past(text: str, span: Span) -> bool:
    """Whether the words around a procedure say that it is long done."""
    has_date = _AFTER.match(text, span.end) is not None
    before = _BEFORE.search(text[max(0, span.begin - 60) : span.begin])
    if before is None:
        return has_date
    return has_date or not before[0].lower().startswith(tuple(_FULFILLED))


@cache
def _code_of(name: str, code: str) -> str | None:
    """The history code of a condition: that of the longest beginning that a table has."""
    table = dict(row[:2] for row in rows(name))
    return next((table[code[:n]] for n in range(len(code), 2, -1) if code[:n] in table), None)
