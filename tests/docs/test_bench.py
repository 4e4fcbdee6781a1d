"""The driver of the benchmarks, on benchmarks that take no time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from bench.run import KNOWN

_ROOT = Path(__file__).parents[2]
_PAGE = """# Benchmarks

## One

Prose of one.

## Two

<!-- bench:two -->
old
<!-- /bench:two -->

Wanted: 5.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A checkout with two quick benchmarks and one that lacks a package."""
    (tmp_path / "bench").mkdir()
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "benchmarks.md").write_text(_PAGE)
    driver = (_ROOT / "bench" / "run.py").read_text(encoding="utf-8")
    begin, end = driver.index("KNOWN = ("), driver.index("def benches()")
    known = (
        'KNOWN = (Bench("one", ("--data", "{data}"), "One"), Bench("two", section="Two"),\n'
        '  Bench("peer", section="One", modules=("no_such_package",)))\n\n\n'
    )
    (tmp_path / "bench" / "run.py").write_text(driver[:begin] + known + driver[end:])
    main = 'if __name__ == "__main__":\n    '
    count = 'open("count", "a").write("x"); '
    (tmp_path / "bench" / "one.py").write_text(
        f'{main}{count}print("took 3 s\\n\\n| a |\\n| --- |")'
    )
    (tmp_path / "bench" / "two.py").write_text(f'{main}{count}print("4 of 5"); raise SystemExit(1)')
    (tmp_path / "bench" / "further.py").write_text(f"{main}raise SystemExit(3)")
    return tmp_path


def _run(folder: Path, *words: str, code: int) -> str:
    command = [sys.executable, "bench/run.py", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done.stdout


def test_tables_come_into_their_sections_and_the_prose_stays(folder: Path) -> None:
    said = _run(folder, code=1)
    page = (folder / "docs" / "benchmarks.md").read_text()
    one, two = page.split("## Two")
    assert one.startswith("# Benchmarks\n\n## One\n\nProse of one.\n\n<!-- bench:one -->\n")
    assert "`.venv/bin/python bench/one.py --data ../shared/data`" in one
    assert "all targets met:\n\n```text\ntook 3 s\n```\n\n| a |\n| --- |\n" in one
    assert "a target was missed:\n\n```text\n4 of 5\n```\n" in two
    assert "old" not in two
    assert two.endswith("<!-- /bench:two -->\n\nWanted: 5.\n")
    assert "peer: needs the package no_such_package; its table stays" in said
    assert "further: printed no result, so its table stays" in said


def test_it_goes_on_where_it_stopped_until_the_code_changes(folder: Path) -> None:
    _run(folder, "--only", "one", code=0)
    _run(folder, code=1)
    assert (folder / "count").read_text() == "xx"
    before = (folder / "docs" / "benchmarks.md").read_text()
    _run(folder, "--only", "one", "two", code=1)
    assert (folder / "count").read_text() == "xx"
    assert (folder / "docs" / "benchmarks.md").read_text() == before
    _run(folder, "--only", "one", "--again", code=0)
    (folder / "bench" / "helper.py").write_text("")
    _run(folder, "--only", "one", code=0)
    assert (folder / "count").read_text() == "xxxx"


def test_every_option_of_the_real_list_exists() -> None:
    """What the driver passes to a benchmark is what the benchmark takes."""
    names = {bench.name for bench in KNOWN}
    assert {file.stem for file in (_ROOT / "bench").glob("*.py")} > names
    for bench in KNOWN:
        source = (_ROOT / "bench" / f"{bench.name}.py").read_text(encoding="utf-8")
        for word in bench.words:
            assert not word.startswith("--") or f'"{word}"' in source, (bench.name, word)
