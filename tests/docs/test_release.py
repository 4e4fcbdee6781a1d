"""What a wheel carries, and that version, citation and changelog speak of the same release."""

from __future__ import annotations

import os
import re
import shutil
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

from auscult.core.version import __version__

_ROOT = Path(__file__).parents[2]
_PACKED = ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE")
_NPM = """#!/bin/sh
echo "$@" >> calls
[ "$1" = run ] || exit {code}
mkdir -p ../src/auscult/server/static/assets
echo built > ../src/auscult/server/static/index.html
echo built > ../src/auscult/server/static/assets/index.js
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A clean checkout: sources of both sides, nothing built."""
    there = tmp_path / "checkout"
    shutil.copytree(
        _ROOT / "src",
        there / "src",
        ignore=shutil.ignore_patterns("static", "__pycache__", "*.egg-info"),
    )
    (there / "web" / "src").mkdir(parents=True)
    for name in ("web/index.html", "web/src/main.ts"):
        shutil.copy(_ROOT / name, there / name)
    for name in _PACKED:
        shutil.copy(_ROOT / name, there / name)
    return there


def _node(folder: Path, monkeypatch: pytest.MonkeyPatch, *, code: int = 0) -> None:
    """A stand-in for Node that leaves what a build leaves, or fails."""
    folder.mkdir()
    (folder / "npm").write_text(_NPM.format(code=code))
    (folder / "node").write_text("#!/bin/sh\necho v24.1.0\n")
    for program in folder.iterdir():
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def _wheel(checkout: Path, out: Path) -> zipfile.ZipFile:
    [file] = WheelBuilder(str(checkout)).build(directory=str(out), versions=["standard"])
    return zipfile.ZipFile(file)


def test_a_wheel_from_a_clean_checkout_is_whole(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _node(tmp_path / "node", monkeypatch)
    with _wheel(checkout, tmp_path / "dist") as wheel:
        names = set(wheel.namelist())
        about = wheel.read(f"auscult-{__version__}.dist-info/METADATA").decode()
        points = wheel.read(f"auscult-{__version__}.dist-info/entry_points.txt").decode()
    here = {
        file.relative_to(_ROOT / "src").as_posix()
        for file in (_ROOT / "src" / "auscult").rglob("*")
        if file.is_file() and not {"__pycache__", "static"} & set(file.parts)
    }
    built = {"auscult/server/static/index.html", "auscult/server/static/assets/index.js"}
    assert here | built == {name for name in names if name.startswith("auscult/")}
    assert "auscult/py.typed" in names
    assert f"Version: {__version__}\n" in about
    assert "auscult = auscult.__main__:main" in points


def test_the_browser_side_is_built_once_and_not_for_an_editable_installation(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _node(tmp_path / "node", monkeypatch)
    calls = checkout / "web" / "calls"
    hooks = WheelBuilder(str(checkout)).get_build_hooks(str(tmp_path / "dist"))
    hooks["custom"].initialize("editable", {})
    assert not calls.exists()
    for _ in range(2):
        _wheel(checkout, tmp_path / "dist").close()
    assert calls.read_text().split("\n") == ["ci --no-audit --no-fund", "run build", ""]


def test_without_node_a_release_fails_and_an_installation_does_not(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _node(tmp_path / "node", monkeypatch, code=1)
    with _wheel(checkout, tmp_path / "dist") as wheel:
        assert not [name for name in wheel.namelist() if "server/static/" in name]
    monkeypatch.setenv("AUSCULT_REQUIRE_WEB", "1")
    with pytest.raises(RuntimeError, match="The browser side was not built"):
        _wheel(checkout, tmp_path / "dist")


def test_version_citation_and_changelog_agree() -> None:
    citation = (_ROOT / "CITATION.cff").read_text(encoding="utf-8")
    released = re.search(r"^date-released: (\S+)$", citation, re.MULTILINE)
    assert f"\nversion: {__version__}\n" in citation
    assert released is not None
    changelog = (_ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\n## [{__version__}] - {released[1]}\n" in changelog
