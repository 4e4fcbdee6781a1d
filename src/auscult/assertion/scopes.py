"""The scope of each cue, and the assertion that results for a span.

After ConText (Harkema et al. 2009): a cue speaks of the words on one side of it, up to the end of
the sentence, a word that stops it, or the next cue of its kind.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from auscult.assertion.assertion import Assertion
from auscult.assertion.cues import (
    AFTER,
    BEFORE,
    BESIDE,
    FIRST,
    ITEM,
    NEXT,
    STOP,
    Cue,
    find,
)
from auscult.assertion.sentences import sentence_edges
from auscult.core import Span

_OR = re.compile(r"\b(?:or|nor)\b", re.IGNORECASE)
_NEXT_ITEM = re.compile(r",|\band\b")
_JOINED = re.compile(r"\b(?:and|or|nor)\b", re.IGNORECASE)
_OPENING = re.compile(r"(?:^|[,(:/-]|\b(?:and|or|but|an?))\s*$", re.IGNORECASE)
_APART = re.compile(
    r"\s*(?:$|[^\w\s]|(?:and|or|but|on|by|in|at|x|per|today|from|via)\b)", re.IGNORECASE
)
_TWO_WORDS = re.compile(r"[\w/.]+(?:[ \t]+|-)[\w/.]+[\s-]*$|[\w/.]+[\s-]*$")
_FAMILY = re.compile(
    r"^[ \t]*(?:family (?:medical )?(?:history|hx)|fam hx|fhx|fh)[ \t]*:",
    re.IGNORECASE | re.MULTILINE,
)
_NEXT = re.compile(
    r"\n[ \t]*\n|\n[ \t]*+(?!(?:mother|father|brother|sister|\w+al \w+)\b)[^\n:.]{3,40}:",
    re.IGNORECASE,
)
"""The end of the family history section: an empty line, or a heading that names no relative."""
_FARTHEST = 400
"""Maximum scope of a cue in characters, where a text has no sentence boundaries."""
_LISTED = frozenset({Assertion.HISTORICAL})
"""Assertions that apply to one item of a list, not to all that follow."""
_RIVALS = frozenset({Assertion.NEGATED, Assertion.UNCERTAIN, Assertion.HYPOTHETICAL})
"""Assertions that exclude each other: the nearer cue wins."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What a cue speaks of, and where the cue itself stands."""

    assertion: Assertion
    span: Span
    cue: Span


class Scopes:
    """The scopes of one text, and where its sentences begin, the place after its end last."""

    def __init__(self, scopes: Iterable[Scope], sentences: Sequence[int] = ()) -> None:
        self.sentences = sentences
        self._scopes = sorted(scopes, key=lambda one: (one.span.begin, one.span.end))
        self._begins = [one.span.begin for one in self._scopes]
        self._longest = max((len(one.span) for one in self._scopes), default=0)

    @classmethod
    def of(cls, text: str) -> Scopes:
        """The scopes of the cues in a text.

        >>> Scopes.of("No fever, but possible pneumonia.").at(Span(22, 31))
        <Assertion.UNCERTAIN: 'uncertain'>
        """
        cues = list(find(text))
        edges = sentence_edges(text, {cue.end for cue in cues if not _settles(cue)})
        by_sentence: dict[int, list[Cue]] = {}
        for cue in cues:
            by_sentence.setdefault(bisect_right(edges, cue.begin) - 1, []).append(cue)
        scopes: list[Scope] = []
        for at, found in by_sentence.items():
            scopes += _in_sentence(text, edges[at], edges[at + 1], found)
        return cls([*scopes, *_family_sections(text)], edges)

    def __iter__(self) -> Iterator[Scope]:
        return iter(self._scopes)

    def over(self, span: Span) -> list[Scope]:
        """The scopes that a span touches, those of cues within the span itself left out."""
        found = []
        for at in range(bisect_right(self._begins, span.end - 1) - 1, -1, -1):
            if self._begins[at] + self._longest <= span.begin:
                break
            scope = self._scopes[at]
            if scope.span.overlaps(span) and not scope.cue.overlaps(span):
                found.append(scope)
        return found

    def at(self, span: Span) -> Assertion:
        """How what stands at a span is meant."""
        over = self.over(span)
        return max((one.assertion for one in over), key=lambda one: one.rank,
                   default=Assertion.PRESENT)  # fmt: skip


