"""The synthetic hospital through the formats: what goes out comes back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from auscult.core import Note
from auscult.corpus import Corpus, formats
from auscult.corpus.compare import differences
from auscult.corpus.doctor import Severity, examine
from auscult.synth import hospital


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("hospital") / "hospital"
    hospital.make_hospital(out, patients=12, seed=5)
    return out


@pytest.fixture(scope="module")
def corpus(made: Path) -> Corpus:
    """Notes with evidence and nested concepts on them, and an emoji in every note."""
    whole = formats.read("mimic3", made / "mimic3")
    for part in ("Inpatient", "Profee"):
        whole = whole.merge(formats.read("mdace", made / "mdace" / "data" / part / "ICD-10"))
    concepts = formats.read("jsonl", made / "concepts" / "annotations.jsonl")
    annotations = [a for a in [*whole.iter_annotations(), *concepts.iter_annotations()] if a.spans]

    def with_emoji(note: Note) -> Note:
        head = "🩺 "
        return replace(note, text=head + (note.text or ""), meta={})

    moved = [replace(a, spans=tuple(s.shift(2) for s in a.spans)) for a in annotations]
    return Corpus.of(map(with_emoji, whole.iter_notes()), moved)


def test_evidence_is_where_the_notes_say_it_is(corpus: Corpus) -> None:
    bad = [f for f in examine(corpus) if f.severity is Severity.ERROR]
    assert bad == []


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("webanno", {}),
        ("cas", {"encoding": "xmi"}),
        ("cas", {"encoding": "json"}),
        ("bioc", {"kind": "json"}),
        ("jsonl", {}),
        ("csv", {}),
    ],
)
def test_round_trip(name: str, options: dict[str, Any], corpus: Corpus, tmp_path: Path) -> None:
    losses = formats.write(name, corpus, tmp_path / "out", **options)
    assert losses == []
    assert differences(corpus, formats.read(name, tmp_path / "out")) == []


def test_the_tables_come_back_from_mimic(made: Path, tmp_path: Path) -> None:
    first = formats.read("mimic3", made / "mimic3")
    assert formats.write("mimic3", first, tmp_path / "out") == []
    assert differences(first, formats.read("mimic3", tmp_path / "out")) == []


def test_evidence_comes_back_from_mdace(made: Path, tmp_path: Path) -> None:
    source = made / "mdace" / "data" / "Inpatient" / "ICD-10"
    first = formats.read("mdace", source, splits=made / "mdace" / "splits" / "Inpatient")
    formats.write("mdace", first, tmp_path / "out")
    again = formats.read("mdace", tmp_path / "out", annotator="inpatient")
    assert differences(first, again, ignore=["split"]) == []
    assert {note.split for note in first.iter_notes()} <= {"train", "val", "test"}
