"""Reading of context: which words stand around each concept, and so which reading fits a place.

For every concept the words near its training marks are counted. A place speaks for a concept as
far as its words are likelier there than anywhere: the mean log-ratio, smoothed towards the words
of all places, so that a concept seen once or never says little.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from auscult.coders.concepts import wording
from auscult.codes.index.wordlists import stop_words
from auscult.core import Code, Span

_WIDTH = 120
"""Characters on either side that are the context of a place."""
_WORD = re.compile(r"[^\W_]+")
_NEXT = 2
"""The words right beside a place count apart, with their side."""
_SMOOTHING = 20.0


@lru_cache(maxsize=50_000)
def around(text: str, span: Span, language: str = "english") -> tuple[str, ...]:
    """The words around a span, those right beside it marked with their side.

    >>> around("Refer to PT for gait training", Span(9, 11))
    ('refer', '<refer', 'gait', '>gait', 'train', '>train')
    """
    stop = stop_words(language)
    found: list[str] = []
    for side, piece in (
        ("<", text[max(0, span.begin - _WIDTH) : span.begin]),
        (">", text[span.end : span.end + _WIDTH]),
    ):
        words = [w for w in (m.lower() for m in _WORD.findall(piece)) if w not in stop]
        beside = words[-_NEXT:] if side == "<" else words[:_NEXT]
        for word in words:
            found.append(_stem(word, language))
            if word in beside:
                found.append(side + _stem(word, language))
    return tuple(found)


def _stem(word: str, language: str) -> str:
    stems = wording.stems(word, language)
    return stems[0] if stems else word


@dataclass(frozen=True, eq=False)
class Contexts:
    """Counts of the words around each code, and around all places."""

    counts: dict[Code, Counter[str]]
    background: Counter[str]

    def __repr__(self) -> str:
        return f"Contexts({len(self.counts)} codes, {len(self.background)} words)"

    @classmethod
    def learn(cls, places: Iterable[tuple[Sequence[str], Iterable[Code]]]) -> Contexts:
        """Learn from the words around places and the codes of each."""
        counts: dict[Code, Counter[str]] = {}
        background: Counter[str] = Counter()
        for words, codes in places:
            background.update(words)
            for code in codes:
                counts.setdefault(code, Counter()).update(words)
        return cls(counts, background)

    @cached_property
    def _total(self) -> int:
        return self.background.total()

    @cached_property
    def _sizes(self) -> dict[Code, int]:
        return {code: counted.total() for code, counted in self.counts.items()}

    def fit(self, words: Sequence[str], code: Code) -> float:
        """How far words speak for a code: above 0 for it, below 0 against it, 0 if unknown."""
        own = self.counts.get(code)
        if own is None or not words:
            return 0.0
        size, total = self._sizes[code], self._total
        score = 0.0
        for word in words:
            usual = (self.background[word] + 0.5) / (total + 1)
            score += math.log((own[word] + _SMOOTHING * usual) / (size + _SMOOTHING) / usual)
        return score / len(words)

    def save(self, file: Path) -> None:
        """Write the counts."""
        rows = [[c.system, c.value, dict(of)] for c, of in sorted(self.counts.items())]
        held = {"codes": rows, "background": dict(self.background)}
        file.write_text(json.dumps(held, ensure_ascii=False), encoding="utf-8")

    @classmethod
    def load(cls, file: Path) -> Contexts:
        """What `save` wrote."""
        held = json.loads(file.read_text(encoding="utf-8"))
        counts = {Code(system, value): Counter(of) for system, value, of in held["codes"]}
        return cls(counts, Counter(held["background"]))
