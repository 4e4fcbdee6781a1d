"""No two public classes share a name, so that a name in a traceback or a page means one thing."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

_SOURCE = Path(__file__).parents[1] / "src" / "auscult"
_OF_A_CONTRACT = {"ReadOptions", "WriteOptions"}
"""What every format must have under that name."""


def test_public_classes_have_names_of_their_own() -> None:
    where: dict[str, list[str]] = defaultdict(list)
    for file in sorted(_SOURCE.rglob("*.py")):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                where[node.name].append(str(file.relative_to(_SOURCE)))
    assert len(where) > 500
    shared = {name: files for name, files in where.items() if len(files) > 1}
    assert set(shared) == _OF_A_CONTRACT


def test_nothing_in_models_has_the_name_of_a_layer() -> None:
    layers = {folder.name for folder in _SOURCE.iterdir() if (folder / "__init__.py").exists()}
    models = {path.stem for path in (_SOURCE / "models").iterdir()}
    assert not layers & models
