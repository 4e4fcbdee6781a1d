"""The page of a model at work: how far its scores are right, and a corpus that is not whole."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner
from tests.contracts.test_models import SYSTEM, ward

from auscult.cli.main import auscult
from auscult.core import Annotation, Code, Note, Span
from auscult.corpus import Corpus
from auscult.models.model import Model


def run(*words: str) -> None:
    done = CliRunner().invoke(auscult, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output


def test_the_page_says_how_far_scores_are_from_how_often_they_are_right(tmp_path: Path) -> None:
    corpus = ward(90, missed=0.3)
    corpus.write(tmp_path / "ward")
    ward_at, model, found, page = (
        str(tmp_path / name) for name in ("ward", "model", "found", "page.html")
    )
    run("train", ward_at, model, "--model", "linear")
    run("predict", model, ward_at, found, "--split", "test", "--ranked", "all")
    run("report", ward_at, found, page, "--bootstrap", "0")
    loaded, test = Model.load(model), corpus.select(splits=["test"])
    gold = {(a.chart_id, a.code) for a in test.iter_annotations()}
    pairs = [
        (float(score), (reading.text.chart_id, code) in gold)
        for reading in loaded.read(test.iter_notes())
        for code, score in zip(loaded.labels.codes, reading.scores, strict=True)
    ]
    said = [(score, right) for score, right in pairs if score >= 0.1]
    off = 0.0
    for tenth in range(10):
        part = [(s, right) for s, right in said if min(int(s * 10), 9) == tenth]
        off += abs(sum(s for s, _ in part) - sum(right for _, right in part))
    assert 0 < len(said) < len(pairs)
    shown = f"for scores of 0.1 or more: {off / len(said):.3f}."
    assert shown in Path(page).read_text(encoding="utf-8")


def test_evidence_in_a_note_without_text_is_told_and_not_quoted(tmp_path: Path) -> None:
    """As after a merge with evidence on notes that were not imported."""
    corpus = ward(60)
    notes, annotations = list(corpus.iter_notes()), list(corpus.iter_annotations())
    last = notes[-1]
    value = annotations[-1].code.value
    notes.append(Note("elsewhere", last.chart_id, last.subject_id, "Echo", split=last.split))
    annotations.append(
        Annotation("gold", Code(SYSTEM, value), last.chart_id, "elsewhere", (Span(40, 52),))
    )
    Corpus.of(notes, annotations).write(tmp_path / "ward")
    ward_at, model, found, page = (
        str(tmp_path / name) for name in ("ward", "model", "found", "page.html")
    )
    run("train", ward_at, model, "--model", "linear")
    run("predict", model, ward_at, found, "--split", "test")
    run("report", ward_at, found, page, "--bootstrap", "0", "--examples", "60")
    assert "(in a note without text)" in Path(page).read_text(encoding="utf-8")
