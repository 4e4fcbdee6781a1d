"""The page about a vocabulary: shares as counted by hand, and text that stays text."""

from __future__ import annotations

from pathlib import Path

from auscult.codes.concept import Concept, Synonym
from auscult.codes.gems import packaged_gems
from auscult.codes.mapping import map_code
from auscult.codes.suggest import Suggester
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Annotation, Code, Note, Span
from auscult.report.vocabulary_report import MarkedText, ask, vocabulary_report

TIME, THERAPY, FEVER = (Code("UMLS", value) for value in ("C1", "C2", "C3"))
CONCEPTS = [
    Concept(TIME, "Prothrombin time", (Synonym("PT"), Synonym("Protime")), ("Test",)),
    Concept(THERAPY, "Physical therapy", (Synonym("PT"),), ("Procedure",)),
    Concept(FEVER, "Fever <s>", (Synonym("fever"),), ("<i>Finding</i>",)),
]
TEXT = "Physical therapy (PT) daily, PT again. <script>fever</script>\n"


def marked(text: str, *codes: Code) -> MarkedText:
    return MarkedText(text, frozenset(codes), TEXT)


def test_ranks_are_those_of_the_first_right_code(tmp_path: Path) -> None:
    suggester = Suggester(Vocabulary.build(CONCEPTS, tmp_path / "v"))
    asked = [marked("PT", THERAPY), marked("PT", TIME, THERAPY), marked("daily", FEVER)]
    assert [answer.rank for answer in ask(suggester, asked, in_note=False)] == [2, 1, None]
    assert [answer.rank for answer in ask(suggester, asked, in_note=True)] == [1, 1, None]


def test_the_page(tmp_path: Path) -> None:
    vocabulary = Vocabulary.build(CONCEPTS, tmp_path / "v")
    suggester = Suggester(vocabulary)
    asked = [marked("PT", THERAPY), marked("fever", FEVER), marked("<u>", FEVER)]
    file = tmp_path / "page.html"
    vocabulary_report(
        file,
        vocabulary,
        note=Note("n", "c", category="<h3>", text=TEXT),
        found=[Annotation("v", FEVER, "c", "n", (Span(47, 52),), 1.0)] * 3,
        ways={
            "alone": ask(suggester, asked, in_note=False),
            "in note": ask(suggester, asked, in_note=True),
        },
        mapped=[map_code(Code("ICD-10-CM", "I10"), packaged_gems("ICD-10-CM", "ICD-9-CM"))],
        steps={"multiple": 1},
        made={},
        shows_text="whose text this is",
    )
    page = file.read_text(encoding="utf-8")
    # Alone, one of three is first and one second; in its note, two are first.
    assert page.index("33.3%") < page.index("66.7%")
    assert page.count("66.7%") == 5
    assert "whose text this is" in page
    assert "401.9" in page
    assert page.count("<mark") == 4
    for tag in ("<script>fever", "<s>", "<i>Finding", "<u>", "<h3>"):
        assert tag not in page
