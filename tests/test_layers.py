"""Imports go down the layers, and the layers are those of the design."""

from __future__ import annotations

import ast
import logging
from pathlib import Path

import pytest
from docs.tools import layers
from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports

_ROOT = Path(__file__).parents[1]


def test_imports_go_down(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(_ROOT)
    before = [
        one for one in logging.root.manager.loggerDict.values() if isinstance(one, logging.Logger)
    ]
    silent = {one.name for one in before if one.disabled}
    assert lint_imports(no_cache=True) == EXIT_STATUS_SUCCESS, capsys.readouterr().out
    for one in before:  # it configures logging for itself, and silences all others
        one.disabled = one.name in silent


def test_every_package_has_its_layer() -> None:
    rows = [set(row) for row in layers.contract()]
    packages = {file.parent.name for file in (_ROOT / "src" / "auscult").glob("*/__init__.py")}
    packages.add("api")  # a module with a layer of its own
    assert set().union(*rows) == packages
    assert {"audit", "experiment"} in rows
    place = {name: at for at, row in enumerate(rows) for name in row}
    assert place["report"] < place["experiment"] < place["evaluate"] == place["models"]
    assert place["models"] < place["deid"] < place["corpus"] < place["learning"] < place["core"]


def test_pages_run_no_model() -> None:
    """Reports take results: whoever draws must not train or predict."""
    for file in (_ROOT / "src" / "auscult" / "report").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                assert not node.module.startswith(("auscult.models", "auscult.generators")), file
