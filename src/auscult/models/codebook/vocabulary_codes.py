"""From the notes of a chart to the concepts of a vocabulary that they name."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise

from auscult.assertion import Assertion, Scopes
from auscult.codes.index.wordlists import stop_words
from auscult.codes.locate.locator import TermLocator
from auscult.codes.locate.note_words import TextToken
from auscult.codes.locate.vocabulary_locator import located_code
from auscult.core import Code, Note, Span
from auscult.core.span import extent
from auscult.models.codebook.assigning import FoundCode
from auscult.models.codebook.candidates import MANY_WORDS, Candidate
from auscult.models.codebook.mention import ABSENT, Mention

_SOURCE = "vocabulary"
_ASSERTED = "english"
"""The language whose negations and the like are known."""


class VocabularyAssigner:
    """Finds the concepts that a locator has terms for, those that are wanted.

    Whether they are meant is for the training charts to say: their features are how the words fit,
    and how many concepts the words may mean.
    """

    def __init__(self, locator: TermLocator, wanted: Callable[[Code], bool], language: str) -> None:
        self._locator = locator
        self._wanted = wanted
        self._language = language

    def candidates(self, notes: Sequence[Note]) -> list[FoundCode]:
        """The concepts of a chart, each once, in the order in which they are first named."""
        named: dict[Code, list[tuple[Mention, int]]] = {}
        for number, note in enumerate(notes):
            for code, mention, meanings in self._mentions(number, note.text or ""):
                named.setdefault(code, []).append((mention, meanings))
        before = list(accumulate((len(note.text or "") for note in notes), initial=0))
        found = []
        for code, own in named.items():
            present = [(one, many) for one, many in own if one.assertion not in ABSENT]
            if present:
                mentions = tuple(one for one, _ in present)
                candidate = Candidate(code.value, mentions, len(own) - len(present))
                place = (before[mentions[0].note] + mentions[0].begin) / max(1, before[-1])
                fewest = min(many for _, many in present)
                found.append(FoundCode(code, candidate, _features(candidate, fewest, place)))
        return found

    def _mentions(self, number: int, text: str) -> list[tuple[Code, Mention, int]]:
        """The mentions in a note, each with its concept and how many its words may mean."""
        scopes = Scopes.of(text)
        words, located = self._locator.locate(text, scopes.sentences)
        found = []
        for one in located:
            spans = _spans(one.tokens, words.tokens, stop_words(self._language))
            assertion = Assertion.PRESENT
            if self._language == _ASSERTED:
                assertion = scopes.at(extent(spans))
            meant = {located_code(term.code): term for term in reversed(one.terms)}
            chosen = {code: term for code, term in meant.items() if self._wanted(code)}
            for code, term in chosen.items():
                mention = Mention(
                    number, spans, code.value, assertion, len(one.tokens), one.gap, one.cost,
                    _SOURCE, term.preference, f"{_SOURCE}: {term.label} → {code.value}",
                )  # fmt: skip
                found.append((code, mention, len(chosen)))
        return found


def _features(candidate: Candidate, meanings: int, place: float) -> dict[str, float]:
    """What a score rests on: features of the code book, as far as a vocabulary has them."""
    best = candidate.best
    found = {
        f"words {min(best.words, MANY_WORDS)}": 1.0,
        f"source {best.source}": 1.0,
        f"assertion {best.assertion}": 1.0,
        "preference": 10 * (best.preference - 1),
        "mentions": math.log(len(candidate.mentions)),
        "absent share": candidate.absent / (candidate.absent + len(candidate.mentions)),
        "place": place,
        "gap": float(best.gap > 0),
        "synonym": float(best.synonyms > 0),
        "meanings": math.log(meanings),
    }
    return {name: value for name, value in found.items() if value}


def _spans(
    tokens: Sequence[int], every: Sequence[TextToken], idle: frozenset[str]
) -> tuple[Span, ...]:
    """The characters of tokens; those with nothing but idle words between are one span."""
    spans = [Span(every[tokens[0]].begin, every[tokens[0]].end)]
    for before, at in pairwise(tokens):
        if all(every[between].folded in idle for between in range(before + 1, at)):
            spans[-1] = Span(spans[-1].begin, every[at].end)
        else:
            spans.append(Span(every[at].begin, every[at].end))
    return tuple(spans)
