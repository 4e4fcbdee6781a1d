"""E-mail addresses, web addresses and addresses of computers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from auscult.deid.phi_span import PhiKind, PhiSpan
from auscult.deid.recognizers.contract import NoteView

_EMAIL = re.compile(r"[^\W_][\w.+%-]*@[\w-]+(?:\.[\w-]+)+")
_URL = re.compile(
    r"(?:https?://|ftp://|www\.)[^\s<>\"')\]]*[^\s<>\"')\].,;:!?]"
    r"|\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|org|net|edu|gov|io)\b(?:/[^\s<>\"')\]]*)?",
    re.IGNORECASE,
)
_IP = re.compile(r"\d(?<![\w.]\d)\d{0,2}(?:\.\d{1,3}){3}(?!\w|\.\w)")


class ContactRecognizer:
    """Addresses of the internet."""

    name = "contacts"

    def find(self, sight: NoteView) -> Iterator[PhiSpan]:
        """The addresses of the internet in a note."""
        text = sight.text
        if "@" in text:
            for match in _EMAIL.finditer(text):
                yield PhiSpan(*match.span(), PhiKind.EMAIL)
        if "://" in text or "www." in text or _may_have_domain(text):
            for match in _URL.finditer(text):
                yield PhiSpan(*match.span(), PhiKind.URL)
        for match in _IP.finditer(text):
            if all(int(part) < 256 for part in match[0].split(".")):
                yield PhiSpan(*match.span(), PhiKind.URL)


def _may_have_domain(text: str) -> bool:
    return any(ending in text for ending in (".com", ".org", ".net", ".edu", ".gov", ".io"))
