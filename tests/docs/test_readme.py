"""README and the tour, run in order as printed, with nothing installed but what they name."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]
_README = (_ROOT / "README.md").read_text(encoding="utf-8")
_TOUR = (_ROOT / "docs" / "tour.md").read_text(encoding="utf-8")
_COMMANDS = [
    command
    for row in _TOUR.splitlines()
    if row.startswith("|")
    for command in re.findall(r"`(auscult [^`]+)`", row)
    if not command.startswith("auscult serve")  # which goes on until it is stopped
]
_LONGEST = 20
_EXPORT = """
from auscult import Annotation, Code, Corpus, Note
from auscult.corpus import formats

notes, given = [], []
for at in range(40):
    text = "Admitted with pneumonia." if at % 2 else "Admitted with hip fracture."
    notes.append(Note(f"n{at}", f"c{at}", f"p{at}", text=text, read_by=("ann", "bob", "gold")))
    code = Code("ICD-10-CM", "J18.9" if at % 2 else "S72.009A")
    given += [Annotation(who, code, f"c{at}", f"n{at}") for who in ("ann", "bob", "gold")]
formats.write("jsonl", Corpus.of(notes, given), "export")
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with Auscult and no extra but pandas, and a folder to work in."""
    folder = tmp_path_factory.mktemp("readme")
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if uv is None:
        pytest.skip("uv, which the Makefile installs, is not there")
    environment = folder / "environment"
    subprocess.run([uv, "venv", "-q", "--python", sys.executable, environment], check=True)
    python = str(environment / "bin" / "python")
    install = [uv, "pip", "install", "-q", "--python", python, "-e", f"{_ROOT}[pandas]"]
    # What the tests themselves run on was downloaded already.
    if subprocess.run([*install, "--offline"], check=False, capture_output=True).returncode:
        subprocess.run(install, check=True)
    return folder


def _run(command: str | list[str], place: Path) -> subprocess.CompletedProcess[str]:
    keep = {
        name: os.environ[name] for name in ("HOME", "LANG", "OMP_NUM_THREADS") if name in os.environ
    }
    return subprocess.run(
        command,
        shell=isinstance(command, str),
        cwd=place,
        env={**keep, "PATH": f"{place / 'environment' / 'bin'}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )


def _quick_starts() -> dict[str, list[tuple[str, str]]]:
    """The blocks under each quick start: their language and what is in them."""
    parts = re.split(r"^## ", _README, flags=re.MULTILINE)
    return {
        part.splitlines()[0]: re.findall(r"```(sh|python)\n(.*?)```", part, re.DOTALL)
        for part in parts
        if part.startswith("Quick start")
    }


def test_a_quick_start_is_short() -> None:
    assert len(_quick_starts()) == 3
    for title, blocks in _quick_starts().items():
        lines = [line for _, block in blocks for line in block.splitlines() if line.strip()]
        assert len(lines) <= _LONGEST, title


@pytest.mark.parametrize("title", _quick_starts())
def test_a_quick_start_runs_as_printed(title: str, place: Path) -> None:
    work = place / title.partition(": ")[2].replace(" ", "-")
    (work / "letters").mkdir(parents=True)
    (work / "letters" / "one.txt").write_text("Admitted with pneumonia.", encoding="utf-8")
    shutil.copytree(work / "letters", work / "new-letters")
    (work / "environment").symlink_to(place / "environment")
    assert _run(["python", "-c", _EXPORT], work).returncode == 0
    shown = []
    for language, block in _quick_starts()[title]:
        steps = [["python", "-c", block]] if language == "python" else block.splitlines()
        for step in steps:
            if isinstance(step, str) and step.startswith("auscult serve"):
                continue  # which goes on until it is stopped
            done = _run(step, work)
            assert done.returncode == 0, f"{step}\n{done.stdout}\n{done.stderr}"
            shown.append(done.stdout)
    assert any("micro_f1" in text or "Team 1" in text or "alpha" in text for text in shown)


def test_the_tour_runs_in_order_and_shows_something(place: Path) -> None:
    assert len(_COMMANDS) > 40
    said = {}
    for command in _COMMANDS:
        done = _run(command, place)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        said[command] = done
    audit = next(done.stdout for name, done in said.items() if "audit sensitivity" in name)
    scores = [float(row.split()[2]) for row in audit.splitlines() if re.match(r"\d+ +\w", row)]
    assert len(scores) > 20
    assert sum(score >= 0.001 for score in scores) > 20, "words move the model"
    created = next(done for name, done in said.items() if "challenge create" in name)
    assert "label set" not in created.stderr, "every code of test can be given"
    ranking = next(done.stdout for name, done in said.items() if "challenge leaderboard" in name)
    assert "Team 1" in ranking
    unread = re.compile(r"charts were read by \w+; the others are left out")
    trained = [done.stderr for name, done in said.items() if "auscult train" in name]
    assert not [text for text in trained if unread.search(text)], "no recipe has unread charts"
