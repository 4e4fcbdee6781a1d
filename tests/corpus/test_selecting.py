"""A part of a corpus."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

from auscult.cli.main import auscult
from auscult.core import Annotation, Code, Note, OptionError, Span
from auscult.corpus import Corpus
from auscult.corpus.selecting import only_annotated

NOTES = [
    Note("1", "a", text="asthma", split="train"),
    Note("2", "a", text="cold", split="test"),
    Note("3", "b", text="fever", split="test"),
    Note("4", "c", text="gout", split="test"),
]
SAID = [
    Annotation("gold", Code("UMLS", "C1"), "a", "1", (Span(0, 6),)),
    Annotation("second", Code("UMLS", "C2"), "a", "2", (Span(0, 4),)),
    Annotation("gold", Code("ICD-10-CM", "R50.9"), "b"),
    Annotation("gold", Code("ICD-10-CM", "J45.909"), "a"),
]


def ids(corpus: Corpus) -> list[str]:
    return [note.note_id for note in corpus.iter_notes()]


def test_notes_that_nobody_annotated_are_left_out() -> None:
    """A code of a whole chart says of none of its notes that it was read; it stays with them."""
    records = pl.DataFrame({"chart_id": ["a", "c"], "value": [1, 2]})
    kept = only_annotated(Corpus.of(NOTES, SAID, records))
    assert ids(kept) == ["1", "2"]
    assert [a.code.value for a in kept.iter_annotations()] == ["C1", "C2", "J45.909"]
    assert kept.records is not None
    assert kept.records["chart_id"].to_list() == ["a"]


def test_the_command(tmp_path: Path) -> None:
    Corpus.of(NOTES, SAID).write(tmp_path / "all")

    def run(name: str, *words: str) -> dict[str, object]:
        done = CliRunner().invoke(
            auscult,
            ["corpus", "select", str(tmp_path / "all"), str(tmp_path / name), *words, "--json"],
            catch_exceptions=False,
        )
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)  # type: ignore[no-any-return]  # the command prints an object

    found = run("some", "--annotated")
    assert (found["notes"], found["notes_before"]) == (2, 4)
    assert ids(Corpus.open(tmp_path / "some")) == ["1", "2"]
    run("gold", "--annotated", "--annotator", "gold", "--system", "UMLS")
    assert ids(Corpus.open(tmp_path / "gold")) == ["1"]
    run("test", "--split", "test")
    assert ids(Corpus.open(tmp_path / "test")) == ["2", "3", "4"]
    with pytest.raises(OptionError, match="Choose what to keep"):
        run("nothing")
    with pytest.raises(OptionError, match="no split 'dev'"):
        run("nothing", "--split", "dev")
    with pytest.raises(OptionError, match=r"Nothing in .* matches"):
        run("nothing", "--annotated", "--annotator", "second", "--split", "train")
    assert not (tmp_path / "nothing").exists()
