"""`auscult predict` on plain texts: of what kind they are, what passes, what the terminal says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.cli.test_models import answer
from tests.contracts.test_models import PHRASES, SYSTEM, ward

from auscult.cli.main import auscult
from auscult.cli.show import say_chart
from auscult.core import Annotation, Code, Note, Span
from auscult.corpus import Chart, Corpus

NOTE = "Patient was seen. Treated for pneumonia."


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Learned from discharge summaries with evidence, and more nursing notes with none."""
    place = tmp_path_factory.mktemp("texts")
    corpus = ward(60)
    summaries = list(corpus.iter_notes())
    nursing = [
        replace(note, note_id=f"{note.note_id}{at}", category="Nursing", text="Seen on rounds.")
        for note in summaries
        for at in "ab"
    ]
    Corpus.of([*summaries, *nursing], corpus.iter_annotations()).write(place / "corpus")
    answer("train", place / "corpus", place / "model", "--model", "linear")
    return place / "model"


def said(model: Path, text: str, *words: str, code: int = 0) -> str:
    done = CliRunner().invoke(auscult, ["predict", str(model), "-", "-", *words], input=text)
    assert done.exit_code == code, done.output
    return done.stdout


def test_a_text_is_of_the_kind_that_most_evidence_was_in(model: Path, tmp_path: Path) -> None:
    def category(*words: str) -> str | None:
        answer("predict", model, "-", tmp_path / "found", "--overwrite", *words, text=NOTE)
        [note] = Corpus.open(tmp_path / "found").iter_notes()
        return note.category

    assert category() == "Discharge summary"
    assert category("--default-category", "Nursing") == "Nursing"


def test_other_thresholds_give_more_codes_and_fewer_words(model: Path) -> None:
    def found(*words: str) -> list[dict[str, object]]:
        made: list[dict[str, object]] = answer("predict", model, "-", "-", *words, text=NOTE)[
            "predicted"
        ]
        return made

    assert "J18.9" in {one["code"] for one in found()} != set(PHRASES)
    assert {one["code"] for one in found("--threshold", "0")} == set(PHRASES)
    assert found("--threshold", "1") == []
    assert all(one["spans"] for one in found("--evidence-threshold", "0.01"))
    assert len(found("--evidence-threshold", "0.01")) >= len(found())
    done = CliRunner().invoke(auscult, ["predict", str(model), "-", "-", "--threshold", "2"])
    assert done.exit_code == 2


def test_the_terminal_names_what_is_below_the_threshold(model: Path) -> None:
    high = said(model, NOTE, "--threshold", "1")
    assert "No code reached the threshold." in high
    assert "Below the threshold (--threshold): J18.9 Pneumonia, unspecified organism" in high
    given = said(model, NOTE, "--threshold", "0.3")
    assert "No code reached the threshold." not in given
    ranked = said(model, NOTE, "--threshold", "1", "--ranked", "2")
    assert ranked.count("not assigned") == 2
    assert "Below the threshold" not in ranked
    empty = said(model, " .\n", code=1)
    assert "The model could not read any note: the notes have no text." in empty
    assert "passes" not in empty
    found = answer("predict", model, "-", "-", "--threshold", "1", text=NOTE)
    assert found["predicted"] == []
    assert found["annotations"] == 0


def test_the_terminal_shows_every_range_that_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    text = "Severe chronic cough, and cough again; no fever."
    cough, fever = Code(SYSTEM, "R05"), Code(SYSTEM, "R50.9")
    ranges = [(7, 20), (15, 20), (0, 14), (26, 31)]
    made = [
        *(Annotation("a", cough, "c", "n", (Span(*at),), 0.5) for at in ranges),
        Annotation("a", fever, "c", "n", (Span(42, 47),), 0.9),
        Annotation("b", cough, "c", "n", (Span(15, 20),), 0.9),
    ]
    say_chart(Chart("c", (Note("n", "c", text=text),), tuple(made)))
    shown = " ".join(capsys.readouterr().out.split())
    first = "Severe chronic[R05] cough[R05][R05][R05]"
    assert f"{first}, and cough[R05] again; no fever[R50.9]." in shown
    assert "a ICD-10-CM R05 Cough 0.50 4" in shown
