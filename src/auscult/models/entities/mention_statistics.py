"""Statistics of the training mentions: strings of each concept, abbreviations, contexts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from auscult.codes.abbreviations import defined_in
from auscult.core import Code
from auscult.core.span import extent
from auscult.models.entities import string_forms
from auscult.models.entities.context_counts import ContextCounts, around
from auscult.models.entities.gold_mentions import MarkedNote
from auscult.models.entities.trigrams import TrigramIndex

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
        normal = string_forms.normal(short)
        found[normal] = (*found.get(normal, ()), long)
    return found


@dataclass(frozen=True, slots=True)
class StringUse:
    """How often a string was marked, and how often for each code."""

    marks: int
    codes: Mapping[Code, int]

    def share(self, code: Code) -> float:
        """The part of the marks that were given the code."""
        return self.codes.get(code, 0) / self.marks


@dataclass(frozen=True, eq=False)
class MentionStatistics:
    """Annotated strings with their codes, spelled-out abbreviations, and contexts."""

    strings: Mapping[str, StringUse]
    """By normal form."""
    abbreviations: Mapping[str, Mapping[str, int]]
    """Short forms in normal form, their long forms, and in how many notes."""
    contexts: ContextCounts
    language: str = "english"

    def __repr__(self) -> str:
        return (
            f"MentionStatistics({len(self.strings)} strings, {len(self.abbreviations)} "
            "abbreviations)"
        )

    @classmethod
    def fit(cls, notes: Sequence[MarkedNote], language: str = "english") -> MentionStatistics:
        """Count the mentions of training notes."""
        marks: Counter[str] = Counter()
        codes: dict[str, Counter[Code]] = {}
        spelled: dict[str, Counter[str]] = {}
        places = []
        for marked in notes:
            for short, longs in abbreviations_in(marked.text).items():
                spelled.setdefault(short, Counter()).update(map(string_forms.normal, longs))
            for mark in marked.marks:
                text = string_forms.normal(mark.text)
                if text and mark.codes:
                    given = sorted(mark.codes)  # a set's order changes from run to run
                    marks[text] += 1
                    codes.setdefault(text, Counter()).update(given)
                    places.append((around(marked.text, extent(mark.spans), language), given))
        strings = {text: StringUse(marks[text], dict(of)) for text, of in codes.items()}
        return cls(strings, spelled, ContextCounts.fit(places), language)

    @cached_property
    def prior(self) -> Counter[Code]:
        """The number of mentions of each code."""
        counted: Counter[Code] = Counter()
        for used in self.strings.values():
            counted.update(used.codes)
        return counted

    def used(self, text: str) -> StringUse | None:
        """How a string was used, word for word."""
        return self.strings.get(string_forms.normal(text))

    def used_alike(self, key: str) -> StringUse | None:
        """How the strings of a key were used, all together."""
        return self._by_key.get(key)

    def used_near(self, text: str) -> list[tuple[StringUse, float]]:
        """How the nearest strings were used, and how near each is."""
        found = self._index.nearest(string_forms.normal(text), _STRINGS_NEAR)
        return [(self._in_order[at], score) for at, score in found]

    def spelled_out(self, short: str) -> list[str]:
        """What training notes spell a short form out as, the commonest first."""
        longs = self.abbreviations.get(string_forms.normal(short), {})
        return sorted(longs, key=lambda long: (-longs[long], long))

    @cached_property
    def _by_key(self) -> dict[str, StringUse]:
        marks: Counter[str] = Counter()
        codes: dict[str, Counter[Code]] = {}
        for text, used in self.strings.items():
            key = string_forms.key(text, self.language)
            marks[key] += used.marks
            codes.setdefault(key, Counter()).update(used.codes)
        return {key: StringUse(marks[key], codes[key]) for key in marks}

    @cached_property
    def _in_order(self) -> list[StringUse]:
        return list(self.strings.values())

    @cached_property
    def _index(self) -> TrigramIndex:
        return TrigramIndex.of(list(self.strings))

    def save(self, directory: Path) -> None:
        """Write the statistics."""
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
    def load(cls, directory: Path) -> MentionStatistics:
        """What `save` wrote."""
        held = json.loads((directory / _FILE).read_text(encoding="utf-8"))
        strings = {
            text: StringUse(marks, {Code(system, value): n for system, value, n in codes})
            for text, marks, codes in held["strings"]
        }
        contexts = ContextCounts.load(directory / _CONTEXTS)
        return cls(strings, held["abbreviations"], contexts, held["language"])


def all_codes(notes: Iterable[MarkedNote]) -> Iterable[Code]:
    """The codes of all marks, as often as they were given."""
    return (code for marked in notes for mark in marked.marks for code in mark.codes)
