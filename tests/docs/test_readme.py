"""The README's commands, run in order as printed, with nothing installed but what it names."""

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
_TABLE = _README[_README.index("The commands below run") : _README.index("Every command takes")]
_COMMANDS = [
    command
    for row in _TABLE.splitlines()
    if row.startswith("|")
    for command in re.findall(r"`(auscult [^`]+)`", row)
    if not command.startswith("auscult serve")  # which goes on until it is stopped
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with Auscult and no extra, and a folder to work in."""
    folder = tmp_path_factory.mktemp("readme")
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if uv is None:
        pytest.skip("uv, which the Makefile installs, is not there")
    environment = folder / "environment"
    subprocess.run([uv, "venv", "-q", "--python", sys.executable, environment], check=True)
    python = str(environment / "bin" / "python")
    install = [uv, "pip", "install", "-q", "--python", python, "-e", str(_ROOT)]
    # What the tests themselves run on was downloaded already.
    if subprocess.run([*install, "--offline"], check=False, capture_output=True).returncode:
        subprocess.run(install, check=True)
    return folder


def _run(command: str, place: Path) -> subprocess.CompletedProcess[str]:
    keep = {
        name: os.environ[name] for name in ("HOME", "LANG", "OMP_NUM_THREADS") if name in os.environ
    }
    return subprocess.run(
        command,
        shell=True,
        cwd=place,
        env={**keep, "PATH": f"{place / 'environment' / 'bin'}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_commands_run_in_order_and_show_something(place: Path) -> None:
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
