"""Interchangeable words in concept names, derived from the synonyms of a vocabulary.

If one concept is named both "renal failure" and "kidney failure", the words renal and kidney are
interchangeable; if many concepts have such names, they are so elsewhere too.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

_CONCEPTS = 3
"""Minimum number of concepts in which two words are interchangeable."""
_MOST = 6
"""Maximum number of equivalents of a word."""
_LONGEST = 8
_NOTHING = "-"
"""The equivalent of a word that may be left out."""


@dataclass(frozen=True)
class Equivalents:
    """For each stem, its equivalents and in how many concepts, the most common first."""

    table: dict[str, tuple[tuple[str, int], ...]] = field(repr=False)

    @classmethod
    def fit(cls, keys: Sequence[str], concepts: npt.NDArray[np.int64]) -> Equivalents:
        """Fit to the keys of names and the concept of each; names of a concept are adjacent."""
        of_concept: dict[int, set[str]] = defaultdict(set)
        for key, concept in zip(keys, concepts.tolist(), strict=True):
            of_concept[concept].add(key)
        counted: Counter[tuple[str, str]] = Counter()
        for own in of_concept.values():
            slots: dict[str, set[str]] = defaultdict(set)
            for key in own:
                stems = key.split()
                if 2 <= len(stems) <= _LONGEST:
                    for at, stem in enumerate(stems):
                        slots[" ".join(stems[:at] + stems[at + 1 :])].add(stem)
            pairs: set[tuple[str, str]] = set()
            for rest, fillers in slots.items():
                if len(fillers) <= _LONGEST:
                    pairs |= {(a, b) for a in fillers for b in fillers if a != b}
                if rest in own:
                    pairs |= {(a, _NOTHING) for a in fillers}
            counted.update(pairs)
        table: dict[str, list[tuple[str, int]]] = defaultdict(list)
        for (stem, other), count in sorted(counted.items(), key=lambda item: (-item[1], item[0])):
            if count >= _CONCEPTS and not (stem.isdecimal() or other.isdecimal()) and len(stem) > 1:
                table[stem].append((other, count))
        return cls({stem: tuple(others[:_MOST]) for stem, others in table.items()})

    def variants(self, key: str) -> list[tuple[str, float]]:
        """The keys with one stem replaced or left out, each with how common the replacement is.

        >>> names = [f"{word} {what}" for what in "abscess atrophy failure".split()
        ...          for word in ("kidney", "renal")]
        >>> Equivalents.fit(names, np.repeat([0, 1, 2], 2)).variants("injury renal")
        [('injury kidney', 1.0)]
        """
        stems = key.split()
        found: dict[str, float] = {}
        for at, stem in enumerate(stems):
            others = self.table.get(stem, ())
            total = sum(count for _, count in others)
            for other, count in others:
                rest = stems[:at] + stems[at + 1 :]
                if other == _NOTHING and not rest:
                    continue
                made = " ".join(sorted({*rest, other} - {_NOTHING}))
                found[made] = max(found.get(made, 0.0), count / total)
        found.pop(key, None)
        return sorted(found.items(), key=lambda item: (-item[1], item[0]))

    def save(self, file: Path) -> None:
        """Write the table."""
        file.write_text(json.dumps(self.table), encoding="utf-8")

    @classmethod
    def load(cls, file: Path) -> Equivalents:
        """What `save` wrote."""
        raw = json.loads(file.read_text(encoding="utf-8"))
        return cls({stem: tuple((o, int(c)) for o, c in others) for stem, others in raw.items()})
