"""The cues that say how a condition is meant, and where they stand in a text."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import product

from auscult.assertion.assertion import Assertion

AFTER, NEXT, FIRST = "after", "next", "first"
BEFORE, ITEM, BESIDE, STOP = "before", "item", "beside", "stop"
_TOKEN = re.compile(r"\[\*\*.*?\*\*\]|\w+|[^\w\s]", re.DOTALL)
_YEAR = re.compile(r"(?:19|20|21)\d\d$|\[\*\*(?:19|20|21)\d\d\*\*\]$")
YEAR = "<year>"
_SAYS_NOTHING = "nothing"

Says = tuple[Assertion | None, str]
"""What a cue asserts and on which side. A stop cue ends the scope of one kind of cue, or of any."""
Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cue:
    """A cue in a text, from character `begin` to `end`."""

    begin: int
    end: int
    says: tuple[Says, ...]


def find(text: str) -> Iterator[Cue]:
    """The cues of a text in order; of those that begin at one word the longest."""
    phrases = _phrases()
    lengths = _lengths()
    tokens = list(_TOKEN.finditer(text))
    words = [_word(token[0]) for token in tokens]
    last = 0
    for at, word in enumerate(words):
        if word not in lengths or at < last:
            continue
        for length in lengths[word]:
            phrase = tuple(words[at : at + length])
            says = phrases.get(phrase)
            if says is not None:
                last = at + len(phrase)
                if says:
                    yield Cue(tokens[at].start(), tokens[last - 1].end(), says)
                break


def _word(token: str) -> str:
    return YEAR if token[0] in "[12" and _YEAR.match(token) else token.lower()


@cache
def _lengths() -> dict[str, list[int]]:
    """How many words the phrases have that begin with a word, the longest first."""
    found: dict[str, set[int]] = {}
    for words in _phrases():
        found.setdefault(words[0], set()).add(len(words))
    return {word: sorted(lengths, reverse=True) for word, lengths in found.items()}


@cache
def _phrases() -> dict[Words, tuple[Says, ...]]:
    """Phrases and what they say."""
    text = files("auscult.assertion").joinpath("cues.toml").read_text(encoding="utf-8")
    held = tomllib.loads(text)
    says: dict[Words, list[Says]] = {}
    for name, phrases in held.pop("stops").items():
        stopped = None if name == "any" else Assertion(name)
        for words in (words for phrase in phrases for words in _spelled_out(phrase)):
            says.setdefault(words, []).append((stopped, STOP))
    silent: set[Words] = set()
    for name, sides in held.items():
        for side, phrases in sides.items():
            for words in (words for phrase in phrases for words in _spelled_out(phrase)):
                if side == _SAYS_NOTHING:
                    silent.add(words)
                else:
                    says.setdefault(words, []).append((Assertion(name), side))
    return {**dict.fromkeys(silent, ()), **{words: tuple(found) for words, found in says.items()}}


def _spelled_out(phrase: str) -> Iterator[Words]:
    """The phrases that one with alternatives stands for."""
    for choice in product(*(word.split("|") for word in phrase.split())):
        yield tuple(part for word in choice for part in _parts(word))


def _parts(word: str) -> list[str]:
    return [word] if word == YEAR else [match[0].lower() for match in _TOKEN.finditer(word)]
