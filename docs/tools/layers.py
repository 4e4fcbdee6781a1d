"""The picture of the layers, drawn from the contract that import-linter checks."""

from __future__ import annotations

import ast
import textwrap
import tomllib
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[2]
_WIDTH, _HEAD, _LINE, _GAP, _MARGIN = 920, 28, 15, 10, 10
_LETTER = 7.0
_STYLE = """
text { font: 12px system-ui, sans-serif; fill: #3d4450 }
.name { font-weight: 600; font-size: 14px; fill: #14181f }
rect { fill: #f4f6f9; stroke: #8791a0 }
path { stroke: #8791a0; fill: none }
@media (prefers-color-scheme: dark) {
  text { fill: #b6bdc9 } .name { fill: #eef1f5 } rect { fill: #20252d; stroke: #6b7482 }
}"""


def contract() -> list[list[str]]:
    """The layers from top to bottom, each with the packages that share it."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    [layers] = [c["layers"] for c in settings["tool"]["importlinter"]["contracts"] if "layers" in c]
    return [[name.strip().removeprefix("auscult.") for name in row.split("|")] for row in layers]


def picture() -> str:
    """The picture as SVG: a box a package, a row a layer, imports from above to below."""
    boxes, top = [], float(_GAP)
    for row in contract():
        width = (_WIDTH - _MARGIN - _GAP * len(row)) / len(row)
        said = {name: textwrap.wrap(_about(name), int((width - 18) / _LETTER)) for name in row}
        height = _HEAD + _LINE * max(map(len, said.values()))
        for column, (name, lines) in enumerate(said.items()):
            boxes.append(_box(name, lines, _MARGIN + column * (width + _GAP), top, width, height))
        top += height + _GAP
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {top:.0f}" role="img" '
        f'aria-label="The layers of Auscult; each imports only from those below it">\n'
        f"<style>{_STYLE}\n</style>\n" + "".join(boxes) + "</svg>\n"
    )


def _box(name: str, lines: list[str], left: float, top: float, width: float, height: float) -> str:
    spans = "".join(
        f'<text x="{left + 9:.0f}" y="{top + 34 + _LINE * at:.0f}">{escape(line)}</text>'
        for at, line in enumerate(lines)
    )
    return (
        f'<rect x="{left:.0f}" y="{top:.0f}" width="{width:.0f}" height="{height}" rx="5"/>'
        f'<text class="name" x="{left + 9:.0f}" y="{top + 18:.0f}">{name}</text>{spans}\n'
    )


def _about(name: str) -> str:
    """The first sentence of the docstring of a package or module, without importing it."""
    place = ROOT / "src" / "auscult" / name
    file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    source = file.read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(source)) or "").partition("\n\n")[0].replace("\n", " ")
