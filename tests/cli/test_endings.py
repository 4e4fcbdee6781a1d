"""However a command ends, it ends in one sentence, and leaves nothing half-written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-m", "auscult"]


def start(*words: str | Path, cwd: Path | None = None) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
    )


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["corpus", "split"], "Missing argument 'CORPUS'. See: auscult corpus split --help"),
        (["corpus", "inf"], "No such command 'inf'"),
        (["codes", "show", "CPT", "1", "--frobnicate"], "No such option"),
        (["corpus", "show", "x", "--limit", "0"], "0 is not in the range"),
        (["codes", "search", "ICD-10-CM", "x", "--limit", "-1"], "-1 is not in the range"),
        (["corpus", "import", "brad", "x", "y"], "Did you mean brat?"),
    ],
)
def test_a_wrong_usage_is_one_line(words: list[str], says: str) -> None:
    done = start(*words)
    output, error = done.communicate()
    assert done.returncode == 2
    assert output == ""
    assert error.startswith("auscult: ")
    assert says in error
    assert error.count("\n") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_full_disk_under_standard_output(more: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*COMMAND, "codes", "search", "ICD-10-CM", "I5", "--limit", "300", *more],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == "auscult: standard output: no space left on device.\n"


@pytest.mark.parametrize("lines", [0, 1])
def test_a_reader_that_leaves_early_is_no_error(lines: int) -> None:
    done = start("codes", "search", "ICD-10-CM", "S", "--limit", "3000")
    assert done.stdout is not None
    assert done.stderr is not None
    for _ in range(lines):
        done.stdout.readline()
    done.stdout.close()
    assert done.stderr.read() == ""
    assert done.wait() == 0


@pytest.mark.parametrize(
    ("number", "code", "says"),
    [
        (signal.SIGINT, 130, "auscult: Interrupted; nothing was left half-written.\n"),
        (signal.SIGTERM, 143, ""),
    ],
)
def test_a_signal_ends_it_and_drafts_go(
    tmp_path: Path, number: signal.Signals, code: int, says: str
) -> None:
    done = start("synth", "hospital", tmp_path / "h", "--patients", "5000")
    for _ in range(600):
        if any(tmp_path.iterdir()):
            break
        time.sleep(0.05)
    assert list(tmp_path.glob(".h.*")), "the draft is there while it works"
    done.send_signal(number)
    _, error = done.communicate()
    assert (done.returncode, error) == (code, says)
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_named_as_the_user_did(tmp_path: Path) -> None:
    (tmp_path / "notes.csv").write_text("note_id,text\n1,HTN\n")
    (tmp_path / "file").touch()
    done = start("corpus", "import", "csv", "notes.csv", "file/corpus", cwd=tmp_path)
    assert done.communicate()[1] == (
        "auscult: file/corpus cannot be written: a part of the path is a file, not a "
        "directory. Choose another place.\n"
    )
    assert done.returncode == 2
    if os.getuid() != 0:  # root may write anywhere
        (tmp_path / "locked").mkdir(mode=0o500)
        done = start("corpus", "import", "csv", "notes.csv", "locked/corpus", cwd=tmp_path)
        assert done.communicate()[1].startswith("auscult: locked/corpus cannot be written: perm")
