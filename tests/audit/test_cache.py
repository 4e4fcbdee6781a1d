"""An audit that is killed goes on, and ends with the same numbers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from auscult.audit.cache import CachedPredictor, directory_digest
from auscult.audit.predictor import TextPredictor
from auscult.core import Code, Note, OptionError
from auscult.models.perturbation import Perturbation

CODE = Code("outcome", "readmitted")
NOTES = [Note("n", "c", text="his mom visited")]
SWAPS = [Perturbation.swap([("n", 4, 7)], word) for word in ("dad", "aunt", "dad")]


class Counting(TextPredictor):
    """Says how many readings it was asked for, the chart itself included."""

    def __init__(self) -> None:
        super().__init__(lambda text: 1 / (3 + len(text)))
        object.__setattr__(self, "asked", [])

    asked: list[int]

    def scores_of_edits(
        self, notes: Sequence[Note], perturbed: Sequence[Perturbation], code: Code
    ) -> list[float]:
        self.asked.append(len(perturbed))
        return super().scores_of_edits(notes, perturbed, code)


def test_what_is_known_is_not_asked_again(tmp_path: Path) -> None:
    file = tmp_path / "out" / "scores.log"
    first = Counting()
    with CachedPredictor(first, file, "digest") as cached:
        found = cached.scores_of_edits(NOTES, SWAPS, CODE)
        assert cached.scores_of_edits(NOTES, SWAPS[:2], CODE) == found[:3]
    assert first.asked == [2]  # two swaps make the same text
    assert found == [1 / 18, 1 / 18, 1 / 19, 1 / 18]
    second = Counting()
    with CachedPredictor(second, file, "digest") as cached:
        assert cached.scores_of_edits(NOTES, SWAPS, CODE) == found
        assert (cached.asked, cached.found) == (0, 3)
    assert second.asked == []
    for digest, code in (("other", CODE), ("digest", Code("outcome", "died"))):
        other = Counting()
        with CachedPredictor(other, file, digest) as cached:
            cached.scores_of_edits(NOTES, SWAPS, code)
        assert other.asked == [2]


@pytest.mark.parametrize("kept", range(0, 130, 7))
def test_a_block_that_was_cut_off_is_computed_again(tmp_path: Path, kept: int) -> None:
    file = tmp_path / "scores.log"
    with CachedPredictor(Counting(), file, "d") as cached:
        first = cached.scores_of_edits(NOTES, SWAPS[:1], CODE)
        whole = file.stat().st_size
        second = cached.scores_of_edits(NOTES, SWAPS, CODE)
    with file.open("r+b") as handle:
        handle.truncate(min(kept, file.stat().st_size))
    again = Counting()
    with CachedPredictor(again, file, "d") as cached:
        assert cached.scores_of_edits(NOTES, SWAPS[:1], CODE) == first
        assert cached.scores_of_edits(NOTES, SWAPS, CODE) == second
    assert sum(again.asked) == (2 if kept < whole else 1 if kept < file.stat().st_size else 0)


def test_no_text_is_in_the_file(tmp_path: Path) -> None:
    file = tmp_path / "scores.log"
    with CachedPredictor(Counting(), file, "d") as cached:
        cached.scores_of_edits(NOTES, SWAPS, CODE)
    assert not {b"mom", b"dad", b"visited"} & set(file.read_bytes().split())


def test_two_audits_do_not_write_into_one_file(tmp_path: Path) -> None:
    file = tmp_path / "scores.log"
    with CachedPredictor(Counting(), file, "d"), pytest.raises(OptionError, match="Another audit"):
        CachedPredictor(Counting(), file, "d").__enter__()


def test_a_model_that_was_trained_again_has_another_digest(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "weights").write_text("1")
    before = directory_digest(tmp_path / "a")
    assert directory_digest(tmp_path / "a") == before
    (tmp_path / "a" / "weights").write_text("2")
    assert directory_digest(tmp_path / "a") != before


_KILLED = """
import sys, time
from pathlib import Path
from tests.audit.test_cache import CODE, Counting
from auscult.audit.cache import CachedPredictor
from auscult.models.perturbation import Perturbation
from auscult.core import Note
with CachedPredictor(Counting(), Path(sys.argv[1]), "d") as cached:
    for number in range(10**6):
        note = Note("n", "c", text=f"chart {number}")
        cached.scores_of_edits([note], [Perturbation.swap([("n", 0, 5)], "x")], CODE)
        if number == 20:
            print("ready", flush=True)
"""


def test_killed_at_any_moment_what_was_closed_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "scores.log"
    root = str(Path(__file__).resolve().parents[2])
    process = subprocess.Popen(
        [sys.executable, "-c", _KILLED, str(file)],
        stdout=subprocess.PIPE, cwd=root, env={**os.environ, "PYTHONPATH": root},
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    again = Counting()
    with CachedPredictor(again, file, "d") as cached:
        assert len(cached.known) >= 40
        for number in range(20):
            note = Note("n", "c", text=f"chart {number}")
            found = cached.scores_of_edits([note], [Perturbation.swap([("n", 0, 5)], "x")], CODE)
            assert found == [1 / (3 + len(f"chart {number}")), 1 / (3 + len(f"x {number}"))]
    assert again.asked == []
