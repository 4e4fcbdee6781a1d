"""The answer to a question, and what makes it valid: a known verdict, a listed code, a true quote.

The quote is kept as a place in a passage and never as text, so an answer can be stored.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from auscult.core import Span
from auscult.core.span import splits_word
from auscult.models.verify.question import CodeQuestion
from auscult.models.verify.reasons import UnverifiedError, UnverifiedReason

_LONGEST = 20_000
"""Characters of an answer that are looked at."""
_THOUGHTS = re.compile(r"<think>.*?</think>", re.DOTALL)


class CandidateVerdict(StrEnum):
    """What a verifier may say of a candidate."""

    ACCEPT = "accept"
    REJECT = "reject"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class VerifierAnswer:
    """A valid answer: the verdict, the code chosen instead, and where in a passage the quote is."""

    verdict: CandidateVerdict
    other: str | None
    passage: int
    begin: int
    end: int

    def to_dict(self) -> dict[str, object]:
        """For JSON. It has offsets and no text."""
        return {
            "verdict": str(self.verdict), "other": self.other,
            "passage": self.passage, "begin": self.begin, "end": self.end,
        }  # fmt: skip

    def place(self, question: CodeQuestion) -> tuple[str, Span]:
        """The note that the quote is in, and where."""
        passage = question.passages[self.passage]
        return passage.note_id, Span(self.begin, self.end).shift(passage.begin)


def read_answer(content: str, question: CodeQuestion) -> VerifierAnswer:
    """The answer in what a language model wrote; an error says what is wrong with it."""
    found = _json_object(content)
    verdict, quote = found.get("verdict"), found.get("quote")
    if not isinstance(verdict, str) or not isinstance(quote, str):
        raise UnverifiedError(UnverifiedReason.BROKEN)
    try:
        chosen = CandidateVerdict(verdict.strip().lower())
    except ValueError:
        raise UnverifiedError(UnverifiedReason.BROKEN) from None
    other = None
    if chosen is CandidateVerdict.OTHER:
        other = _other(found.get("other"), question)
    passage, place = find_quote(quote, question)
    return VerifierAnswer(chosen, other, passage, place.begin, place.end)


def checked_answer(held: Mapping[str, Any], question: CodeQuestion) -> VerifierAnswer | None:
    """An answer that was stored, or None when it does not fit the question."""
    try:
        verdict = CandidateVerdict(held["verdict"])
        other = _other(held["other"], question) if verdict is CandidateVerdict.OTHER else None
        passage, begin, end = (held[key] for key in ("passage", "begin", "end"))
        fits = 0 <= begin < end <= len(question.passages[passage].text) and passage >= 0
    except (UnverifiedError, LookupError, TypeError, ValueError):
        return None
    return VerifierAnswer(verdict, other, passage, begin, end) if fits else None


def find_quote(quote: str, question: CodeQuestion) -> tuple[int, Span]:
    """The number of the passage that a quote is in, and its place there.

    White space counts as equal, however much. The quote has to consist of whole words: *no* is not
    a quote from *diagnosis*.
    """
    words = quote.split()
    if any(character.isalnum() for character in quote):
        pattern = re.compile(r"\s+".join(map(re.escape, words)))
        for number, passage in enumerate(question.passages):
            for match in pattern.finditer(passage.text):
                place = Span(*match.span())
                if not splits_word(place, passage.text):
                    return number, place
    raise UnverifiedError(UnverifiedReason.INVENTED)


def _other(named: object, question: CodeQuestion) -> str:
    """The listed code that is named, however it is written."""
    plain = str(named).strip().upper().replace(".", "")
    for code in question.others:
        if code.replace(".", "") == plain:
            return code
    raise UnverifiedError(UnverifiedReason.UNLISTED)


def _json_object(content: str) -> dict[str, Any]:
    """The first JSON object with a verdict: bare, in a code fence, or after some words."""
    content = _THOUGHTS.sub("", content[:_LONGEST])
    decoder = json.JSONDecoder()
    at = content.find("{")
    while at >= 0:
        try:
            found, _ = decoder.raw_decode(content, at)
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, dict) and "verdict" in found:
            return found
        at = content.find("{", at + 1)
    raise UnverifiedError(UnverifiedReason.BROKEN)
