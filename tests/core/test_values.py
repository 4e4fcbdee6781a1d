"""Notes, codes, annotations, measures and errors as values."""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import auscult
from auscult.core import (
    Annotation,
    AuscultError,
    Code,
    FormatError,
    Metric,
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


_TELLING = {"text", "texts", "quote", "quoted", "word", "words", "sentence", "context", "covered"}
# Of a vocabulary or a code book, not of a note.
_PUBLIC = {
    "auscult.codes.alphabetic.columns.Row",
    "auscult.codes.alphabetic.references.Reference",
    "auscult.codes.alphabetic.titles.Title",
    "auscult.codes.concept.Synonym",
    "auscult.codes.lookup.terms.SearchTerm",
    "auscult.codes.tabular.entries.Instruction",
}


def test_no_value_of_the_package_shows_text() -> None:
    """Every class that holds words of a note leaves them out of its repr."""
    showing = set()
    for found in pkgutil.walk_packages(auscult.__path__, "auscult."):
        # Migrations run when they are imported, which only Alembic does.
        left_out = ("auscult.synth", "auscult.__main__", "auscult.server.database.migrations")
        if found.name.startswith(left_out):
            continue
        for kind in vars(importlib.import_module(found.name)).values():
            if not isinstance(kind, type) or not kind.__module__.startswith("auscult."):
                continue
            name = f"{kind.__module__}.{kind.__qualname__}"
            if dataclasses.is_dataclass(kind) and kind.__repr__ is not object.__repr__:
                shown = {
                    f.name for f in dataclasses.fields(kind) if f.repr and "str" in str(f.type)
                }
            else:
                shown = set(getattr(kind, "_fields", ()))
            if shown & _TELLING and name not in _PUBLIC:
                showing.add(f"{name}: {', '.join(sorted(shown & _TELLING))}")
    assert showing == set()


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
        Metric("f1", "", value=1.0, undefined="no pairs")
    with pytest.raises(AuscultError, match="not both"):
        Metric("f1", "")
    assert Metric("f1", "", undefined="no pairs").to_dict()["value"] is None


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
