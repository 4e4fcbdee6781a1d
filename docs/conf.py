"""How the site is built from these pages: `make docs`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

_HERE = Path(__file__).parent
_ROOT = _HERE.parent

project = "Auscult"
author = "The Auscult authors"
version = (_ROOT / "src/auscult/core/version.py").read_text(encoding="utf-8").split('"')[-2]

extensions = ["myst_nb"]
nb_execution_mode = "off"  # they are committed with their outputs, and the tests run them
exclude_patterns = ["_build", "tools"]
myst_heading_anchors = 4
html_theme = "furo"
html_title = f"Auscult {version}"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
# The site is read from a disk as often as from a server: nothing in it asks the network.
html_theme_options = {"navigation_with_keys": True}

# Pages of the repository's root are part of the site under names of their own.
_ROOT_PAGES = {"README.md": "index", "CONTRIBUTING.md": "contributing", "CHANGELOG.md": "changelog"}


def _root_pages(_app: Any, docname: str, source: list[str]) -> None:
    """Put in the pages of the root, and let links to them stay in the site."""
    text, above = source[0], "../" * (docname.count("/") + 1)
    for file, name in _ROOT_PAGES.items():
        if name == docname != "index":
            text, above = (_ROOT / file).read_text(encoding="utf-8").replace("](docs/", "]("), ""
    for file, name in _ROOT_PAGES.items():
        text = text.replace(f"]({above}{file}", f"]({above.removeprefix('../')}{name}.md")
    source[0] = text


def setup(app: Any) -> None:
    """Sphinx asks for this by name."""
    app.connect("source-read", _root_pages)
