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
# A temperature, a pulse (110m), a number of people or of the hundred.
_NO_AGE_BEFORE = re.compile(
    r"\b(?:temp(?:erature)?|fever|tmax|rate|frequency|pulse|hr|fc|least|most|than|total|other|all"
    r"|these|of)\b(?: (?:of|was|is|to|up to|as high as))*[ :]+$",
    re.IGNORECASE,
)
_NEARLY = re.compile(r"\b(?:almost|nearly) $", re.IGNORECASE)
_COUNTED = re.compile(r"\s+(?:percent\b|per cent\b|[a-zA-Z]*s\b|[A-Z]{2,}\b|m[gl]|[ck]m)")
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
_YEARS = re.compile(r"\s*-?\s*(?:y/?o|y\.o|y(?:ea)?rs?)\b", re.IGNORECASE)
_LEAST, _MOST = 90, 125


class AgeRecognizer:
    """Ages of 90 and more."""

    name = "ages"

    def find(self, sight: NoteView) -> Iterator[PhiSpan]:
        """The ages over 89 of a note."""
        text = sight.text
        for match in _NUMBER.finditer(text):
            begin, end = match.span()
            told = _LEAST <= int(match[0]) <= _MOST and (
                _AFTER.match(text, end)
                or _BIRTHDAY.match(text, end)
                or _BEFORE.search(text[max(0, begin - 40) : begin])
            )
            if told and not _is_count(text, begin, end):
                yield PhiSpan(begin, end, PhiKind.AGE)
        if "inety" in text:
            for match in _WORDED.finditer(text):
                yield PhiSpan(*match.span(), PhiKind.AGE)


def _is_count(text: str, begin: int, end: int) -> bool:
    """Whether a number is a temperature, a rate, or how many there are."""
    before = text[max(0, begin - 30) : begin]
    years = _YEARS.match(text, end) is not None
    if _NEARLY.search(before):
        return not years and _COUNTED.match(text, end) is not None
    return not years and _NO_AGE_BEFORE.search(before) is not None
