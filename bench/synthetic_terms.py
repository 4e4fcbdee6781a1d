"""A vocabulary as large as UMLS, made up out of real medical words, for benchmarks only.

Words come from the names of ICD codes with the frequencies they have there, and a long tail of
made-up drug, gene and species names stands for the hundreds of thousands of rare words that UMLS
has. A concept is a head with modifiers; its synonyms reorder them, leave some out, add others,
abbreviate, or differ in case only. Some strings mean several concepts.
"""

from __future__ import annotations

import itertools
import random
import re
from collections import Counter
from collections.abc import Iterator

from auscult.codes import table_of
from auscult.codes.concept import Concept, Synonym
from auscult.core import Code

_SYLLABLES = [a + b for a in "bcdfghklmnprstvxz" for b in ("a", "e", "i", "o", "u", "yl", "or")]
_ENDINGS = ("in", "ol", "ine", "ase", "itis", "oma", "osis", "amide", "azole", "mab", "us", "ia")
_TYPES = [f"Semantic type {number}" for number in range(127)]
_SOURCES = ("SNOMEDCT_US", "RXNORM", "MSH", "NCI", "ICD10CM")


class Words:
    """Medical words, drawn as often as they occur."""

    def __init__(self, seed: int, rare: int) -> None:
        self._random = random.Random(seed)
        self._named: set[str] = set()
        counts: Counter[str] = Counter()
        for system in ("ICD-9-CM", "ICD-10-CM"):
            for entry in table_of(system) or ():
                counts.update(re.findall(r"[A-Za-z]{3,}", (entry.description or "").lower()))
        self.common = [word for word, _ in counts.most_common()]
        tail: set[str] = set()
        while len(tail) < rare:
            made = "".join(self._random.choices(_SYLLABLES, k=self._random.randint(2, 4)))
            tail.add(made + self._random.choice(_ENDINGS))
        self.rare = sorted(tail)
        # Counts flattened to Zipf's law, as over many terminologies rather than one.
        weights = [1 / (rank + 20) for rank in range(len(self.common))]
        self._weights = list(itertools.accumulate(weights))

    def name(self, count: int) -> list[str]:
        """The words of a new concept. A single common word names one concept at most."""
        words = self.draw(count)
        if len(words) == 1 and words[0] in self._named:
            words = [self._random.choice(self.rare)]
        self._named.update(words[:1] if len(words) == 1 else ())
        return words

    def draw(self, count: int) -> list[str]:
        """Some words: common ones, and now and then a rare one."""
        words = self._random.choices(self.common, cum_weights=self._weights, k=count)
        if self._random.random() < 0.45:
            words[self._random.randrange(count)] = self._random.choice(self.rare)
        return list(dict.fromkeys(words))


def concepts(synonyms: int, seed: int = 0, rare: int = 250_000) -> Iterator[Concept]:
    """Concepts until they have this many synonyms together."""
    chance = random.Random(seed)
    words = Words(seed, rare)
    made = number = 0
    shared: list[str] = []
    while made < synonyms:
        number += 1
        base = words.name(chance.choice((1, 2, 2, 3, 3, 3, 4, 4, 5, 6)))
        count = min(40, int(chance.paretovariate(1.1)) + 1)
        texts = [" ".join(base).capitalize()]
        texts += [_vary(base, words, chance) for _ in range(count - 1)]
        if chance.random() < 0.02 and shared:
            texts.append(chance.choice(shared))
        if chance.random() < 0.02:
            shared.append(texts[-1])
        made += len(texts)
        yield Concept(
            Code("UMLS", f"C{number:07d}"),
            texts[0],
            tuple(
                Synonym(text, chance.choice(_SOURCES), chance.choice(("PT", "SY", "AB")))
                for text in texts
            ),
            (chance.choice(_TYPES),),
        )


def _vary(base: list[str], words: Words, chance: random.Random) -> str:
    kind = chance.random()
    if kind < 0.25 and len(base) > 1:
        return f"{base[-1]}, {' '.join(base[:-1])}".capitalize()
    if kind < 0.45:
        return " ".join([*base, *words.draw(1)])
    if kind < 0.6 and len(base) > 3:
        left_out = chance.randrange(len(base))
        return " ".join(base[:left_out] + base[left_out + 1 :])
    if kind < 0.7 and len(base) > 1:
        return " of ".join([" ".join(base[1:]), base[0]])
    if kind < 0.78 and len(base) > 1:
        return "".join(word[0] for word in base).upper()
    if kind < 0.9:
        return f"{' '.join(base)} (disorder)"
    return " ".join(words.draw(1) + base)


def queries(texts: list[str], count: int, seed: int = 1) -> list[str]:
    """What annotators mark: names as they are, reordered, in part, misspelled, single words."""
    chance = random.Random(seed)
    made = []
    for _ in range(count):
        words = chance.choice(texts).lower().split()
        kind = chance.random()
        if kind < 0.2 and len(words) > 1:
            chance.shuffle(words)
        elif kind < 0.4 and len(words) > 1:
            words.pop(chance.randrange(len(words)))
        elif kind < 0.55:
            at = chance.randrange(len(words))
            words[at] = _misspell(words[at], chance)
        elif kind < 0.65:
            words = [chance.choice(words)]
        elif kind < 0.8:
            words += chance.choice(texts).lower().split()[:1]
        made.append(" ".join(words))
    return made


def _misspell(word: str, chance: random.Random) -> str:
    if len(word) < 5:
        return word
    at = chance.randrange(1, len(word) - 1)
    kind = chance.randrange(4)
    if kind == 0:
        return word[:at] + word[at + 1 :]
    if kind == 1:
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    letter = chance.choice("abcdefghijklmnopqrstuvwxyz")
    return word[:at] + letter + word[at + (kind == 2) :]
