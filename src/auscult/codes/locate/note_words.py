"""A note as the words that are looked for: each with its place, keys and characters.

Words that say nothing have no place, so that "fracture of the hip" and "hip fracture" are two
places each. Commas and conjunctions leave a place empty; the end of a sentence leaves more than any
term can reach across. A short form has its own place and those of the words it stands for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from auscult.codes.index.folding import fold
from auscult.codes.index.strings import Strings
from auscult.codes.index.tokens import TOKEN
from auscult.codes.index.wordlists import ordinary_words
from auscult.codes.locate.bags import (
    COUNTED,
    LETTER_A,
    condition_of,
    general_words,
    is_idle,
    lone_key,
)
from auscult.codes.locate.walk import WINDOW, PlacedKeys
from auscult.codes.lookup.clinicians import ClinicianTable, Wording, WordingKind
from auscult.codes.lookup.query import synonyms
from auscult.codes.lookup.words import spelled, stem_of, words_of

APART = 2 * WINDOW
SEPARATORS = {",": 2, "(": 1, ")": 1, "/": 1, "[": 1, "]": 1}
_CONJUNCTIONS = {"and": 2, "or": 2, "but": 3}
_CAUSES = frozenset((("secondary", "to"), ("secondarily", "to")))
_COURSES = frozenset(
    ("recurrent", "mild", "moderate", "severe", "persistent", "intermittent", "paroxysmal")
)
_WHO = frozenset(("he", "she", "patient", "pt", "who", "they", "has", "had"))
_SPREAD = frozenset(("metastasis", "metastases", "metastatic", "mets"))
_UNITS = frozenset(("kg", "kgs", "g", "mg", "lb", "lbs", "pounds", "kilograms", "kilos"))
_SHORTEST = 3
"""Short forms of fewer letters have to be in capitals."""
_SYNONYM_COST = 1
_ROOT = 4
"""Letters that a word has in common with those that are derived from it."""
_AROUND = 12
"""Tokens on each side that tell the senses of a short form apart."""
_IN_LOWER_CASE = 3
"""Short forms in lower case have to be as common as this: *chf*, but *wks* are weeks."""
_EVERYDAY = 2
"""Short forms that hospitals see less often than this need a word of the note on their side."""
_REMEMBERED = 100_000
_DEPENDENT = frozenset((*(first for first, _ in _CAUSES), *_SPREAD, *_UNITS, LETTER_A, "left"))
"""Words that are read by those beside them, as short forms and numbers are too."""


class TextToken(NamedTuple):
    """A word or symbol of a note, folded, and its characters. Its `repr` does not quote it."""

    folded: str
    begin: int
    end: int

    def __repr__(self) -> str:
        return f"TextToken({self.begin}, {self.end})"


class ShortForm(NamedTuple):
    """A short form, the number of its token, its first place, and what it means here."""

    token: int
    place: int
    meaning: Wording


@dataclass(frozen=True, slots=True, repr=False)
class NoteWords:
    """The words of a note.

    `token_at` has the number of the token at each place.
    """

    tokens: Sequence[TextToken]
    keys: PlacedKeys
    token_at: Mapping[int, int]
    short_forms: Sequence[ShortForm]
    said: frozenset[str]
    """The words, folded."""


class _KnownWord(NamedTuple):
    """What a word or symbol is wherever it stands.

    `apart` is how many places it leaves empty, if it has none itself. One that `depends` is read by
    the words beside it.
    """

    depends: bool
    has_place: bool
    apart: int
    keys: tuple[tuple[int, int], ...] = ()


class NoteReader:
    """Reads notes for the trie whose keys these are, in order, with their ranks.

    `aliases` are words to be read as others too, of which neoplasms are taken: *adenoma* is read as
    *benign neoplasm*, so that the site beside it leads to a code.
    """

    def __init__(
        self,
        keys: Strings,
        ranks: npt.NDArray[np.uint32],
        clinicians: ClinicianTable,
        aliases: Mapping[str, Sequence[str]],
    ) -> None:
        self._numbers = keys.numbers()
        self._ranks = ranks
        self._clinicians = clinicians
        self._aliases = {
            word: tuple(filter(_says, words_of(others[0])))
            for word, others in aliases.items()
            if "neoplasm" in others[0]
        }
        self._ordinary = ordinary_words("english")
        self._short_forms = clinicians.short_forms() | {
            keys[at][1:] for at in keys.starting(lone_key("", is_short_form=True))
        }
        self._known: dict[str, _KnownWord] = {}
        self._keys = lru_cache(maxsize=_REMEMBERED)(self._keys_of)

    def read(self, text: str, sentences: Sequence[int]) -> NoteWords:
        """The words of a text whose sentences begin at the given characters, its end last."""
        tokens = note_tokens(text)
        said = frozenset(token.folded for token in tokens)
        context = cache(lambda: frozenset(map(spelled, said)))
        placed: list[tuple[int, tuple[tuple[int, int], ...]]] = []
        token_at: dict[int, int] = {}
        short_forms: list[ShortForm] = []
        line, sentence = 0, 1
        for number, (raw, begin, end) in enumerate(tokens):
            while sentences[sentence] <= begin:
                sentence += 1
                line += APART
            if raw == "," and number + 1 < len(tokens) and tokens[number + 1].folded in _COURSES:
                continue  # "major depressive disorder, recurrent, severe" is one name
            known = self._known.get(raw) or self._learn(raw)
            if not known.depends:
                if known.has_place:
                    token_at[line] = number
                    placed.append((line, known.keys))
                    line += 1
                else:
                    line += known.apart
                continue
            word = spelled(raw)
            following = tokens[number + 1].folded if number + 1 < len(tokens) else ""
            if (word, following) in _CAUSES or is_leaving(tokens, number):
                line += 1  # "secondary to" is no spread, and the cause after it no part of a term
                continue
            is_short = word in self._short_forms and self._is_short(word, text[begin:end])
            meaning = None
            if is_short:
                meaning = self._meaning(word, partial(_near, tokens, number), context)
                if meaning and text[begin].islower() and meaning.common < _IN_LOWER_CASE:
                    meaning = None
            if _is_measure(tokens, number):
                continue
            if meaning is None and not _says(word) and not _is_letter(tokens, number, text):
                continue
            placed.append((line, self._keys(word, is_short)))
            if meaning is not None:
                short_forms.append(ShortForm(number, line, meaning))
            spelled_out = filter(_says, words_of(meaning.means)) if meaning else None
            for at, other in enumerate(spelled_out or self._aliases.get(word, ())):
                token_at[line + at] = number
                placed.append((line + at, self._keys(other, False)))
            token_at[line] = number
            while line in token_at:
                line += 1
            if word in _SPREAD and following == "from":
                line += APART  # the site after it is that of the primary (I.C.2)
        every = [(at, rank, cost) for at, keys in placed for rank, cost in keys]
        columns = np.fromiter(chain.from_iterable(every), np.int64, 3 * len(every))
        keys = PlacedKeys(*columns.reshape(-1, 3).T.copy())
        return NoteWords(tokens, keys, token_at, short_forms, said)

    def _learn(self, raw: str) -> _KnownWord:
        """What a folded word or symbol is wherever it stands, remembered."""
        word = spelled(raw)
        if not raw[0].isalnum():
            known = _KnownWord(False, False, APART if raw[0] == "\n" else SEPARATORS.get(raw, 0))
        elif (
            word in self._short_forms
            or word in self._aliases
            or not _DEPENDENT.isdisjoint((raw, word))
            or raw.isdecimal()
        ):
            known = _KnownWord(True, _says(word), 0)
        elif _says(word):
            known = _KnownWord(False, True, 0, self._keys(word, False))
        else:
            known = _KnownWord(False, False, _CONJUNCTIONS.get(raw, 0))
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        self._known[raw] = known
        return known

    def _is_short(self, word: str, written: str) -> bool:
        """Whether a word that may be a short form is one, by its case."""
        if written[0].isupper():
            return len(written) == 1 or any(map(str.isupper, written[1:]))
        is_word = word in self._ordinary or word in general_words()
        return written.islower() and len(word) >= _SHORTEST and not is_word

    def _meaning(
        self, word: str, near: Callable[[], frozenset[str]], note: Callable[[], frozenset[str]]
    ) -> Wording | None:
        """What a short form most likely means, by the words near it and those of the whole note.

        Where it may also be no condition (*RA*: room air), a word near it has to speak for one.
        """
        meanings = [
            one
            for one in self._clinicians.meanings((word,), (True,), near)
            if one.kind is WordingKind.ABBREVIATION
        ]
        if not meanings or meanings[0].hint & near():
            return meanings[0] if meanings else None
        harmless = next((one for one in meanings if not one.code), None)
        if harmless is not None:
            return harmless
        best = max(meanings, key=lambda one: len(one.hint & note()))
        if best.common >= _EVERYDAY or best.hint & note():
            return best
        is_spelled_out = any(w in note() for w in words_of(best.means) if not is_idle(w))
        return best if is_spelled_out else None

    def _keys_of(self, word: str, is_short: bool) -> tuple[tuple[int, int], ...]:
        """The keys that a word has: their ranks, and how far each is from the word."""
        keys = {stem_of(word): 0, lone_key(word): 0}
        if is_short:
            keys[lone_key(word, is_short_form=True)] = 0
        for other in synonyms().get(word, ()):
            is_derived = word[:_ROOT] == other[:_ROOT]  # "mandibular" is no other word
            keys.setdefault(stem_of(other), 0 if is_derived else _SYNONYM_COST)
        if noun := condition_of(word):
            keys.setdefault(lone_key(noun), _SYNONYM_COST)
        numbers = {self._numbers[key]: cost for key, cost in keys.items()}
        return tuple((int(self._ranks[at]), cost) for at, cost in numbers.items() if at >= 0)


def _near(tokens: Sequence[TextToken], number: int) -> frozenset[str]:
    """The words and symbols around a token."""
    around = tokens[max(0, number - _AROUND) : number + _AROUND + 1]
    return frozenset(spelled(token.folded) for token in around)


def is_leaving(tokens: Sequence[TextToken], at: int) -> bool:
    """Whether a token is the verb in *he left the hospital*, and not a side."""
    return tokens[at].folded == "left" and at > 0 and tokens[at - 1].folded in _WHO


def _is_letter(tokens: Sequence[TextToken], at: int, text: str) -> bool:
    """Whether a token is the letter of *hepatitis A*, and not an article."""
    token = tokens[at]
    return (
        token.folded == LETTER_A
        and at > 0
        and tokens[at - 1].folded[0].isalpha()
        and text[token.begin : token.end].isupper()
    )


def _is_measure(tokens: Sequence[TextToken], at: int) -> bool:
    """Whether a token is a number before a unit, or that unit: *a loss of 8 kg of weight*."""
    if tokens[at].folded in _UNITS:
        return at > 0 and tokens[at - 1].folded.isdecimal()
    return (
        tokens[at].folded.isdecimal() and at + 1 < len(tokens) and tokens[at + 1].folded in _UNITS
    )


def _says(word: str) -> bool:
    """Whether a word has a place."""
    return not is_idle(word) or word in COUNTED


def note_tokens(text: str) -> list[TextToken]:
    """The words and symbols of a text, folded."""
    folded = fold(text)
    matches = TOKEN.finditer(folded.text)
    found = [TextToken(match[0], match.start(), match.end()) for match in matches]
    if folded.origins is None:
        return found
    placed = ((token.folded, folded.span(token.begin, token.end)) for token in found)
    return [TextToken(word, *span) for word, span in placed if span is not None]
