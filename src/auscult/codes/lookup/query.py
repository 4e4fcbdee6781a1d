"""From what was typed or marked to the words that are looked for."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from auscult.codes.index.strings import Strings
from auscult.codes.index.trigrams import Trigrams
from auscult.codes.lookup.matching import Alternative, QueryWord
from auscult.codes.lookup.words import emphasis, remember_stems, stem_of, words_of

_SYNONYM = 0.85
_BEGUN = 0.9
_SLIP = (1.0, 0.9, 0.75)
"""How surely a word with so many slips is meant."""
_UNKNOWN = 0.6
"""What a word weighs that no term has."""
_SHORTEST_BEGINNING = 3
_MOST_BEGUN = 12
_MOST_WORDS = 24
_REMEMBERED = 50_000


@cache
def synonyms() -> Mapping[str, tuple[str, ...]]:
    """For each word those that mean the same in the name of a condition."""
    text = files("auscult.codes.lookup").joinpath("synonyms.tsv").read_text(encoding="utf-8")
    found: dict[str, dict[str, None]] = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            group = line.split("\t")
            for word in group:
                found.setdefault(word, {}).update(dict.fromkeys(w for w in group if w != word))
    return {word: tuple(others) for word, others in found.items()}


class QueryReader:
    """Looks the words of queries up among the words of the terms."""

    def __init__(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self._words = Strings.of(arrays, "word")
        self._numbers = self._words.numbers()
        stems = Strings.of(arrays, "stem")
        self.stems = stems
        self._word_stem = arrays["word_stem"]
        remember_stems(self._known_stem)
        self._weights = arrays["stem_weight"]
        self._counts = np.diff(arrays["required_offsets"].astype(np.int64))
        self._trigrams = Trigrams(dict(arrays), self._words)
        self._known: dict[tuple[str, bool], QueryWord] = {}

    def words(self, text: str, *, typing: bool = False) -> list[QueryWord]:
        """The words of a text; while it is being typed, the last may be the beginning of one."""
        texts = list(dict.fromkeys(words_of(text)))[:_MOST_WORDS]
        kept = [word for word in texts if emphasis(word)] or texts
        return [self._word(word, typing and word == texts[-1]) for word in kept]

    def knows(self, word: str) -> bool:
        """Whether any term has the word or another form of it."""
        return self._own(word) is not None

    @cached_property
    def _stem_numbers(self) -> dict[str, int]:
        return self.stems.all_numbers()

    def _known_stem(self, word: str) -> str | None:
        """The stem of a word that a term has."""
        at = self._numbers[word]
        return None if at < 0 else self.stems[self._word_stem[at]]

    def _word(self, word: str, is_last: bool) -> QueryWord:
        key = (word, is_last)
        if key not in self._known:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[key] = self._read(word, is_last)
        return self._known[key]

    def _read(self, word: str, is_last: bool) -> QueryWord:
        own = self._own(word)
        alike: dict[int, float] = {} if own is None else {own: 1.0}
        for other in synonyms().get(word, ()):
            at = self._own(other)
            if at is not None:
                alike.setdefault(at, _SYNONYM)
        if is_last or (own is None and not alike):
            for at in self._begun(word):
                alike.setdefault(at, _BEGUN)
        if own is None:
            for number, edits in self._trigrams.near(word):
                at = int(self._word_stem[number])
                alike[at] = max(_SLIP[edits], alike.get(at, 0.0))
        best = sorted(alike.items(), key=lambda item: (-item[1], -self._counts[item[0]], item[0]))
        weight = float(self._weights[best[0][0]]) if best else _UNKNOWN * emphasis(word)
        return QueryWord(word, max(weight, 0.01), tuple(Alternative(*one) for one in best))

    def _own(self, word: str) -> int | None:
        number = self._numbers[word]
        if number >= 0:
            return int(self._word_stem[number])
        return self._stem_numbers.get(stem_of(word))

    def _begun(self, word: str) -> list[int]:
        """The stems of words that begin so, commonest first."""
        if len(word) < _SHORTEST_BEGINNING:
            return []
        begun = self._words.starting(word)
        stems = np.unique(self._word_stem[begun.start : begun.stop])
        commonest = np.lexsort((stems, -self._counts[stems]))[:_MOST_BEGUN]
        return [int(at) for at in stems[commonest]]
