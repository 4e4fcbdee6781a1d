"""Word contexts of concepts, to disambiguate a mention by the words around it.

The words near the training mentions of every concept are counted. A context supports a concept by
the mean log-ratio of the probability of its words near the concept to their probability anywhere,
smoothed toward the latter, so that a rare concept gets little support either way.
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

from auscult.codes.index.wordlists import stop_words
from auscult.core import Code, Span
from auscult.models.entities import string_forms

_WIDTH = 120
"""Width of the context on either side, in characters."""
_WORD = re.compile(r"[^\W_]+")
_NEXT = 2
"""The words next to a mention are also counted with their side."""
_SMOOTHING = 20.0


@lru_cache(maxsize=50_000)
def around(text: str, span: Span, language: str = "english") -> tuple[str, ...]:
    """The words around a span; those next to it are repeated with their side.

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
    stems = string_forms.stems(word, language)
    return stems[0] if stems else word


@dataclass(frozen=True, eq=False)
class ContextCounts:
    """Counts of the words around the mentions of each code, and around all mentions."""

    counts: dict[Code, Counter[str]]
    background: Counter[str]

    def __repr__(self) -> str:
        return f"ContextCounts({len(self.counts)} codes, {len(self.background)} words)"

    @classmethod
    def fit(cls, places: Iterable[tuple[Sequence[str], Iterable[Code]]]) -> ContextCounts:
        """Count the words around mentions, for the codes of each mention."""
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

    def log_ratio(self, words: Sequence[str], code: Code) -> float:
        """How far words support a code: above 0 for it, below 0 against it, 0 if it is unknown."""
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
    def load(cls, file: Path) -> ContextCounts:
        """What `save` wrote."""
        held = json.loads(file.read_text(encoding="utf-8"))
        counts = {Code(system, value): Counter(of) for system, value, of in held["codes"]}
        return cls(counts, Counter(held["background"]))
