"""The terms of a vocabulary in running text, in the vocabulary's language."""

from __future__ import annotations

import pytest

from auscult.assertion import sentence_edges
from auscult.codes.concept import Concept, Synonym
from auscult.codes.locate.vocabulary_locator import (
    described_locator,
    located_code,
    vocabulary_locator,
)
from auscult.codes.tables import table_of
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Code

_SPANISH = {
    "S72": ("fractura de fémur", "fractura femoral"),
    "I10": ("hipertensión arterial", "HTA"),
    "R10": ("dolor abdominal",),
    "R51": ("cefalea",),
    "K40": ("hernia inguinal",),
}


@pytest.fixture(scope="module")
def spanish(tmp_path_factory: pytest.TempPathFactory) -> Vocabulary:
    concepts = [
        Concept(Code("CIE-10", value), names[0], tuple(map(Synonym, names)))
        for value, names in _SPANISH.items()
    ]
    place = tmp_path_factory.mktemp("vocabulary") / "cie"
    return Vocabulary.build(concepts, place, language="spanish")


def found(vocabulary: Vocabulary, text: str) -> dict[str, str]:
    """Each located code with the words from the first to the last of its term."""
    words, located = vocabulary_locator(vocabulary).locate(text, sentence_edges(text))
    return {
        located_code(one.terms[0].code).value: text[
            words.tokens[one.tokens[0]].begin : words.tokens[one.tokens[-1]].end
        ]
        for one in located
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fractura de fémur izquierdo.", {"S72": "Fractura de fémur"}),
        ("Presentaba fracturas femorales.", {"S72": "fracturas femorales"}),
        ("Cefalea y dolores abdominales.", {"R51": "Cefalea", "R10": "dolores abdominales"}),
        ("Paciente con HTA.", {"I10": "HTA"}),
        ("Hipertension arterial conocida.", {"I10": "Hipertension arterial"}),
        ("Se palpa hernia. Canal inguinal libre.", {}),
        ("Le dijo hta.", {}),
    ],
)  # fmt: skip
def test_terms_are_found_by_their_stems(
    spanish: Vocabulary, text: str, expected: dict[str, str]
) -> None:
    assert found(spanish, text) == expected


def test_what_a_packaged_system_calls_its_codes_is_found() -> None:
    text = "Underwent a laparoscopic cholecystectomy."
    table = table_of("ICD-9-PCS")
    assert table is not None
    _, located = described_locator(table).locate(text, sentence_edges(text))
    assert Code("ICD-9-PCS", "51.23") in {
        located_code(term.code) for one in located for term in one.terms
    }
