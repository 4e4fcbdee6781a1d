"""How names fit a mention, worked out by hand, and which semantic types are looked among."""

from __future__ import annotations

import math

import pytest

from auscult.codes.concept import Concept, Synonym
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Code
from auscult.models.entities.linker.concept_facts import ConceptFacts
from auscult.models.entities.linker.name_match import NameFit, NameMatch
from auscult.models.entities.name_index import NameIndex, types_of

# Name, synonyms, semantic types.
CONCEPTS: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "D1": ("foveal dystrophy 1", (), ("Disease",)),
    "D2": ("foveal disease", ("foveal dystrophy",), ("Disease", "Process")),
    "D3": ("renal disease", (), ("Disease",)),
    "D4": ("wound healing", (), ("Process",)),
    "D5": ("spirometry", (), ("Technique",)),
}
NAMES = 6
FOVEAL, DYSTROPHY, ONE, DISEASE, RENAL = (
    math.log1p(NAMES / (names + 0.5)) for names in (3, 2, 1, 2, 1)
)


@pytest.fixture(scope="module")
def vocabulary(tmp_path_factory: pytest.TempPathFactory) -> Vocabulary:
    made = [
        Concept(code(value), name, tuple(map(Synonym, more)), types)
        for value, (name, more, types) in CONCEPTS.items()
    ]
    return Vocabulary.build(made, tmp_path_factory.mktemp("fits") / "vocabulary")


@pytest.fixture(scope="module")
def match(vocabulary: Vocabulary) -> NameMatch:
    names = NameIndex.of(vocabulary, ())
    return NameMatch(names, ConceptFacts(names))


def code(value: str) -> Code:
    return Code("MeSH", value)


def test_a_name_with_a_number_is_of_a_series_of_the_mention(match: NameMatch) -> None:
    fit = match(["dystrophies of the fovea", "foveal dystrophy"], code("D1"))
    said = FOVEAL + DYSTROPHY
    assert fit.fit == pytest.approx(2 * said / (2 * said + ONE))
    assert (fit.covers, fit.covers_name) == pytest.approx((1, said / (said + ONE)))
    assert (fit.has_number, fit.is_of_series, fit.is_first, fit.lacks_number) == (1, 1, 1, 0)
    assert (fit.left, fit.added) == (0, 1)


def test_another_number_is_another_disease(match: NameMatch) -> None:
    fit = match(["foveal dystrophy type II"], code("D1"))
    assert (fit.has_number, fit.lacks_number, fit.is_of_series, fit.is_first) == (1, 1, 0, 0)


def test_the_preferred_name_is_compared_too(match: NameMatch) -> None:
    fit = match(["foveal dystrophy"], code("D2"))
    assert (fit.fit, fit.is_preferred) == (1, 0)
    both = FOVEAL + DYSTROPHY + FOVEAL + DISEASE
    assert fit.preferred_fit == pytest.approx(2 * FOVEAL / both)
    assert match(["foveal disease"], code("D2"))[:5] == (1, 1, 1, 1, 1)


def test_rare_words_count_more(match: NameMatch) -> None:
    fit = match(["renal disease"], code("D2"))
    assert fit.covers == pytest.approx(DISEASE / (DISEASE + RENAL))
    assert fit.covers < 0.5


def test_nothing_fits_a_concept_that_is_not_there(match: NameMatch) -> None:
    assert match(["renal disease"], code("D9")) == match([], code("D1")) == NameFit()


@pytest.mark.parametrize(
    ("marked", "types"),
    [
        (["D1", "D2", "D3"], ("Disease",)),  # D2 is a disease, which lets no process in
        (["D1", "D4", "D2"], ("Disease", "Process")),
        (["D1", "D5"], ("Disease", "Technique")),
        (["D1"] * 500 + ["D5"], ("Disease",)),  # noise
    ],
)
def test_the_fewest_types_that_the_concepts_have(
    marked: list[str], types: tuple[str, ...], vocabulary: Vocabulary
) -> None:
    assert types_of(map(code, marked), vocabulary) == types
