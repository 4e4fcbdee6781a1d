"""The locator of a vocabulary's terms in running text."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable

import numpy as np

from auscult.codes.compiled import Arrays, compiled
from auscult.codes.concept import Concept, Synonym
from auscult.codes.index.strings import Strings, packed
from auscult.codes.locate.bags import BagBuilder
from auscult.codes.locate.locator import TermLocator
from auscult.codes.locate.plain_words import PlainReader, plain_bags
from auscult.codes.lookup.building import SOURCES
from auscult.codes.lookup.terms import TermSource
from auscult.codes.sources import icd
from auscult.codes.table import CodeTable
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Code

_LAYOUT = 1
"""To be raised when the arrays change."""
_DESCRIPTION = SOURCES.index(TermSource.DESCRIPTION)
_SEPARATOR = "\t"
_PREFERRED, _OTHER = 1.0, 0.95
"""How likely a term is meant that is its concept's name, and one that is a synonym."""


def vocabulary_locator(vocabulary: Vocabulary) -> TermLocator:
    """The locator of a vocabulary's terms, in its language. It is compiled at its first use."""
    language = vocabulary.manifest.language
    concepts = (vocabulary.concept_at(number) for number in range(len(vocabulary)))
    key = f"terms-{_LAYOUT}-{vocabulary.manifest.digest[:32]}"
    return _locator(compiled(key, lambda: _arrays(concepts, language)), language)


def described_locator(table: CodeTable) -> TermLocator:
    """The locator of what a table calls its codes."""
    release = hashlib.sha256(table.release.encode()).hexdigest()[:16]
    key = f"terms-{_LAYOUT}-{table.system}-{release}"
    return _locator(compiled(key, lambda: _arrays(icd.read(table.system), "english")), "english")


def located_code(value: str) -> Code:
    """The code that a located term of a vocabulary has."""
    return Code(*value.split(_SEPARATOR))


def _locator(arrays: Arrays, language: str) -> TermLocator:
    reader = PlainReader(Strings.of(arrays, "bag_key").numbers(), arrays["bag_key_rank"], language)
    return TermLocator(arrays, list(Strings.of(arrays, "code")), arrays["term_preference"], reader)


def _arrays(concepts: Iterable[Concept], language: str) -> Arrays:
    codes: list[str] = []
    labels: list[str] = []
    owners, preferences = array("q"), array("d")
    bags = BagBuilder()
    for concept in concepts:
        synonyms = dict.fromkeys(one.text for one in (Synonym(concept.name), *concept.synonyms))
        for text in synonyms:
            bags.add_bags(len(labels), plain_bags(text, language))
            labels.append(text)
            owners.append(len(codes))
            preferences.append(_PREFERRED if text == concept.name else _OTHER)
        codes.append(f"{concept.code.system}{_SEPARATOR}{concept.code.value}")
    return {
        **packed("code", codes),
        **packed("label", labels),
        "term_code": np.frombuffer(owners, np.int64).astype("<u4"),
        "term_source": np.full(len(labels), _DESCRIPTION, "<u1"),
        "term_preference": np.frombuffer(preferences, np.float64).astype("<f4"),
        **bags.arrays(),
    }
