"""The page of a coder at work, where a corpus is not whole."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner
from tests.contracts.test_coders import SYSTEM, ward

from auscult.cli.main import auscult
from auscult.core import Annotation, Code, Note, Span
from auscult.corpus import Corpus


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
    ward_at, coder, page = (str(tmp_path / name) for name in ("ward", "coder", "page.html"))
    for words in (
        ["train", ward_at, coder, "--coder", "linear"],
        ["report", coder, ward_at, page, "--bootstrap", "0", "--charts", "60"],
    ):
        done = CliRunner().invoke(auscult, words, catch_exceptions=False)
        assert done.exit_code == 0, done.output
    assert "(in a note without text)" in Path(page).read_text(encoding="utf-8")
