"""The words of a phrase as the search compares them: stems, in one spelling.

British and American spellings, Roman and Arabic numerals and the endings of words make no
difference, on either side.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from auscult.codes.index.folding import folded
from auscult.codes.index.stems import stem
from auscult.codes.index.wordlists import stop_words

_LANGUAGE = "english"
_REMEMBERED = 200_000
_WORD = re.compile(r"[^\W_]+")
_ROMAN = dict(zip(["i", "ii", "iii", "iv", "v", "vi", "vii", "viii"], "12345678", strict=True))
# They are applied to terms and queries alike, so that it does no harm where they overdo it.
_BRITISH = (
    (re.compile(r"[ao]e(?=[a-z]{3}|a$)"), "e"),  # haemorrhage, diarrhoea; not does, toes
    (re.compile(r"(?<=[a-z]{3})our$"), "or"),  # tumour
    (re.compile(r"is(?=ation|ed$|ing$|e$)"), "iz"),  # immunisation, paralysed
    (re.compile(r"(?<=[a-z])yse(?=d?$)"), "yze"),
    (re.compile(r"^sulph"), "sulf"),
)
_MAY_BE_BRITISH = re.compile(r"[ao]e|our$|is|yse|sulph")
"""What a word has that one of them changes; most have none."""
_WHOLE = frozenset(("underlying",))
"""Words whose stem is another word."""
_PLURAL = re.compile(r"(?<=[a-z]{3})oses$")  # keratoses
_OPEN = re.compile(r" whether with .*| as to whether .*", re.IGNORECASE)
_SHORT_FORM = re.compile(r"[(\[][A-Z]{2,6}[)\]]")
_LACKING = re.compile(r"\bwithout (?:foreign body\b|[^,]*)", re.IGNORECASE)
_EMPHASES = {
    0.0: "nec nos unspecified due caused by with encounter episode patient pt site type not",
    0.12: "specified elsewhere classified other condition conditions initial all over up off out "
    "very some something really about",
    0.5: "disease diseases disorder disorders syndrome stage problem problems symptom symptoms "
    "issue issues personal uncomplicated complication complications mild moderate severe primary "
    "traumatic nontraumatic current",
    0.8: "acute chronic",
    1.5: "without",
}
"""How much words say that a name means nearly the same without, or the opposite."""
_EMPHASIS = {word: weight for weight, words in _EMPHASES.items() for word in words.split()} | {
    word: 0.0 for word in stop_words(_LANGUAGE) if word not in ("other", "without", "no")
}


def words_of(text: str) -> list[str]:
    """The words of a text, folded and in one spelling; symbols are left out.

    >>> words_of("Haemorrhage, type II (acute)")
    ['hemorrhage', 'type', '2', 'acute']
    """
    return list(_words(text))


@lru_cache(maxsize=256)  # what is compiled asks for the words of a term several times over
def _words(text: str) -> tuple[str, ...]:
    return tuple(map(spelled, _WORD.findall(folded(text))))


class _Stems(dict[str, str]):
    """The stems of words, remembered; to look one up in a table takes far less than to stem."""

    def __init__(self) -> None:
        super().__init__()
        self.known: Callable[[str], str | None] = lambda _: None

    def __missing__(self, word: str) -> str:
        found = self.known(word)
        if found is None:
            found = self._stemmed(word)
        if len(self) >= _REMEMBERED:
            self.clear()
        self[word] = found
        return found

    @staticmethod
    def _stemmed(word: str) -> str:
        is_whole = word.endswith(("itis", "iae")) or word in _WHOLE
        return word if is_whole else stem(_PLURAL.sub("osis", word), _LANGUAGE)


_stems = _Stems()


def stem_of(word: str) -> str:
    """The stem of a word that `words_of` gave.

    An inflammation is not the organ it is of, nor a germ the disease it is named after.
    """
    return _stems[word]


def remember_stems(known: Callable[[str], str | None]) -> None:
    """Ask for stems there before a word is stemmed: the stem, or None for a word not known."""
    _stems.known = known


def emphasis(word: str) -> float:
    """How much a word says beyond its rarity: 0 where a name means the same without it."""
    return _EMPHASIS.get(word, 1.0)


@lru_cache(maxsize=20_000)
def description_stems(text: str) -> frozenset[str]:
    """The stems of what a description says there is."""
    said = _LACKING.sub("", _SHORT_FORM.sub("", without_doubt(text)))
    return frozenset(stem_of(word) for word in words_of(said) if emphasis(word))


def without_doubt(text: str) -> str:
    """A description without what it leaves open.

    >>> without_doubt("Respiratory failure, unspecified whether with hypoxia or hypercapnia")
    'Respiratory failure, unspecified'
    """
    return _OPEN.sub("", text)


@lru_cache(maxsize=100_000)
def spelled(word: str) -> str:
    """A folded word in the one spelling that all have here."""
    if word in _ROMAN:
        return _ROMAN[word]
    if not _MAY_BE_BRITISH.search(word):
        return word
    for pattern, replacement in _BRITISH:
        word = pattern.sub(replacement, word)
    return word
