"""Notes, codes, annotations, measures and errors as values."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest

from auscult.core import (
    Annotation,
    AuscultError,
    Code,
    FormatError,
    Measure,
    Note,
    Span,
    SpanError,
)


def test_a_notes_text_never_shows() -> None:
    note = Note("n1", "c1", text="SECRET", meta={"description": "SECRET"})
    annotation = Annotation(
        "a", Code("x", "y"), "c1", "n1", (Span(0, 6),), meta={"quote": "SECRET"}
    )
    for value in (note, annotation, [note], {"key": annotation}):
        assert "SECRET" not in repr(value)
        assert "SECRET" not in str(value)


def test_values_are_frozen_and_hashable() -> None:
    note = Note("n1", "c1", meta={"a": "b"})
    assert hash(note) == hash(Note("n1", "c1", meta={"a": "b"}))
    with pytest.raises(dataclasses.FrozenInstanceError):
        note.text = "changed"  # type: ignore[misc]  # that is the test


def test_spans_without_a_note_are_an_error() -> None:
    with pytest.raises(SpanError, match="no note"):
        Annotation("a", Code("x", "y"), "c1", None, (Span(0, 1),))


def test_a_code_needs_both_parts() -> None:
    with pytest.raises(AuscultError, match="system and a value"):
        Code("ICD-10-CM", "")


def test_a_measure_has_a_value_or_a_reason() -> None:
    with pytest.raises(AuscultError, match="not both"):
        Measure("f1", "", value=1.0, undefined="no pairs")
    with pytest.raises(AuscultError, match="not both"):
        Measure("f1", "")
    assert Measure("f1", "", undefined="no pairs").to_dict()["value"] is None


def test_an_error_names_file_and_row() -> None:
    assert str(FormatError("too long", Path("a/b.csv"), 3)) == "a/b.csv row 3: too long"
    assert str(FormatError("too long")) == "too long"


def test_import_is_light() -> None:
    heavy = ("polars", "pydantic", "torch", "rich", "jinja2", "numpy")
    script = (
        "import sys, auscult, auscult.cli.main\n"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
