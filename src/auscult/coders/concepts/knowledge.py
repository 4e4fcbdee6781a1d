"""What training notes teach of concepts: the strings used for each, abbreviations, contexts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from auscult.coders.concepts import wording
from auscult.coders.concepts.contexts import Contexts, around
from auscult.coders.concepts.marks import MarkedNote
from auscult.coders.concepts.trigrams import TrigramIndex
from auscult.codes.abbreviations import defined_in
from auscult.core import Code
from auscult.core.span import extent

_FILE = "knowledge.json"
_CONTEXTS = "contexts.json"
_STRINGS_NEAR = 8


@lru_cache(maxsize=10_000)
def abbreviations_in(note: str) -> Mapping[str, tuple[str, ...]]:
    """What a note spells out: long forms by short form in normal form.

    >>> abbreviations_in("ataxia telangiectasia (A-T)")
    {'a t': ('ataxia telangiectasia',)}
    """
    found: dict[str, tuple[str, ...]] = {}
    for short, long in defined_in(note):
        normal = wording.normal(short)
        found[normal] = (*found.get(normal, ()), long)
    return found


@dataclass(frozen=True, slots=True)
class Used:
    """How often a string was marked, and how often for each code."""

    marks: int
    codes: Mapping[Code, int]

    def share(self, code: Code) -> float:
        """The part of the marks that were given the code."""
        return self.codes.get(code, 0) / self.marks


@dataclass(frozen=True, eq=False)
class Knowledge:
    """Marked strings and their codes, spelt-out abbreviations, and contexts."""

    strings: Mapping[str, Used]
    """By normal form."""
    abbreviations: Mapping[str, Mapping[str, int]]
    """Short forms in normal form, their long forms, and in how many notes."""
    contexts: Contexts
    language: str = "english"

    def __repr__(self) -> str:
        return f"Knowledge({len(self.strings)} strings, {len(self.abbreviations)} abbreviations)"

    @classmethod
    def learn(cls, notes: Sequence[MarkedNote], language: str = "english") -> Knowledge:
        """Learn from notes with their marks."""
        marks: Counter[str] = Counter()
        codes: dict[str, Counter[Code]] = {}
        spelt: dict[str, Counter[str]] = {}
        places = []
        for marked in notes:
            for short, longs in abbreviations_in(marked.text).items():
                spelt.setdefault(short, Counter()).update(map(wording.normal, longs))
            for mark in marked.marks:
                text = wording.normal(mark.text)
                if text and mark.codes:
                    given = sorted(mark.codes)  # a set's order changes from run to run
                    marks[text] += 1
                    codes.setdefault(text, Counter()).update(given)
                    places.append((around(marked.text, extent(mark.spans), language), given))
        strings = {text: Used(marks[text], dict(of)) for text, of in codes.items()}
        return cls(strings, spelt, Contexts.learn(places), language)

    @cached_property
    def prior(self) -> Counter[Code]:
        """How often each code was given."""
        counted: Counter[Code] = Counter()
        for used in self.strings.values():
            counted.update(used.codes)
        return counted

    def used(self, text: str) -> Used | None:
        """How a string was used, word for word."""
        return self.strings.get(wording.normal(text))

    def used_alike(self, key: str) -> Used | None:
        """How the strings of a key were used, all together."""
        return self._by_key.get(key)

    def used_near(self, text: str) -> list[tuple[Used, float]]:
        """How the nearest strings were used, and how near each is."""
        found = self._index.nearest(wording.normal(text), _STRINGS_NEAR)
        return [(self._in_order[at], score) for at, score in found]

    def spelt_out(self, short: str) -> list[str]:
        """What training notes spell a short form out as, the commonest first."""
        longs = self.abbreviations.get(wording.normal(short), {})
        return sorted(longs, key=lambda long: (-longs[long], long))

    @cached_property
    def _by_key(self) -> dict[str, Used]:
        marks: Counter[str] = Counter()
        codes: dict[str, Counter[Code]] = {}
        for text, used in self.strings.items():
            key = wording.key(text, self.language)
            marks[key] += used.marks
            codes.setdefault(key, Counter()).update(used.codes)
        return {key: Used(marks[key], codes[key]) for key in marks}

    @cached_property
    def _in_order(self) -> list[Used]:
        return list(self.strings.values())

    @cached_property
    def _index(self) -> TrigramIndex:
        return TrigramIndex.of(list(self.strings))

    def save(self, directory: Path) -> None:
        """Write all that was learnt."""
        held = {
            "language": self.language,
            "strings": [
                [text, used.marks, [[c.system, c.value, n] for c, n in used.codes.items()]]
                for text, used in self.strings.items()
            ],
            "abbreviations": {short: dict(longs) for short, longs in self.abbreviations.items()},
        }
        (directory / _FILE).write_text(json.dumps(held, ensure_ascii=False), encoding="utf-8")
        self.contexts.save(directory / _CONTEXTS)

    @classmethod
    def load(cls, directory: Path) -> Knowledge:
        """What `save` wrote."""
        held = json.loads((directory / _FILE).read_text(encoding="utf-8"))
        strings = {
            text: Used(marks, {Code(system, value): n for system, value, n in codes})
            for text, marks, codes in held["strings"]
        }
        contexts = Contexts.load(directory / _CONTEXTS)
        return cls(strings, held["abbreviations"], contexts, held["language"])


def all_codes(notes: Iterable[MarkedNote]) -> Iterable[Code]:
    """The codes of all marks, as often as they were given."""
    return (code for marked in notes for mark in marked.marks for code in mark.codes)
