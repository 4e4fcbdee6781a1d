"""Finding terms in text, held against a plain search; places are exact in any script."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

from auscult.codes.concept import Concept, Synonym
from auscult.codes.find import TermFinder, longest
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Code, OptionError, Span


def finder(folder: Path, *names: str, **options: object) -> TermFinder:
    concepts = [Concept(Code("x", name), name, types=(f"{len(name)}",)) for name in names]
    return TermFinder(Vocabulary.build(concepts, folder / "v"), **options)  # type: ignore[arg-type]  # as given


def found(finder: TermFinder, text: str) -> list[str]:
    return [f"{o.code.value}@{o.span.begin}-{o.span.end}" for o in finder.find(text)]


def test_nested_and_overlapping_terms_are_all_found(tmp_path: Path) -> None:
    names = ("Severe", "Asthma", "Asthma exacerbation", "Severe asthma exacerbation",
             "exacerbation of symptoms", "exacerbation")  # fmt: skip
    text = "Severe Asthma Exacerbation of symptoms."
    assert found(finder(tmp_path, *names), text) == [
        "Severe asthma exacerbation@0-26",
        "Severe@0-6",
        "Asthma exacerbation@7-26",
        "Asthma@7-13",
        "exacerbation of symptoms@14-38",
        "exacerbation@14-26",
    ]


def test_the_paper_s_first_example(tmp_path: Path) -> None:
    concepts = [
        Concept(Code("UMLS", "C0277797"), "Afebrile", (Synonym("Afeb"),)),
        Concept(Code("UMLS", "C0042313"), "Vancomycin", (Synonym("vanco"),)),
        Concept(Code("UMLS", "C0031955"), "Piperacillin", (Synonym("pip"),)),
        Concept(Code("UMLS", "C1287928"), "Urine output", (Synonym("UO"),)),
    ]
    text = "Afeb. On\nvanco, pip.\nUO marginal"
    occurrences = TermFinder(Vocabulary.build(concepts, tmp_path / "v")).find(text)
    assert [(o.code.value, o.span.of(text)) for o in occurrences] == [
        ("C0277797", "Afeb"),
        ("C0042313", "vanco"),
        ("C0031955", "pip"),
        ("C1287928", "UO"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("unfebrile fever feverish", ["fever@10-15"]),
        ("fever.", ["fever@0-5"]),
        ("(fever)", ["fever@1-6"]),
        ("fever's", ["fever@0-5"]),
        ("fever2", []),
        ("anti-fever", ["fever@5-10"]),
        ("chest\n  pain", ["chest pain@0-12"]),
        ("chest\t\tpain", ["chest pain@0-11"]),
        ("chest-pain", ["chest pain@0-10"]),
        ("chest\n\npain", []),
        ("chest\n \t\npain", []),
        ("chest, pain", []),
        ("chest. Pain", []),
        ("CHEST PAIN", ["chest pain@0-10"]),
        ("follow up", ["Follow-up@0-9"]),
        ("follow–up", ["Follow-up@0-9"]),
        ("", []),
        ("\n", []),
        ("-", []),
    ],
)
def test_word_boundaries_and_spacing(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert found(finder(tmp_path, "fever", "chest pain", "Follow-up"), text) == expected


@pytest.mark.parametrize(
    ("text", "covered"),
    [
        ("İİİ fever", ["fever"]),
        ("ß ß fever", ["fever"]),
        ("ﬁne ﬂu fever 😀 fever", ["fever", "fever"]),
        ("Sjögren syndrome", ["Sjögren syndrome"]),
        ("Sjo\u0308gren syndrome", ["Sjo\u0308gren syndrome"]),
        ("SJOGREN\u00a0SYNDROME", ["SJOGREN\u00a0SYNDROME"]),
        ("der Fuß und FUSS", ["Fuß", "FUSS"]),
        ("ﬁbrosis", ["ﬁbrosis"]),
        ("fe\u00adver\u200b ", ["fe\u00adver"]),
        ("cafe\u0301", ["cafe\u0301"]),
        ("½1½ x", []),
        ("Ménière", ["Ménière"]),
    ],
)
def test_places_are_exact_whatever_folding_does(
    tmp_path: Path, text: str, covered: list[str]
) -> None:
    names = ("fever", "Sjögren syndrome", "Fuss", "fibrosis", "café", "Meniere", "f", "s")
    assert [o.span.of(text) for o in finder(tmp_path, *names).find(text)] == covered


def test_short_forms_keep_to_their_case(tmp_path: Path) -> None:
    names = ("AS", "IT", "COPD", "HbA1c", "pt", "Cold", "ALL")
    text = "as it was, copd; AS and IT, COPD, HbA1c, hba1c, PT Pt pt, COLD cold all"
    strict = finder(tmp_path / "a", *names)
    assert [o.span.of(text) for o in strict.find(text)] == [
        "AS", "IT", "COPD", "HbA1c", "PT", "Pt", "pt", "COLD", "cold",
    ]  # fmt: skip
    loose = finder(tmp_path / "b", *names, case="loose")
    assert [o.span.of(text) for o in loose.find(text)] == [
        "copd", "AS", "IT", "COPD", "HbA1c", "hba1c", "PT", "Pt", "pt", "COLD", "cold",
    ]  # fmt: skip
    ignore = finder(tmp_path / "c", *names, case="ignore")
    assert len(ignore.find(text)) == 14


def test_symbols_of_two_letters_keep_to_their_case(tmp_path: Path) -> None:
    text = "Mg 1.8, Na 140. Aspirin 81 mg na. As before. Hg"
    strict = finder(tmp_path / "a", "Mg", "Na", "As", "Hg")
    assert [(o.span.of(text), o.span.begin) for o in strict.find(text)] == [
        ("Mg", 0),
        ("Na", 8),
        ("Hg", 45),
    ]


def test_in_a_line_of_capitals_case_says_nothing(tmp_path: Path) -> None:
    shouted = "PATIENT SAYS IT HURTS AS BEFORE. COPD.\nnow AS is known"
    occurrences = finder(tmp_path, "AS", "IT", "COPD").find(shouted)
    assert [(o.span.of(shouted), o.span.begin) for o in occurrences] == [("COPD", 33), ("AS", 43)]
    assert [o.code.value for o in finder(tmp_path / "b", "AS").find("AS\n")] == ["AS"]


def test_a_short_form_that_is_also_a_plain_term_is_found_in_any_case(tmp_path: Path) -> None:
    concept = Concept(Code("x", "1"), "COLD", (Synonym("cold"),))
    found = TermFinder(Vocabulary.build([concept], tmp_path / "v")).find("a Cold day")
    assert [o.span for o in found] == [Span(2, 6)]


def test_every_reading_is_given_with_its_share(tmp_path: Path) -> None:
    concepts = [
        Concept(Code("x", "time"), "Prothrombin time", (Synonym("pt", count=15),)),
        Concept(Code("x", "therapy"), "Physical therapy", (Synonym("pt", count=1),)),
        Concept(Code("x", "patient"), "Patient", (Synonym("pt"), Synonym("PT"))),
    ]
    occurrences = TermFinder(Vocabulary.build(concepts, tmp_path / "v")).find("Pt seen")
    assert [(o.code.value, o.score) for o in occurrences] == [
        ("time", 16 / 19),
        ("therapy", 2 / 19),
        ("patient", 1 / 19),
    ]


def test_readings_that_the_case_rules_out_have_no_share(tmp_path: Path) -> None:
    concepts = [
        Concept(Code("x", "therapy"), "Physical therapy", (Synonym("PT"),)),
        Concept(Code("x", "patient"), "Patient", (Synonym("pt"),)),
    ]
    finding = TermFinder(Vocabulary.build(concepts, tmp_path / "v"))
    assert [(o.code.value, o.score) for o in finding.find("Pt")] == [("patient", 1.0)]
    assert [(o.code.value, o.score) for o in finding.find("PT")] == [
        ("patient", 0.5),
        ("therapy", 0.5),
    ]


def test_filters_and_what_is_never_looked_for(tmp_path: Path) -> None:
    names = ("K", "10", "10 mg", "fever", "cough")
    assert found(finder(tmp_path / "a", *names), "K 10 mg fever") == ["10 mg@2-7", "fever@8-13"]
    short = finder(tmp_path / "b", *names, shortest=1)
    assert found(short, "K 10 mg") == ["K@0-1", "10 mg@2-7"]
    five = finder(tmp_path / "c", *names, types=["5"])
    assert found(five, "10 mg fever cough") == ["10 mg@0-5", "fever@6-11", "cough@12-17"]
    with pytest.raises(OptionError, match="semantic type"):
        finder(tmp_path / "d", *names, types=["no such"])
    with pytest.raises(OptionError, match="no case rule 'shouting'"):
        finder(tmp_path / "e", *names, case="shouting")


def test_many_texts_give_what_each_gives_alone(tmp_path: Path) -> None:
    finding = finder(tmp_path, "fever", "chest pain", "pain")
    texts = ["", "fever", "chest", "pain", "chest pain 😀 ﬁ", "x" * 70_000 + " fever", "İ pain"] * 5
    assert list(finding.find_all(texts)) == [finding.find(text) for text in texts]
    assert list(finding.find_all([])) == []


def plain_search(names: list[str], text: str) -> set[tuple[int, int, str]]:
    """Every name at every place where it stands as whole words, in text of plain letters."""
    pairs = set()
    for name in names:
        pattern = r"[ -]+".join(map(re.escape, re.split(r"[ -]", name)))
        for match in re.finditer(rf"(?<![a-z])(?=({pattern})(?![a-z]))", text.lower()):
            pairs.add((*match.span(1), name))
    return pairs


WORDS = st.sampled_from(["acute", "renal", "failure", "a", "ren", "al", "x-ray", "up"])


@settings(max_examples=examples(60), deadline=None)
@given(
    st.lists(st.lists(WORDS, min_size=1, max_size=4).map(" ".join), min_size=1, max_size=20),
    st.lists(st.tuples(WORDS, st.sampled_from([" ", "  ", ", ", "-", ". "])), max_size=25),
)
def test_the_same_as_a_plain_search(
    tmp_path_factory: pytest.TempPathFactory,
    names: list[str],
    pieces: list[tuple[str, str]],
) -> None:
    text = "".join(word + gap for word, gap in pieces)
    # Names that differ in hyphens only are one term; keep one of each.
    names = list({name.replace("-", " "): name for name in names}.values())
    finding = finder(tmp_path_factory.mktemp("f"), *names, shortest=1)
    occurrences = finding.find(text)
    pairs = {(o.span.begin, o.span.end, o.code.value) for o in occurrences}
    # A hyphen before a blank joins nothing, so it parts the words around it.
    joined = re.sub(r"-(?=\W|$)", ".", text)
    assert pairs == plain_search(names, joined)
    assert len(pairs) == len(occurrences)
    order = [(o.span.begin, -o.span.end) for o in occurrences]
    assert order == sorted(order)


@settings(deadline=None)
@given(st.text(st.sampled_from("abfever ﬁßİ\u0301\u00ad\u200bé-\n.😀AS")))
def test_every_place_holds_its_term(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    finding = finder(tmp_path_factory.mktemp("u"), "fever", "ﬁ", "ass", "e", "AS", "a b")
    for occurrence in finding.find(text):
        covered = occurrence.span.of(text)
        alone = [o for o in finding.find(covered) if o.code == occurrence.code]
        assert Span(0, len(covered)) in [o.span for o in alone]


def test_longest_keeps_every_reading_of_the_widest(tmp_path: Path) -> None:
    concepts = [
        Concept(Code("x", value), name)
        for value, name in (("1", "heart failure"), ("2", "heart failure"), ("3", "heart"))
    ]
    occurrences = TermFinder(Vocabulary.build(concepts, tmp_path / "v")).find(
        "heart failure, heart"
    )
    assert [(o.code.value, o.span.begin) for o in longest(occurrences)] == [
        ("1", 0),
        ("2", 0),
        ("3", 15),
    ]
