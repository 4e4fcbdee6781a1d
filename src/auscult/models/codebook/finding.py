"""From the text of a note to its mentions: locate terms, and follow each to its code.

As a coder does: the lead term and its subterms are looked up in the index (`codes.locate`), then
the words beside them lead down the Tabular List until nothing more specific is documented.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from itertools import pairwise

from auscult.assertion import Assertion, Scopes
from auscult.codes.locate.bags import is_idle
from auscult.codes.locate.locator import LocatedTerm, TermLocator
from auscult.codes.locate.note_words import NoteWords, TextToken
from auscult.codes.lookup.descent import Descent
from auscult.codes.lookup.words import spelled, stem_of
from auscult.core import Span
from auscult.core.span import extent
from auscult.models.codebook.apart import said_apart
from auscult.models.codebook.documented import is_documented
from auscult.models.codebook.drug_effects import drug_effects
from auscult.models.codebook.lists import code_list, word_list
from auscult.models.codebook.mention import Mention
from auscult.models.codebook.past import is_gone, is_said_past, of_history, past_procedures
from auscult.models.codebook.present_state import is_new_drug, present_state
from auscult.models.codebook.sections import UNCODED, NoteSections, Section
from auscult.models.codebook.sides import BOTH_SIDES, NamedSide, named_sides, on_sides, side_words

SHORT_FORM = "short form"
_SHORT_FORM_PREFERENCE = 1.1
_AROUND = 3
"""Tokens on each side of a term whose words may make its code more specific."""
_SHARE = 0.45
"""The part of what a more specific code says that the words beside a term have to say."""
_COURSES = word_list("courses")
_LONG_TERM = "Z79"
_THINGS = word_list("things")
_PAST = frozenset(("prior", "previous", "past", "history", "hx"))
_NICOTINE, _CIGARETTES, _SMOKED_ONCE = "F17.200", "F17.210", "Z87.891"
_FORMER = re.compile(r"\b(?:ex|former|past|previous)[\s-]*\Z", re.IGNORECASE)
_SMOKED = re.compile(r"\b(?:cigarettes?|cigs?|ppd|packs?|pack-years?)\b", re.IGNORECASE)
_BESIDE = 50
_DENIALS = frozenset(("no", "not", "without", "denies", "denied", "negative", "non", "neg"))
_SIDE_STEMS = frozenset(map(stem_of, ("left", "right", "bilateral", "dominant", "nondominant")))
_REACTIONS = code_list("reactions")
_ALLERGIC = re.compile(
    r"\ballerg(?:y|ies|ic)\b(?: (?:to|with))?[ \t:]*(?:[\w/-]+[ \t]*){0,3}"
    r"(?:[-:,(=]+|caus\w+|gets?|got|gives?)"
    r"[ \t]*(?:(?:got|gets|caused|causes|with|and|[\w]+,?)[ \t]+){0,4}$",
    re.IGNORECASE,
)
_WITH = frozenset(("with", "w", "/"))
_BETWEEN = re.compile(r"[\w\s'-]*")


class MentionFinder:
    """Finds the mentions of codes in notes."""

    def __init__(self, locator: TermLocator, descent: Descent) -> None:
        self._locator = locator
        self._descent = descent

    def find(self, number: int, text: str) -> Iterator[Mention]:
        """The mentions in the text of note `number`, in order."""
        scopes = Scopes.of(text)
        edges = scopes.sentences
        words, located = self._locator.locate(text, edges)
        taken = {token for one in located for token in one.tokens}
        sections = NoteSections.of(text)
        sides = named_sides(words.tokens, text)
        for one in located:
            spans = _spans(one.tokens, words.tokens, text)
            section = sections.at(spans[0])
            if section in UNCODED or sections.is_heading(extent(spans)):
                continue
            if _is_of_something_else(one.tokens, words.tokens) or _has_denial(
                one.tokens, words.tokens
            ):
                continue
            if not is_documented(one, text, spans[0].begin, spans[-1].end):
                continue
            code, source, preference, label = _chosen(one)
            around = _around(one.tokens, words.tokens, taken)
            value, met = self._down(code, around, _SHARE)
            if not met:
                value, met = self._beside(value, around)
            at = bisect_right(edges, spans[0].begin)
            told = one.item or one.tokens
            side = side_words(sides, told[0], told[-1], (edges[at - 1], edges[at]))
            both = self._descent.bilateral(value) if side == BOTH_SIDES else None
            for sided, more in on_sides(
                both or value,
                () if both else side,
                self._down_side,
                is_one_sided=self._descent.is_one_sided(value),
            ):
                if not (met or more) and self._descent.is_open(code):
                    continue
                exact, also = said_apart(
                    sided, text[edges[at - 1] : edges[at]], self._beside, self._descent.is_billable
                )
                more = [*more, *also]
                value = _smoked(exact, text, extent(spans))
                if value.startswith(_LONG_TERM) and is_new_drug(text, spans[0].begin):
                    continue
                assertion = scopes.at(extent(spans))
                if assertion is Assertion.PRESENT and (
                    section is Section.SURGERIES
                    or is_gone(value, text, spans[-1].end)
                    or is_said_past(
                        value, text, extent(spans), is_listed=section is Section.HISTORY
                    )
                ):
                    assertion = Assertion.HISTORICAL
                if (
                    value.startswith(_REACTIONS)
                    and section is not Section.DIAGNOSES
                    and _ALLERGIC.search(text[edges[at - 1] : spans[0].begin])
                ):
                    continue
                listed = Section.HISTORY if section is Section.SURGERIES else section
                yield of_history(
                    Mention(
                        number, spans, value, assertion, len(one.tokens), one.gap,
                        one.cost, source, preference, _way(label, [*met, *more], value),
                        section=listed,
                    )
                )  # fmt: skip
        for mention in past_procedures(number, text, words, scopes, sections):
            yield self._on_side(mention, words, sides, edges)
        yield from present_state(number, text, words, scopes, sections)
        yield from drug_effects(number, text, words.said, scopes)

    def _on_side(
        self, one: Mention, words: NoteWords, sides: Sequence[NamedSide], edges: Sequence[int]
    ) -> Mention:
        """A mention that a rule made, on the side that its sentence names."""
        at = bisect_right(edges, one.begin)
        first = bisect_left(words.tokens, one.begin, key=lambda token: token.begin)
        last = bisect_left(words.tokens, one.spans[-1].end, key=lambda token: token.end)
        side = side_words(sides, first, last, (edges[at - 1], edges[at]))
        value, met = self._down_side(one.code, side) if side else (one.code, [])
        if value == one.code:
            return one
        return replace(one, code=value, why=f"{one.why}, with {', '.join(met)} → {value}")

    def _beside(self, code: str, words: Sequence[str]) -> tuple[str, list[str]]:
        """The code that says what another leaves unspecified, if words say it."""
        value, met = self._descent.beside(code, [stem_of(word) for word in words])
        return value, [words[at] for at in met]

    def _down_side(self, code: str, side: Sequence[str]) -> tuple[str, list[str]]:
        """The code that differs from another in its side alone."""
        value, met = self._down(code, side, 0.0)
        default = self._descent.default(code)
        is_other = not self._descent.added(default, value) <= _SIDE_STEMS
        return (default, []) if is_other else (value, met)

    def _down(self, code: str, words: Sequence[str], share: float) -> tuple[str, list[str]]:
        """The more specific code that words lead to, and those of them that did."""
        stems = [frozenset((stem_of(word),)) for word in words]
        value, met = self._descent.down(code, stems, share=share)
        return value, [words[at] for at in met]


def _chosen(one: LocatedTerm) -> tuple[str, str, float, str]:
    """The code of the likeliest term, its source, how likely it is, and what to say of it."""
    if one.meaning is not None:
        return one.meaning.code, SHORT_FORM, _SHORT_FORM_PREFERENCE, str(one.meaning)
    best = one.terms[0]
    return best.code, best.source.value, best.preference, best.reason


def _is_of_something_else(tokens: Sequence[int], every: Sequence[TextToken]) -> bool:
    """Whether the word after a term makes it part of another thing: *pain medication*."""
    after = tokens[-1] + 1
    return after < len(every) and every[after].folded in _THINGS


def _has_denial(tokens: Sequence[int], every: Sequence[TextToken]) -> bool:
    """Whether a word between those of a term denies the rest: *hypoglycemia without coma*."""
    if tokens[0] and every[tokens[0] - 1].folded in _DENIALS and every[tokens[0]].folded in _PAST:
        return True  # "no prior stroke"
    return any(
        every[at].folded in _DENIALS for at in range(tokens[0] + 1, tokens[-1]) if at not in tokens
    )


def _smoked(code: str, text: str, span: Span) -> str:
    """The code of nicotine dependence: over if it says so, of cigarettes if it names them."""
    if code.startswith(_NICOTINE[:3]) and _FORMER.search(
        text[max(0, span.begin - _BESIDE) : span.begin]
    ):
        return _SMOKED_ONCE
    around = text[max(0, span.begin - _BESIDE) : span.end + _BESIDE]
    return _CIGARETTES if code == _NICOTINE and _SMOKED.search(around) else code


def _way(label: str, met: Sequence[str], code: str) -> str:
    words = f", with {', '.join(met)}" if met else ""
    return f"{label}{words} → {code}"


def _around(tokens: Sequence[int], every: Sequence[TextToken], taken: Set[int]) -> list[str]:
    """The words beside a term that no other term has: up to a symbol, a few on each side."""
    found = []
    for step, first in ((-1, tokens[0]), (1, tokens[-1])):
        at, left = first + step, _AROUND
        while left and 0 <= at < len(every) and at not in taken:
            word = spelled(every[at].folded)
            if step > 0 and word in _WITH:
                at += step
                continue
            if not word[0].isalnum():
                break
            if not is_idle(word):
                found.append(word)
            at, left = at + step, left - 1
    at = tokens[-1] + 1
    while at + 1 < len(every) and every[at].folded == "," and every[at + 1].folded in _COURSES:
        found.append(every[at + 1].folded)  # "failure, acute"
        at += 2
    return found


def _spans(tokens: Sequence[int], every: Sequence[TextToken], text: str) -> tuple[Span, ...]:
    """The characters of tokens; those with nothing but idle words between are one span."""
    spans = [Span(every[tokens[0]].begin, every[tokens[0]].end)]
    for before, at in pairwise(tokens):
        between = every[before + 1 : at]
        is_joined = all(is_idle(spelled(one.folded)) for one in between) and _BETWEEN.fullmatch(
            text, every[before].end, every[at].begin
        )
        if is_joined:
            spans[-1] = Span(spans[-1].begin, every[at].end)
        else:
            spans.append(Span(every[at].begin, every[at].end))
    return tuple(spans)
