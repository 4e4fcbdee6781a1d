"""The pages that are made from the code are up to date, and links between pages lead somewhere."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from docs.tools import layers, write

_ROOT = Path(__file__).parents[2]
_PAGES = [*_ROOT.glob("*.md"), *sorted((_ROOT / "docs").rglob("*.md"))]


def test_nothing_is_stale() -> None:
    assert write.stale() == [], "run: make docs"


def test_the_picture_has_every_package_in_its_layer() -> None:
    drawn = ET.fromstring(layers.picture())
    boxes = {
        box.text: float(box.attrib["y"])
        for box in drawn.iter("{http://www.w3.org/2000/svg}text")
        if box.attrib.get("class") == "name"
    }
    packages = {file.parent.name for file in (_ROOT / "src" / "auscult").glob("*/__init__.py")}
    packages.add("api")  # a module with a layer of its own
    assert set(boxes) == packages
    assert boxes["cli"] < boxes["report"] < boxes["models"] < boxes["corpus"] < boxes["core"]
    assert boxes["models"] == boxes["evaluate"]


def _anchor(heading: str) -> str:
    """As GitHub and MyST make it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: str(page.relative_to(_ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(
        r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
    )
    for target in re.findall(r"(?<!`)\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        there = (page.parent / file).resolve() if file else page
        assert there.exists(), target
        if anchor and there.suffix == ".md":
            headings = re.findall(r"^#+ (.*)$", there.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in map(_anchor, headings), target


def test_every_page_is_in_the_site() -> None:
    """Each page is named by a list of contents, so that a reader can come to it."""
    listed: set[Path] = set()
    for page in (_ROOT / "docs").rglob("*.md"):
        for block in re.findall(r"```\{toctree\}\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
            for name in block.split("\n"):
                if name and not name.startswith(":"):
                    listed.update(page.parent.glob(f"{name}.md"))
    pages = {
        page
        for page in (_ROOT / "docs").rglob("*.md")
        if not {"_build", "tools"} & set(page.relative_to(_ROOT).parts)
    }
    assert pages - listed == {_ROOT / "docs" / "index.md"}
