"""What finds codes of the systems of a label space: the code book, a vocabulary, descriptions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from auscult.codes.icd10 import read_order_file
from auscult.codes.locate.vocabulary_locator import described_locator, vocabulary_locator
from auscult.codes.tables import table_of
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Code, Note
from auscult.models.care_setting import CareSetting
from auscult.models.codebook.assigning import CodeAssigner, FoundCode
from auscult.models.codebook.translating import BOOK, in_release, translation_to
from auscult.models.codebook.vocabulary_codes import VocabularyAssigner
from auscult.models.label_space import LabelSpace

ENGLISH = "english"
"""The language of the code book."""
_LED_TO = frozenset((BOOK, "ICD-9-CM"))
"""The systems that the code book leads to."""


class Assigner(Protocol):
    """Finds codes in the notes of a chart."""

    def candidates(self, notes: Sequence[Note]) -> list[FoundCode]:
        """The codes that a chart may have, each once."""
        ...


@dataclass(frozen=True, slots=True)
class _Together:
    """Several, each for systems of its own."""

    assigners: Sequence[Assigner]

    def candidates(self, notes: Sequence[Note]) -> list[FoundCode]:
        return [found for one in self.assigners for found in one.candidates(notes)]


def assigner_of(
    labels: LabelSpace,
    language: str,
    vocabulary: Vocabulary | None = None,
    table: Path | None = None,
    setting: CareSetting = "auto",
) -> Assigner | None:
    """What finds codes of the systems of a label space in notes of a language; None if nothing can.

    A vocabulary is used for the systems that it has, the code book for ICD-10-CM and what that is
    mapped to, and descriptions for other systems that come with Auscult. An empty label space is
    one of ICD-10-CM, or of the vocabulary.
    """
    systems = frozenset(code.system for code in labels)
    found: list[Assigner] = []
    if vocabulary is not None:
        there = frozenset(vocabulary.manifest.systems)
        systems = systems or there
        if systems & there:
            wanted = _wanted(vocabulary, labels, systems)
            locator = vocabulary_locator(vocabulary)
            found.append(VocabularyAssigner(locator, wanted, vocabulary.manifest.language))
        systems -= there
    elif not systems:
        systems = frozenset((BOOK,))
    if language == ENGLISH:
        translation = translation_to(systems)
        if BOOK in systems and table is not None:
            translation = in_release(read_order_file(table))
        if translation is not None:
            found.append(CodeAssigner(translation, setting))
        for system in sorted(systems - _LED_TO):
            table_there = table_of(system)
            if table_there is not None:
                locator = described_locator(table_there)
                found.append(VocabularyAssigner(locator, lambda _code: True, ENGLISH))
    if len(found) > 1:
        return _Together(found)
    return found[0] if found else None


def _wanted(
    vocabulary: Vocabulary, labels: LabelSpace, systems: Collection[str]
) -> Callable[[Code], bool]:
    """Whether a concept is of one of these systems, and of a semantic type that the labels have."""
    from auscult.models.entities.name_index import types_of

    types = set(types_of(labels, vocabulary))

    @lru_cache(maxsize=100_000)
    def wanted(code: Code) -> bool:
        if code.system not in systems:
            return False
        number = vocabulary.number_of(code)
        return not types or (
            number is not None and not types.isdisjoint(vocabulary.concept_at(number).types)
        )

    return wanted
