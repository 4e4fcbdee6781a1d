"""Write the pages and the picture that are made from the code: `python -m docs.tools.write`.

With --check nothing is written, and the exit code is 1 when something is stale.
"""

from __future__ import annotations

import sys
from pathlib import Path

from docs.tools import api, commands, layers, metrics, settings

DOCS = Path(__file__).parents[1]


def made() -> dict[Path, str]:
    """Everything that is made from the code, by the file it belongs in."""
    return {
        **{DOCS / "commands" / name: text for name, text in commands.pages().items()},
        **{DOCS / "metrics" / name: text for name, text in metrics.pages().items()},
        DOCS / "api.md": api.page(),
        DOCS / "settings.md": settings.page(),
        DOCS / "pictures" / "layers.svg": layers.picture(),
    }


def stale() -> list[str]:
    """The files that are not what the code says, and those that it says nothing of."""
    wanted = made()
    there = {*(DOCS / "commands").glob("*.md"), *(DOCS / "metrics").glob("*.md")}
    differs = [
        file
        for file, text in wanted.items()
        if not file.exists() or file.read_text(encoding="utf-8") != text
    ]
    return sorted(str(file.relative_to(DOCS)) for file in {*differs, *(there - wanted.keys())})


def main() -> int:
    """Write, or with --check say what is stale."""
    if "--check" in sys.argv[1:]:
        found = stale()
        if found:
            print(f"Stale: {', '.join(found)}. Run: make docs")
        return 1 if found else 0
    wanted = made()
    for file in {
        *(DOCS / "commands").glob("*.md"),
        *(DOCS / "metrics").glob("*.md"),
    } - wanted.keys():
        file.unlink()
    for file, text in wanted.items():
        file.parent.mkdir(exist_ok=True)
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
