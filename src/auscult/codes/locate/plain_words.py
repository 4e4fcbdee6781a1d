"""A note's words in any language, for the terms of a vocabulary: as written, and by their stems.

A vocabulary names its concepts in all their ways itself, so nothing is known here of synonyms,
short forms and general words, as it is for the code book.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from auscult.codes.index.build import is_short_form
from auscult.codes.index.folding import fold
from auscult.codes.index.stems import stem
from auscult.codes.index.strings import Numbers
from auscult.codes.index.tokens import TOKEN
from auscult.codes.index.wordlists import stop_words
from auscult.codes.locate.bags import LONGEST
from auscult.codes.locate.note_words import APART, SEPARATORS, NoteWords, note_tokens
from auscult.codes.locate.walk import PlacedKeys

_CONJUNCTIONS = {
    "english": frozenset(("and", "or", "but")),
    "spanish": frozenset(("y", "e", "o", "u", "pero")),
}
_EMPTY = 2
"""Places that a conjunction leaves empty."""
_AS_WRITTEN, _STEMMED, _SHORT_FORM = "=", "~", "^"
_INFLECTED = 1
"""What it costs a term of one word that the note has it with another ending."""
_SHORTEST = 3


def plain_bags(text: str, language: str) -> Iterator[frozenset[str]]:
    """The bags that stand for a term: a short form as it is written, a word, or stems of several.

    >>> [sorted(bag) for bag in plain_bags("fractura de la cadera", "spanish")]
    [['cader', 'fractur']]
    """
    if is_short_form(text):
        yield frozenset((_SHORT_FORM + text,))
        return
    idle = stop_words(language)
    words = [w for w in TOKEN.findall(fold(text).text) if w[0].isalnum() and w not in idle]
    kept = list(dict.fromkeys(words))
    if not any(map(str.isalpha, kept)) or len(kept) > LONGEST:
        return
    if len(kept) > 1:
        yield frozenset(stem(word, language) for word in kept)
    elif len(kept[0]) >= _SHORTEST:
        yield frozenset((_AS_WRITTEN + kept[0],))
        yield frozenset((_STEMMED + stem(kept[0], language),))


class PlainReader:
    """Reads notes in one language for the trie whose keys have these numbers and ranks."""

    def __init__(self, keys: Numbers, ranks: npt.NDArray[np.uint32], language: str) -> None:
        self._numbers = keys
        self._ranks = ranks
        self._language = language
        self._idle = stop_words(language)
        self._conjunctions = _CONJUNCTIONS.get(language, frozenset())

    def read(self, text: str, sentences: Sequence[int]) -> NoteWords:
        """The words of a text whose sentences begin at the given characters, its end last."""
        tokens = note_tokens(text)
        placed: list[tuple[int, int, int]] = []
        token_at: dict[int, int] = {}
        line, sentence = 0, 1
        for number, (word, begin, end) in enumerate(tokens):
            while sentences[sentence] <= begin:
                sentence += 1
                line += APART
            if not word[0].isalnum():
                line += APART if word[0] == "\n" else SEPARATORS.get(word, 0)
                continue
            keys = self._keys(word, text[begin:end])
            if word in self._conjunctions:
                line += _EMPTY
            if not keys and word in self._idle:
                continue
            placed += [(line, *key) for key in keys]
            token_at[line] = number
            line += 1
        columns = np.array(placed, np.int64).reshape(-1, 3).T
        said = frozenset(token.folded for token in tokens)
        return NoteWords(tokens, PlacedKeys(*columns), token_at, (), said)

    def _keys(self, word: str, written: str) -> list[tuple[int, int]]:
        keys = {}
        if word not in self._idle:
            stemmed = stem(word, self._language)
            keys = {stemmed: 0, _AS_WRITTEN + word: 0, _STEMMED + stemmed: _INFLECTED}
        if is_short_form(written):
            keys[_SHORT_FORM + written] = 0
        found = {self._numbers[key]: cost for key, cost in keys.items()}
        return [(int(self._ranks[at]), cost) for at, cost in found.items() if at >= 0]
