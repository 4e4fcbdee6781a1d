"""The page about systems that find concepts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from auscult.core import Annotation, Code, Note, Span
from auscult.corpus import Corpus
from auscult.evaluate.entities import evaluate_entities
from auscult.report.entities_report import entities_report

TEXT = "A note about <i>cold</i> & asthma."
COLD, ASTHMA = Span(16, 20), Span(27, 33)


def say(who: str, note: str, value: str, span: Span) -> Annotation:
    return Annotation(who, Code("UMLS", value), note, note, (span,))


@pytest.fixture
def page(tmp_path: Path) -> str:
    ids = [str(n) for n in range(4)]
    notes = [Note(i, i, text=TEXT) for i in ids]
    gold = [
        say("gold", i, value, span) for i in ids for value, span in (("C1", COLD), ("C2", ASTHMA))
    ]
    half = [say("half", i, "C1", COLD) for i in ids]
    wrong = [say("wrong", i, "C9", COLD) for i in ids]
    systems = {"half": Corpus.of([], half), "wrong": Corpus.of([], wrong)}
    found = evaluate_entities(Corpus.of(notes, gold), systems, times=50)
    entities_report(found, tmp_path / "page.html", name="mine", access="only me")
    return (tmp_path / "page.html").read_text(encoding="utf-8")


def cells(page: str, heading: str, row: str) -> list[str]:
    """The cells of a row of the first table under a heading."""
    under = page[page.index(f"<h2>{heading}") :]
    found = re.search(rf"<th>{row}.*?</th>(.*?)</tr>", under, re.DOTALL)
    assert found is not None
    return [
        re.sub(r"<.*?>", "", cell) for cell in re.findall(r"<td.*?>(.*?)</td>", found[1], re.DOTALL)
    ]


def test_the_heat_map_has_the_accuracies(page: str) -> None:
    assert cells(page, "Accuracy by subset", "half") == ["50.0", "–"]  # none is multi-word
    assert cells(page, "Accuracy by subset", "wrong")[0] == "0.0"
    assert cells(page, "Accuracy by subset", "pooled")[0] == "50.0"


def test_errors_are_shown_by_cause_in_their_context(page: str) -> None:
    assert cells(page, "Why gold spans are wrong", "missed") == ["4", "4"]
    assert cells(page, "Why gold spans are wrong", "other concept") == ["0", "4"]
    row = re.search(r'<tr data-system="wrong" data-cause="other concept">.*?</tr>', page, re.DOTALL)
    assert row is not None
    assert ">4<" in row[0]  # four times the same error is one row
    assert '<mark class="gold">cold</mark>' in row[0]
    assert "C9" in row[0]


def test_the_page_says_whose_text_it_shows_and_escapes_it(page: str) -> None:
    assert "Who may see them: only me." in page
    assert "<i>cold" not in page
    assert "&lt;i&gt;" in page


def test_what_is_undefined_says_why(page: str) -> None:
    assert "there is no training corpus" in page
