"""Telephone, fax and pager numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from auscult.deid.phi_span import PhiKind, PhiSpan
from auscult.deid.recognizers.contract import NoteView

# Ten digits as North America writes them, or a number with its country.
_WHOLE = re.compile(
    r"""[\d(+](?<![\w.,/-].)(?:
        (?<=\()\d{3}\)[ \n.-]?\d{3}[ \n.-]\d{4}
        |(?<=\d)\d{2}(?P<s>[ .-])\d{3}[ \n.-]\d{4}
        |(?<=\d)\d{2}\n\d{3}[ .-]\d{4}
        |(?<=1)[ \n.-]\(?\d{3}\)?[ \n.-]\d{3}[ \n.-]\d{4}
        |(?<=\+)[ ]?\d{1,3}[ .-]{0,2}(?:\(?\d{1,4}\)?[ .-]?){2,5}\d{2,4}
    )(?![\w/]|[.,-]\d)(?:,?\s*(?:x|ext\.?|extension)\s*\d{1,6}\b)?""",
    re.VERBOSE,
)
# Four digits and more, once a word says what they are.
_SHORT = re.compile(r"\d(?<![^\Wx]\d)(?<![.,/]\d)[\d() .-]{2,16}\d(?![\w/%]|[.,]\d)")
_LABEL = re.compile(
    r"""(?:\b(?:phone|tel|telf|tlfno|tlfn|tlf|tfno|telephone|tel[ée]fono|m[óo]vil|fax|pager|pgr
    |beeper|cell|mobile)
            (?:\s*(?:no\.?|number|n[º°o]\.?))?\s*[.:\#]*\s*(?:is\s+|at\s+)?
        |\b(?:page|paged|pager|ext\.?|extension|call|x)\b[^\n.;:]{0,20}?\#\s*
        )$""",
    re.VERBOSE | re.IGNORECASE,
)
_REACHED = re.compile(
    r"\b(?:call(?:ed|ing)?|reached|contact|cell|home|work|phone|number)[\s:,#]+(?:at\s+)?$",
    re.IGNORECASE,
)
# An extension as a hospital writes it: x4-5567, x44551; x1000 is a thousand times.
_EXTENSION = re.compile(r"\d-\d{4}|\d{5}|\d{2}[1-9]\d|\d{3}[1-9]")
_LOCAL = re.compile(r"\d{3}-\d{4}")
_ENDINGS = (":", "#", ".", ",", "º", "°")
_LOOK_BACK, _FEWEST = 36, 4


class PhoneRecognizer:
    """Telephone numbers, by their shape or by the word before them."""

    name = "phones"

    def find(self, sight: NoteView) -> Iterator[PhiSpan]:
        """The telephone numbers of a note."""
        text = sight.text
        for match in _WHOLE.finditer(text):
            yield PhiSpan(*match.span(), PhiKind.PHONE)
        for match in _SHORT.finditer(text):
            begin, end = match.span()
            if sum(map(str.isdigit, match[0])) < _FEWEST:
                continue
            if begin and text[begin - 1] == "x":
                is_first = begin < 2 or not text[begin - 2].isalnum()
                if is_first and _EXTENSION.fullmatch(match[0]):
                    yield PhiSpan(begin, end, PhiKind.PHONE)
                continue
            while begin and text[begin - 1] in "(+":
                begin -= 1
            before = text[max(0, begin - _LOOK_BACK) : begin]
            last = before.rstrip()[-1:]
            if last not in _ENDINGS and not last.isalpha():
                continue
            if _LABEL.search(before) or (
                _LOCAL.fullmatch(match[0].strip()) and _REACHED.search(before)
            ):
                yield PhiSpan(begin, end, PhiKind.PHONE)
