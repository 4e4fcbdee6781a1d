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
    "note-unmarked",
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
        ("Lasix 15 mg PO", "mg", "amount-marked"),
        ("Glucose 90 mg/dL", "mg/dL", "amount-marked"),
        ("SaO2 90 %", "%", "amount-marked"),
        ("Temp 38 C", "38 C", "amount-marked"),
    ],
)
def test_words_that_are_left_alone(text: str, mark: str, check: str) -> None:
    assert list(findings(text, (mark, "C1"))) == [check]


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("Anaemia 2/2 blood loss", "2/2"),
        ("Vitamin C", "C"),
        ("h/o asthma", "h/o"),
        ("HR 80", "HR"),
        ("Mg 1.9", "Mg"),
        ("MM in remission", "MM"),
    ],
)
def test_what_looks_like_an_amount_and_is_none(text: str, mark: str) -> None:
    assert findings(text, (mark, "C1")) == {}


def test_short_terms_are_looked_for_in_their_own_case() -> None:
    found = findings("pt is well. PT 14. Seen by pt.", ("pt", "C1"))
    assert found["repeat-unmarked"].count == 1
    assert found["repeat-unmarked"].example == "note n 27–29 by ann"


def test_discontinuous_marks_are_examined() -> None:
    def on(*rows: tuple[str, tuple[Span, ...]], text: str) -> set[str]:
        said = [Annotation("ann", Code("UMLS", c), "c", "n", spans) for c, spans in rows]
        corpus = Corpus.of([Note("n", "c", text=text)], said)
        return {f.check for f in examine(corpus, concepts=True) if f.check in GUIDELINES}

    breast = (Span(0, 6), Span(19, 25))
    text = "breast and ovarian cancer"
    assert on(("C1", breast), ("C1", (Span(0, 6),)), text=text) == {"part-says-the-same"}
    assert on(("C1", breast), ("C1", (Span(11, 18),)), text=text) == set()
    apart = (Span(0, 11), Span(15, 17))
    assert on(("C1", apart), text="no evidence at of") == {"negation-marked"}
    parts = [("C1", (Span(0, 6),)), ("C2", (Span(19, 25),))]
    assert on(("CUI-less", breast), *parts, text=text) == {"compound-cui-less"}
    # The second place of a part is marked, as a part of something.
    assert on(("C1", breast), ("C2", (Span(26, 32),)), text=f"{text} cancer") == set()


def test_notes_that_nobody_marked_are_said() -> None:
    notes = [Note(n, "c", text="asthma") for n in ("n", "m")]
    mark = Annotation("ann", Code("UMLS", "C1"), "c", "n", (Span(0, 6),))
    (found,) = (
        f for f in examine(Corpus.of(notes, [mark]), concepts=True) if f.check == "note-unmarked"
    )
    assert (found.count, found.example) == (1, "note m")
    bare = examine(Corpus.of(notes), concepts=True)  # a corpus before anybody has begun
    assert "note-unmarked" not in {f.check for f in bare}


def test_every_example_has_its_text() -> None:
    text = "Fever. " + "x " * 40 + "fever, " + "y " * 40 + "fever"
    annotation = Annotation("ann", Code("UMLS", "C1"), "c", "n", (Span(0, 5),))
    corpus = Corpus.of([Note("n", "c", text=text)], [annotation])
    (found,) = (
        f
        for f in examine(corpus, concepts=True, show_text=True, examples=3)
        if f.check == "repeat-unmarked"
    )
    assert len(found.examples) == len(found.texts) == 2
    assert "x fever, y" in found.texts[0]
    assert found.texts[1].endswith("y fever")


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
    assert list(findings(text, (text, "cui-less"), *parts)) == ["compound-cui-less"]
    assert not findings(text, (text, "CUI-LESS"), (parts[0][0], "cui-less"), parts[1])


def test_annotators_are_examined_apart_and_only_when_asked() -> None:
    note = Note("n", "c", text="Crohn's disease")
    annotations = [
        Annotation("one", Code("UMLS", "C1"), "c", "n", (Span(0, 15),)),
        Annotation("two", Code("UMLS", "C1"), "c", "n", (Span(0, 7),)),
    ]
    corpus = Corpus.of([note], annotations)
    assert not {f.check for f in examine(corpus, concepts=True)} & set(GUIDELINES)
    alone = Annotation("one", Code("UMLS", "C1"), "c", "n", (Span(0, 7),))
    broken = corpus.with_annotations([alone])
    assert "part-says-the-same" in {f.check for f in examine(broken, concepts=True)}
    assert not {f.check for f in examine(broken)} & set(GUIDELINES)
