"""`auscult external`, as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from auscult.cli.main import auscult
from auscult.core import Annotation, Code, Note, OptionError, Span
from auscult.corpus import Corpus

TEXT = "🫀 Severe asthma."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    gold = Annotation("gold", Code("UMLS", "C1"), "c", "n", (Span(2, 15),))
    Corpus.of([Note("n", "c", text=TEXT)], [gold]).write(tmp_path / "corpus")
    row = {"note_id": "n", "start": 3, "end": 16, "cui": "C1"}  # in UTF-16 units, without a quote
    (tmp_path / "found.jsonl").write_text(json.dumps(row))
    return tmp_path


def run(folder: Path, corpus: str, out: str, *words: str) -> dict[str, Any]:
    given = ["external", "quickumls", folder / "found.jsonl", folder / corpus, folder / out]
    done = CliRunner().invoke(auscult, [*map(str, given), *words, "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_what_offsets_count_can_be_told(folder: Path) -> None:
    found = run(folder, "corpus", "both", "--offsets", "utf16")
    assert (found["annotations"], found["annotator"]) == (1, "quickumls")
    (made,) = Corpus.open(folder / "both").select(annotators=["quickumls"]).iter_annotations()
    assert made.spans[0].of(TEXT) == "Severe asthma"


def test_nobody_signs_for_another(folder: Path) -> None:
    run(folder, "corpus", "both", "--offsets", "utf16")
    for corpus, words in (("both", ()), ("corpus", ("--sign-as", "gold"))):
        with pytest.raises(
            OptionError, match=r"1 annotations of the corpus are already by an annotator"
        ):
            run(folder, corpus, "again", *words)
    assert not (folder / "again").exists()
    found = run(folder, "both", "again", "--offsets", "utf16", "--sign-as", "quickumls 2")
    assert found["annotations"] == 1