def _in_sentence(text: str, begin: int, end: int, cues: Sequence[Cue]) -> Iterable[Scope]:
    stops = [one for one in cues if (None, STOP) in one.says]
    for at, cue in enumerate(cues):
        for assertion, side in cue.says:
            if assertion is None or assertion is Assertion.PRESENT or side == STOP:
                continue
            if text[cue.begin] == "?" and (side == AFTER) != _asks_ahead(text, cue):
                continue
            if side in (AFTER, NEXT, FIRST):
                if side == FIRST and not _OPENING.search(text[begin : cue.begin]):
                    continue
                last = _limit(text, cue, assertion, cues[at + 1 :], end)
                if side != AFTER and not _OR.search(text, cue.end, last):
                    last = _before_comma(text, cue.end, last)
                span = Span(cue.end, max(cue.end, min(last, cue.end + _FARTHEST)))
            else:
                first = max((one.end for one in stops if one.end <= cue.begin), default=begin)
                if side == ITEM or assertion in _LISTED:
                    first = max(first, text.rfind(",", begin, cue.begin) + 1)
                if side == BESIDE:
                    first = max(first, _beside(text, cue))
                span = Span(max(first, cue.begin - _FARTHEST), cue.begin)
            if len(span):
                yield Scope(assertion, span, Span(cue.begin, cue.end))


def _limit(text: str, cue: Cue, assertion: Assertion, later: Sequence[Cue], end: int) -> int:
    """Where what a cue says of the words after it ends."""
    last = end
    for other in later:
        gap = text[cue.end : other.begin]
        if (
            (None, STOP) in other.says
            or (assertion, STOP) in other.says
            or (
                assertion in _RIVALS
                and (len(gap.split()) > 1 or "," in gap)
                and any(
                    one in _RIVALS and one is not assertion and side == AFTER
                    for one, side in other.says
                )
            )
        ):
            last = other.begin
            break
        if assertion in _RIVALS and _settles(other):
            if "," not in gap and assertion is Assertion.UNCERTAIN and _is_sure(other):
                return cue.end
            if gap.count(",") == 1 and not _JOINED.search(gap):
                last = cue.end + gap.index(",")
                break
    last = min(last, len(text))
    if assertion in _LISTED:
        item = _NEXT_ITEM.search(text, cue.end, last)
        return item.start() if item else last
    return last


def _settles(cue: Cue) -> bool:
    """Whether a cue says that something is there."""
    return all(one is Assertion.PRESENT for one, _ in cue.says)


def _is_sure(cue: Cue) -> bool:
    return (Assertion.PRESENT, BEFORE) in cue.says


def _beside(text: str, cue: Cue) -> int:
    """Where the two words before a cue begin; the cue itself, when it belongs to what follows."""
    if text[cue.begin - 1 : cue.begin] != "-" and not _APART.match(text, cue.end):
        return cue.begin
    line = text.rfind("\n", 0, cue.begin) + 1
    found = _TWO_WORDS.search(text[max(line, cue.begin - 60) : cue.begin])
    return cue.begin if found is None else cue.begin - len(found[0])


def _before_comma(text: str, begin: int, end: int) -> int:
    comma = text.find(",", begin, end)
    return end if comma < 0 else comma


def _asks_ahead(text: str, cue: Cue) -> bool:
    """Whether a question mark asks what follows: it stands apart from the word before it."""
    return cue.begin == 0 or text[cue.begin - 1].isspace() or text[cue.begin - 1] in "(/,-"


def _family_sections(text: str) -> Iterable[Scope]:
    for heading in _FAMILY.finditer(text):
        following = _NEXT.search(text, heading.end())
        end = following.start() if following else len(text)
        if end > heading.end():
            yield Scope(Assertion.FAMILY, Span(heading.end(), end), Span(*heading.span()))
