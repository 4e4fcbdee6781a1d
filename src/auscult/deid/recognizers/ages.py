"""Ages over 89, which are few enough to point at someone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from auscult.deid.phi_span import PhiKind, PhiSpan
from auscult.deid.recognizers.contract import NoteView

# A number that may be an age, then what makes it one: after it, or before it.
_NUMBER = re.compile(r"[91](?<![\w/.,$-].)\d\d?(?![\d%/:°]|[.,-]\d)")
_AFTER = re.compile(
    r"""\s*-?\s*(?:y/o|y\.o|yo[fm]?\b|yrs?\b|years?|a[ñn]os?\b|(?:woman|man|male|female|gentleman
    |lady)\b)
        (?!\s*-?\s*(?:pack|pk))
        |\s?(?:[FM]|F\.|M\.)(?![\w°/])""",
    re.VERBOSE | re.IGNORECASE,
)
# What a number surely is instead: a temperature, a rate a minute, a share of the hundred.
_HOT = re.compile(r"\b(?:temperature|tmax) (?:was|is|of|to) $", re.IGNORECASE)
_FAHRENHEIT = re.compile(r" ?F\b")
_BEATING = re.compile(r"\b(?:heart rate|cardiac frequency) of $", re.IGNORECASE)
_A_MINUTE = re.compile(r"m\b")
_PERCENT = re.compile(r" (?:percent|per cent)\b")
_BEFORE = re.compile(
    r"\b(?:age[ds]?|edad|turn(?:s|ed|ing)?|almost|nearly)\s*(?:of|:|=|is|was|at)?\s*$"
    r"|\b(?:died|dies|deceased|death|passed away)(?: \w+){0,4}? at(?: age)? $",
    re.IGNORECASE,
)
_WORDED = re.compile(
    r"\bninety(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?(?:(?=[- ]?y(?:ea)?rs?\b)"
    r"|(?<=aged ninety)|(?<=age ninety)|(?<=turned ninety)|(?<=turning ninety))",
    re.IGNORECASE,
)
_BIRTHDAY = re.compile(r"(?:st|nd|rd|th)\s+birthday", re.IGNORECASE)
_LEAST, _MOST = 90, 125


class AgeRecognizer:
    """Ages of 90 and more."""

    name = "ages"

    def find(self, sight: NoteView) -> Iterator[PhiSpan]:
        """The ages over 89 of a note."""
        text = sight.text
        for match in _NUMBER.finditer(text):
            begin, end = match.span()
            if (
                _LEAST <= int(match[0]) <= _MOST
                and (
                    _AFTER.match(text, end)
                    or _BIRTHDAY.match(text, end)
                    or _BEFORE.search(text[max(0, begin - 40) : begin])
                )
                and not _is_measured(text, begin, end)
            ):
                yield PhiSpan(begin, end, PhiKind.AGE)
        if "inety" in text:
            for match in _WORDED.finditer(text):
                yield PhiSpan(*match.span(), PhiKind.AGE)


def _is_measured(text: str, begin: int, end: int) -> bool:
    """Whether the words on both sides of a number say that it is no age."""
    before = text[max(0, begin - 30) : begin]
    return bool(
        (_HOT.search(before) and _FAHRENHEIT.match(text, end))
        or (_BEATING.search(before) and _A_MINUTE.match(text, end))
        or _PERCENT.match(text, end)
    )
