"""The doctor's checks of the guidelines for marking concepts."""

from __future__ import annotations

import pytest

from auscult.core import Annotation, Code, Note, Span
from auscult.corpus.corpus import Corpus
from auscult.corpus.doctor import Finding, examine

GUIDELINES = (
    "negation-marked",
    "doubt-marked",
    "amount-marked",
    "repeat-unmarked",
    "part-says-the-same",
    "compound-cui-less",
)


def findings(text: str, *marks: tuple[str, str], who: str = "ann") -> dict[str, Finding]:
    """What the guidelines find in a text whose n-th mark of a string is its n-th place."""
    used: dict[str, int] = {}
    annotations = []
    for said, value in marks:
        at = text.index(said, used.get(f"{said} {value}", 0))
        used[f"{said} {value}"] = at + 1
        span = Span(at, at + len(said))
        annotations.append(Annotation(who, Code("UMLS", value), "c", "n", (span,)))
    corpus = Corpus.of([Note("n", "c", text=text)], annotations)
    found = examine(corpus, concepts=True)
    return {f.check: f for f in found if f.check in GUIDELINES}


def test_a_note_marked_by_the_book_has_no_findings() -> None:
    found = findings(
        "Severe asthma exacerbation. Denies chest pain.",
        ("Severe asthma exacerbation", "C1"),
        ("Severe", "C2"),
        ("asthma exacerbation", "C3"),
        ("asthma", "C4"),
        ("chest pain", "C5"),
        ("chest", "C6"),
        ("pain", "C7"),
    )
    assert found == {}


@pytest.mark.parametrize(
    ("text", "mark", "check"),
    [
        ("Denies chest pain.", "Denies", "negation-marked"),
        ("No evidence of pneumonia.", "No evidence of", "negation-marked"),
        ("Likely pneumonia.", "Likely", "doubt-marked"),
        ("INR 3.1 today", "3.1", "amount-marked"),
        ("Lasix 15mg PO", "15mg", "amount-marked"),
    ],
)
def test_words_that_are_left_alone(text: str, mark: str, check: str) -> None:
    assert list(findings(text, (mark, "C1"))) == [check]


def test_a_term_tagged_once_of_five() -> None:
    text = "Fever. Then fever, fever and again\nfever. No FEVER. Feverish."
    found = findings(text, ("Fever", "C1"))
    assert found["repeat-unmarked"].count == 4
    assert found["repeat-unmarked"].example == "note n 12–17 by ann"
    assert found["repeat-unmarked"].text is None


def test_a_repeat_inside_another_mark_is_marked_enough() -> None:
    found = findings("Pain. Chest pain.", ("Pain", "C1"), ("Chest pain", "C2"))
    assert "repeat-unmarked" not in found


def test_a_part_that_says_the_same_as_its_whole() -> None:
    same = findings("Crohn's disease", ("Crohn's disease", "C1"), ("Crohn's", "C1"))
    assert list(same) == ["part-says-the-same"]
    assert not findings("Crohn's disease", ("Crohn's disease", "C1"), ("disease", "C2"))


def test_a_compound_whose_parts_are_marked_need_not_be_cui_less() -> None:
    text = "percutaneous drains"
    parts = (("percutaneous", "C1"), ("drains", "C2"))
    assert list(findings(text, (text, "CUI-less"), *parts)) == ["compound-cui-less"]
    assert not findings(text, (text, "CUI-less"), parts[0])
    assert not findings(text, (text, "C3"), *parts)


def test_annotators_are_examined_apart_and_only_when_asked() -> None:
    note = Note("n", "c", text="Crohn's disease")
    annotations = [
        Annotation("one", Code("UMLS", "C1"), "c", "n", (Span(0, 15),)),
        Annotation("two", Code("UMLS", "C1"), "c", "n", (Span(0, 7),)),
    ]
    corpus = Corpus.of([note], annotations)
    assert not {f.check for f in examine(corpus, concepts=True)} & set(GUIDELINES)
    negated = corpus.with_annotations([])
    assert not {f.check for f in examine(negated)} & set(GUIDELINES)
