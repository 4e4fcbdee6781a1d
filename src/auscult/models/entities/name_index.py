"""An index of the concept names of some semantic types, for lookup by string."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from auscult.codes.filters import TermFilter
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Code
from auscult.core.progress import track
from auscult.learning.arrays import stored_arrays
from auscult.models.entities import string_forms
from auscult.models.entities.equivalents import Equivalents
from auscult.models.entities.gold_mentions import MarkedNote
from auscult.models.entities.mention_statistics import all_codes
from auscult.models.entities.trigrams import TrigramIndex
from auscult.models.span_annotation import SpanConfiguration

_SHARE = 0.005
"""A semantic type of a smaller share of the training concepts is taken for noise."""


def types_of(codes: Iterable[Code], vocabulary: Vocabulary) -> tuple[str, ...]:
    """The fewest semantic types that concepts have, without the rare ones; none means all types.

    A concept may have several types. One that the concepts have only beside another is not among
    them: it would let in many concepts that have it alone. If many of the concepts have no type,
    all types are used.
    """
    left: Counter[frozenset[str]] = Counter()
    for code in codes:
        number = vocabulary.number_of(code)
        if number is not None:
            left[frozenset(vocabulary.concept_at(number).types)] += 1
    known = left.total()
    if known - left[frozenset()] < 0.9 * known or not known:
        return ()
    chosen: list[str] = []
    while True:
        counted: Counter[str] = Counter()
        for types, count in left.items():
            counted.update(dict.fromkeys(types, count))
        name, count = min(counted.items(), key=lambda one: (-one[1], one[0]), default=("", 0))
        # The first may be rare where there are many types; without any, all would be allowed.
        if not count or (chosen and count < _SHARE * known):
            return tuple(sorted(chosen))
        chosen.append(name)
        left = Counter({types: count for types, count in left.items() if name not in types})


def semantic_types(
    config: SpanConfiguration, notes: Iterable[MarkedNote], vocabulary: Vocabulary
) -> tuple[str, ...]:
    """The semantic types that concepts are restricted to: those set, or the training concepts'."""
    if config.semantic_types is not None:
        return config.semantic_types
    return types_of(all_codes(notes), vocabulary)


@dataclass(frozen=True, eq=False)
class NameIndex:
    """The terms of the concepts of some types: by normal form, by key, and by trigrams.

    `terms` are the vocabulary's numbers of them; the other arrays are in the same order.
    """

    vocabulary: Vocabulary
    terms: npt.NDArray[np.int64]
    normal_hashes: npt.NDArray[np.uint64]
    key_hashes: npt.NDArray[np.uint64]
    trigrams: TrigramIndex
    equivalents: Equivalents

    def __repr__(self) -> str:
        return f"NameIndex({self.vocabulary!r}, {len(self.terms)} terms)"

    @classmethod
    def of(cls, vocabulary: Vocabulary, types: Sequence[str]) -> NameIndex:
        """Index the names of a vocabulary's concepts of some types, all when none is named."""
        concept_of = vocabulary.arrays["term_concept"]
        everything = np.arange(len(concept_of))
        allowed = TermFilter(vocabulary, types).allows(everything, concept_of.astype(np.int64))
        terms = everything[allowed]
        language = vocabulary.manifest.language
        normals, keys = [], []
        for term in track(terms.tolist(), "reading names", len(terms)):
            text = vocabulary.synonym_at(term).text
            normals.append(string_forms.normal(text))
            keys.append(string_forms.key(text, language))
        return cls(
            vocabulary,
            terms,
            np.array([_hash(text) for text in normals], np.uint64),
            np.array([_hash(text) for text in keys], np.uint64),
            TrigramIndex.of(normals),
            Equivalents.fit(keys, concept_of[terms].astype(np.int64)),
        )

    @property
    def language(self) -> str:
        """The language of the names."""
        return self.vocabulary.manifest.language

    def concepts(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The vocabulary's numbers of the concepts of rows."""
        return self.vocabulary.concepts_of(self.terms[rows])

    def text(self, row: int) -> str:
        """The name in a row."""
        return self.vocabulary.synonym_at(int(self.terms[row])).text

    def is_preferred(self, row: int) -> bool:
        """Whether the name in a row is its concept's preferred one."""
        term = int(self.terms[row])
        concept = int(self.vocabulary.arrays["term_concept"][term])
        return int(self.vocabulary.arrays["concept_terms"][concept]) == term

    def called(self, text: str) -> npt.NDArray[np.int64]:
        """The rows of the names that are the same word for word."""
        return self._by_normal.find(_hash(string_forms.normal(text)))

    def keyed(self, key: str) -> npt.NDArray[np.int64]:
        """The rows of the names of a key."""
        return self._by_key.find(_hash(key))

    def near(self, text: str, most: int) -> list[tuple[int, float]]:
        """The rows of the nearest names by trigrams, and how near they are."""
        return self.trigrams.nearest(string_forms.normal(text), most)

    @cached_property
    def _by_normal(self) -> _Sorted:
        return _Sorted(self.normal_hashes)

    @cached_property
    def _by_key(self) -> _Sorted:
        return _Sorted(self.key_hashes)

    def save(self, directory: Path) -> None:
        """Write the index; the vocabulary stays where it is."""
        np.savez(
            directory / "names.npz",
            terms=self.terms,
            normal_hashes=self.normal_hashes,
            key_hashes=self.key_hashes,
        )
        self.trigrams.save(directory / "trigrams.npz")
        self.equivalents.save(directory / "equivalents.json")

    @classmethod
    def load(cls, directory: Path, vocabulary: Vocabulary) -> NameIndex:
        """What `save` wrote, over the same vocabulary."""
        with stored_arrays(directory / "names.npz") as held:
            return cls(
                vocabulary,
                held["terms"],
                held["normal_hashes"],
                held["key_hashes"],
                TrigramIndex.load(directory / "trigrams.npz"),
                Equivalents.load(directory / "equivalents.json"),
            )


class _Sorted:
    """Rows by a hash of their text."""

    def __init__(self, hashes: npt.NDArray[np.uint64]) -> None:
        self._order = np.argsort(hashes, kind="stable")
        self._sorted = hashes[self._order]

    def find(self, hashed: int) -> npt.NDArray[np.int64]:
        target = np.uint64(hashed)
        begin = np.searchsorted(self._sorted, target, side="left")
        end = np.searchsorted(self._sorted, target, side="right")
        return self._order[begin:end].astype(np.int64)


def _hash(text: str) -> int:
    return int.from_bytes(
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    )
