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
    wrong += [say("wrong", "0", "C2", Span(27, 30))]
    systems = {"half": Corpus.of([], half), "wrong": Corpus.of([], wrong)}
    Corpus.of(notes, gold).write(tmp_path / "mine")
    train = Corpus.of([Note("t", "t", text="cold")], [say("gold", "t", "C1", Span(0, 4))])
    found = evaluate_entities(
        Corpus.open(tmp_path / "mine"), systems, train=train, times=50, seed=7
    )
    entities_report(found, tmp_path / "page.html", name="mine", access="only me")
    return (tmp_path / "page.html").read_text(encoding="utf-8")


def cells(page: str, heading: str, row: str) -> list[str]:
    """The cells of a row of the first table under a heading."""
    under = page[page.index(f"<h2>{heading}") :]
    found = re.search(rf"<th>{row}.*?</th>(.*?)</tr>", under, re.DOTALL)
    assert found is not None
    return [
        re.sub(r"<.*?>", " ", cell).strip()
        for cell in re.findall(r"<td.*?>(.*?)</td>", found[1], re.DOTALL)
    ]


def test_the_heat_map_has_the_accuracies(page: str) -> None:
    every, top, words, *_ = cells(page, "Accuracy by subset", "half")
    assert every == "50.0 50.0–50.0"  # half of every note, so that resampling changes nothing
    assert top == "100.0 100.0–100.0"
    assert words == "–"  # none is multi-word
    assert cells(page, "Accuracy by subset", "wrong")[0].startswith("0.0")
    assert cells(page, "Accuracy by subset", "pooled")[0].startswith("50.0")


def test_errors_are_shown_by_cause_in_their_context(page: str) -> None:
    assert cells(page, "Error causes", "missed") == ["4", "3"]
    assert cells(page, "Error causes", "boundary") == ["0", "1"]
    assert cells(page, "Error causes", "other concept") == ["0", "4"]
    row = re.search(r'<tr data-system="wrong" data-cause="other concept">.*?</tr>', page, re.DOTALL)
    assert row is not None
    assert ">4<" in row[0]  # four times the same error is one row
    assert '<mark class="gold">cold</mark>' in row[0]
    assert "C9" in row[0]
    row = re.search(r'<tr data-system="wrong" data-cause="boundary">.*?</tr>', page, re.DOTALL)
    assert row is not None
    assert "nothing on this span" in row[0]
    assert re.search(r"on “ast”</span> <span class=\"code\">C2<", row[0])


def test_the_page_says_whose_text_it_shows_and_escapes_it(page: str) -> None:
    assert "Who may see them: only me." in page
    assert "<i>cold" not in page
    assert "&lt;i&gt;" in page


def test_what_is_undefined_says_why(page: str) -> None:
    assert re.search(r"no_direct_match</span>, there is no vocabulary", page)
    assert re.search(r"hierarchy_path</span>, there is no vocabulary with parents", page)


def test_the_page_says_how_to_get_its_numbers_again(page: str) -> None:
    foot = re.sub(r"<.*?>", " ", page[page.index('<footer class="foot">') :])
    for said in ("annotator  gold", "resamples  50", "seed  7", "training  corpus", "rule  any"):
        assert said in foot
    assert re.search(r"digests  gold [0-9a-f]{12}", foot)


def test_systems_are_compared_on_every_measure(page: str) -> None:
    assert 'data-metric="accuracy on unseen_text"' in page
    # Of 16 shuffles of 4 notes two change nothing.
    assert "the smallest possible p is 0.1250" in page
