"""Terms of the code book in running text, with the Tabular List and our own table alone."""

from __future__ import annotations

import pytest

from auscult.assertion import sentence_edges
from auscult.codes.locate.bags import bags_of
from auscult.codes.locate.current import term_locator
from auscult.codes.locate.locator import LocatedTerm


def located(text: str) -> list[tuple[str, str]]:
    """The words that make up terms, and the code of each."""
    words, found = term_locator().locate(text, sentence_edges(text))
    return [(" ".join(words.tokens[at].folded for at in one.tokens), _code(one)) for one in found]


def _code(one: LocatedTerm) -> str:
    return one.meaning.code if one.meaning else one.terms[0].code


@pytest.mark.parametrize(
    "text",
    [
        "Pain in the right knee.",
        "Right knee pain.",
        "He has pain of his right knee.",
        "PAIN IN RIGHT KNEE",
    ],
)
def test_words_are_found_in_any_order_with_idle_words_between(text: str) -> None:
    assert [code for _, code in located(text)] == ["M25.561"]


def test_a_longer_term_goes_before_its_parts() -> None:
    assert located("Acute respiratory failure with hypoxia.") == [
        ("acute respiratory failure hypoxia", "J96.01")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "He had knee surgery. Pain was mild.",
        "Knee normal; pain in the chest.",
        "Knee:\nnormal\n\nPain",
        "The knee, the hip, the shoulder, the elbow, the wrist and the ankle, no pain.",
    ],
)
def test_terms_do_not_reach_across_sentences_and_lists(text: str) -> None:
    assert "M25.569" not in [code for _, code in located(text)]


def test_items_of_a_list_are_terms_of_their_own() -> None:
    codes = [code for _, code in located("Obstructive pulmonary disease, hypertension and gout.")]
    assert codes[1:] == ["I10", "M10.9"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Liver and bone metastases.", {"C78.7", "C79.51"}),
        ("Fracture of the tibia and fibula.", {"S82.20", "S82.409A"}),
        ("Hepatitis A, not B.", {"B15.9"}),
        ("He has a hepatitis and a cough.", {"K75.9", "R05.9"}),
    ],
)
def test_items_of_a_list_share_a_word(text: str, expected: set[str]) -> None:
    assert expected <= {code for _, code in located(text)}


def test_two_conditions_in_a_row_are_not_a_list_of_one() -> None:
    assert "C79.51" not in [code for _, code in located("Liver metastases and normal bone.")]


def test_the_side_between_the_words_of_a_term_leaves_no_gap() -> None:
    text = "Broken left wrist, broken small wrist."
    _, found = term_locator().locate(text, sentence_edges(text))
    assert [one.gap for one in found] == [0, 1]


@pytest.mark.parametrize("word", ["observed", "examination", "old", "mass", "severe", "his", "may"])
def test_words_of_other_meaning_are_no_terms_alone(word: str) -> None:
    assert located(f"It was {word}.") == []


def test_one_word_is_a_term_in_singular_and_plural_but_not_by_its_stem() -> None:
    assert located("Hemorrhoid")[0][1] == located("hemorrhoids")[0][1] == "K64.9"
    assert located("The hepatic veins and the cervical spine.") == []


def test_short_forms_depend_on_their_case() -> None:
    assert located("PE, on anticoagulation.")[0] == ("pe", "I26.99")
    assert located("pe was done") == []
    assert located("hx of chf")[0][1] == located("CHF")[0][1] == "I50.9"


def test_a_rare_short_form_needs_a_word_of_the_note_on_its_side() -> None:
    assert located("OI noted.") == []
    assert located("OI since childhood, many fractures, imperfecta.")[0][1] == "Q78.0"


def test_the_words_of_a_short_form_make_up_longer_terms() -> None:
    assert located("CKD stage 4")[0][1] == located("chronic kidney disease, stage 4")[0][1]


def test_the_kind_of_a_neoplasm_and_its_site_lead_to_a_code() -> None:
    assert located("Adenocarcinoma of the sigmoid colon.")[0][1] == "C18.7"


def test_characters_are_those_of_the_note() -> None:
    text = "🙂 Straße. Ménière’s disease!"
    words, found = term_locator().locate(text, sentence_edges(text))
    (first, *_, last) = (words.tokens[at] for at in found[0].tokens)
    assert text[first.begin : last.end] == "Ménière’s disease"


def test_nothing_is_found_in_nothing() -> None:
    for text in ("", " \n\n ", "…", "0", "\u0301", "a" * 5_000):
        assert located(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Blood type", []),
        ("Lesion, primary", [{"lesion", "primari"}]),
        ("severe AS", []),
        ("↑CRP", []),
        (
            "Diabetes mellitus due to type 2",
            [{"diabet", "mellitus", "type", "2"}, {"diabet", "mellitus", "2"}],
        ),
        ("Anxiety in diseases classified elsewhere", []),
        ("Rule out", [{"rule", "out"}]),
    ],
)
def test_bags_keep_what_tells_a_term(text: str, expected: list[set[str]]) -> None:
    assert [set(bag) for bag in bags_of(text)] == expected
