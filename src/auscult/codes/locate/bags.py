"""Terms as bags of words, in a trie that is walked with whatever words a sentence has.

A bag is the set of keys that a text has to have, in whatever order, with other words between. The
keys of a term of several words are their stems. A term of one word has one key, which is nearer to
the word as it is written: *observed* is not *observation*. The path of a bag goes from its rarest
key to its commonest, so that a walk that begins at each word of a text ends after a step or two
unless the term is there.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

import numpy as np

from auscult.codes.index import trie
from auscult.codes.index.build import Arrays
from auscult.codes.index.strings import packed
from auscult.codes.index.wordlists import ordinary_words, stop_words
from auscult.codes.lookup.words import stem_of, words_of

LONGEST = 9
"""Terms of more words are not found in running text."""
COUNTED = frozenset(("type", "stage", "grade", "degree", "class", "phase"))
"""Words that say something where a number or a letter stands beside them."""
_UNSAID = frozenset(
    ("unspecified", "nos", "nec", "elsewhere", "classified", "specified", "otherwise")
)
_IDLE = (
    _UNSAID
    | COUNTED
    | frozenset(("with", "due", "by", "caused", "patient", "patients", "pt", "site", "sites"))
    | frozenset(("part", "other", "others", "condition", "conditions", "initial", "episode"))
    | frozenset(("unknown", "mention", "region", "regions"))
)
"""Words that say nothing about which condition it is."""
_NEEDED = frozenset(("no", "not", "without", "out", "up", "off", "over", "down", "on"))
"""Short words that turn the meaning of those beside them, if a term has them."""
_OMITTED = frozenset(("traumatic", "nontraumatic", "uncomplicated", "primary", "current"))
"""Words that a note leaves out where nothing else is meant."""
_UNTOLD = re.compile(
    r"[↑↓→<>=+%#?]|(?<!not elsewhere )(?:in|with) [^,]*classified elsewhere"
    r"|\bother (?:specified|conditions)\b|\b(?:two|three|five|seven|nine)[ -]day|\bHis\b"
)
"""What words alone do not tell: symbols, what another disease brings, the rest of a list, how long
something lasts."""
LETTER_A = "a"
"""A word that says nothing, unless it is a capital: *hepatitis A*."""
_LETTER_A = re.compile(r"(?<=\w[ ,])\s*A\b(?![-'.])")
_NOT_ELSEWHERE = re.compile(r",? not elsewhere classified")
_CONDITIONS = {
    "tensive": "tension",
    "pneic": "pnea",
    "otic": "osis",
    **{
        f"{ending}ic": f"{ending}ia"
        for ending in ("em", "card", "ur", "op", "pleg", "phas", "phon")
    },
    **{f"{ending}ic": f"{ending}ia" for ending in ("arthr", "phag", "pen", "therm", "tax")},
}
_ADJECTIVE = re.compile(rf"(\w+)({'|'.join(_CONDITIONS)})")
_CAPITALS = re.compile(r"\b[A-Z]{2,5}\b")
_PLURALS = re.compile(r"(?:ies|y)$")
_ENDINGS = re.compile(r"(?<=\w{4})(?:es|is|s|(?<!a)e)$")


def is_idle(word: str) -> bool:
    """Whether a word says nothing about which condition it is."""
    return word in _IDLE or (word in stop_words("english") and word not in _NEEDED)


def lone_key(word: str, *, is_short_form: bool = False) -> str:
    """The key of a term of one word, in singular or plural; a short form is told by its case.

    >>> lone_key("metastases") == lone_key("metastasis")
    True
    >>> lone_key("hepatic") == lone_key("hepatitis")
    False
    """
    mark = "^" if is_short_form else "="
    return mark + (word if is_short_form else _ENDINGS.sub("", _PLURALS.sub("i", word)))


def condition_of(word: str) -> str | None:
    """The condition that somebody has who is said to be so, by the ending of the word.

    >>> condition_of("hypotensive"), condition_of("dyspneic"), condition_of("acidotic")
    ('hypotension', 'dyspnea', 'acidosis')
    """
    found = _ADJECTIVE.fullmatch(word)
    return None if found is None else found[1] + _CONDITIONS[found[2]]


def bags_of(text: str) -> Iterator[frozenset[str]]:
    """The bags that stand for a term: with all of its words, and with those that a note would have.

    None for a term that cannot be told by its words: of very many words, of a word too general to
    stand alone, or with symbols and short forms that look like other words.
    """
    if _UNTOLD.search(text):
        return
    ordinary, short_forms = ordinary_words("english"), _CAPITALS.findall(text)
    if short_forms and any(short.lower() in ordinary for short in short_forms):
        return
    words = list(dict.fromkeys(words_of(_NOT_ELSEWHERE.sub("", text))))
    if not _LETTER_A.search(text):
        words = [word for word in words if word != LETTER_A]
    counts = any(len(word) == 1 or word.isdecimal() for word in words)
    kept = [w for w in words if not is_idle(w) or (counts and w in COUNTED) or w == LETTER_A]
    said = [word for word in kept if len(word) > 1 and not word.isdecimal()]
    if not said or len(kept) > LONGEST or all(word in _NEEDED for word in kept):
        return
    if len(kept) > 1:
        bag = frozenset(map(stem_of, kept))
        if bag not in _general_bags():
            yield bag
        fewer = frozenset(stem_of(word) for word in kept if word not in _OMITTED | COUNTED)
        if 1 < len(fewer) < len(kept) and fewer not in _general_bags():
            yield fewer
    elif kept[0] not in general_words() and all(w in _UNSAID or w == kept[0] for w in words):
        is_short = _CAPITALS.fullmatch(text.strip()) is not None
        yield frozenset((lone_key(kept[0], is_short_form=is_short),))


def general_file() -> Traversable:
    """The list of `general_words`."""
    return files("auscult.codes.locate").joinpath("general.txt")


@cache
def general_words() -> frozenset[str]:
    """Words that are too general to stand for a condition by themselves, though the index does."""
    text = general_file().read_text(encoding="utf-8")
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    return frozenset(word for line in lines for word in line.split())


@cache
def _general_bags() -> frozenset[frozenset[str]]:
    """The same of several words, as stems."""
    phrases = (phrase.split("_") for phrase in general_words() if "_" in phrase)
    return frozenset(frozenset(map(stem_of, phrase)) for phrase in phrases)


class BagBuilder:
    """Takes bags, and makes the trie of them."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._keys = array("q")
        self._lengths = array("q")
        self._owners = array("q")

    def add(self, term: int, text: str) -> None:
        """Let the bags of a text stand for a term of the code book."""
        self.add_bags(term, bags_of(text))

    def add_bags(self, term: int, bags: Iterable[frozenset[str]]) -> None:
        """Let bags stand for a term."""
        for bag in bags:
            self._keys.extend(self._numbers.setdefault(k, len(self._numbers)) for k in sorted(bag))
            self._lengths.append(len(bag))
            self._owners.append(term)

    def arrays(self) -> Arrays:
        """The keys in order, the place of each from the rarest to the commonest, and the trie."""
        keys = np.frombuffer(self._keys, np.int64)
        lengths = np.frombuffer(self._lengths, np.int64)
        names = sorted(self._numbers)
        counts = np.bincount(keys, minlength=len(names))
        rank = np.empty(len(names), np.int64)
        rank[np.argsort(counts, kind="stable")] = np.arange(len(names))
        order = np.lexsort((rank[keys], np.repeat(np.arange(len(lengths)), lengths)))
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        edges, nodes = trie.build_paths(rank[keys][order].astype(np.uint32), offsets)
        made = trie.build_arrays(edges, nodes, len(names))
        owners = np.frombuffer(self._owners, np.int64)
        made["trie_terms"] = owners[made["trie_terms"]].astype("<u4")
        return {
            **{f"bag_{name}": part for name, part in made.items()},
            **packed("bag_key", names),
            "bag_key_rank": np.array([rank[self._numbers[name]] for name in names], "<u4"),
        }
