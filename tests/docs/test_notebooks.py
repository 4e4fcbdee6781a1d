"""The notebooks run from top to bottom, and what is committed has their outputs."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

_NOTEBOOKS = sorted((Path(__file__).parents[2] / "docs" / "notebooks").glob("*.ipynb"))
_LONGEST_CLASS = 40


def _read(file: Path) -> Any:
    return nbformat.read(file, as_version=4)  # type: ignore[no-untyped-call]  # has no types


@pytest.mark.parametrize("file", _NOTEBOOKS, ids=lambda file: file.stem)
def test_it_runs_and_shows_what_it_shows(file: Path, tmp_path: Path) -> None:
    committed = _read(file)
    cells = [cell for cell in committed.cells if cell.cell_type == "code"]
    assert all(cell.execution_count is not None for cell in cells), "run it and save it"
    fresh = _read(file)
    for cell in fresh.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    kernel = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(fresh, timeout=600, kernel_name="python3", resources=kernel).execute()
    ran = [cell for cell in fresh.cells if cell.cell_type == "code"]
    for then, now in zip(cells, ran, strict=True):
        assert _shown(now) == _shown(then), then.source


def _shown(cell: Any) -> list[str]:
    return [str(one.get("text") or one["data"]["text/plain"]) for one in cell.outputs]


def test_a_model_of_ones_own_is_short() -> None:
    [file] = [file for file in _NOTEBOOKS if file.stem == "your_own_pytorch_model"]
    source = "\n".join(
        cell.source
        for cell in _read(file).cells
        if cell.cell_type == "code" and "class " in cell.source
    )
    classes = [node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)]
    lines = [
        line
        for node in classes
        for line in (ast.get_source_segment(source, node) or "").splitlines()
        if line.strip()
    ]
    assert len(classes) == 1
    assert 10 < len(lines) < _LONGEST_CLASS
