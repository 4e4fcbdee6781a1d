"""A run that was killed goes on, what failed is said, and results go with their data."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.reproduce.small import work_in

from auscult.core import OptionError
from auscult.reproduce.contract import Basis, Measured, Printed, Reproduction, ReproductionOutcome
from auscult.reproduce.run import ReproductionResult, run
from auscult.reproduce.verdict import Verdict
from auscult.reproduce.work import Workspace

KILLED = """
import sys, time
from pathlib import Path
sys.path.insert(0, {root!r})
from tests.reproduce.test_run import fake
from tests.reproduce.small import work_in
from auscult.reproduce.run import run

folder = Path(sys.argv[1])

def slow(work):
    def make(out):
        out.mkdir()
        (out / "half").touch()
        (folder / "waiting").touch()
        time.sleep(600)
    work.kept("stage", {{}}, make)

for _ in run([fake("first", folder), fake("second", folder, slow)], work_in(folder / "work")):
    pass
"""


def fake(name: str, log: Path, before: Callable[[Workspace], object] | None = None) -> Reproduction:
    """A reproduction that writes down each time it is run."""

    def made(work: Workspace) -> ReproductionOutcome:
        if before is not None:
            before(work)
        with (log / "log.txt").open("a") as handle:
            handle.write(f"{name}\n")
        return ReproductionOutcome(
            {"a · b": Measured(1.5, Basis.REAL, (1.0, 2.0))}, (), ("made",), (7,), "<svg/>"
        )

    printed = Printed("a", "b", 1.5, 0.0)
    return Reproduction(name, "mdace", name, name, "data", "none", ("x",), made, (printed,))


def log_of(folder: Path) -> list[str]:
    return (folder / "log.txt").read_text().split()


def test_what_was_run_is_not_run_again(tmp_path: Path) -> None:
    chosen = [fake("first", tmp_path), fake("second", tmp_path)]
    before = list(run(chosen, work_in(tmp_path / "work")))
    again = list(run(chosen, work_in(tmp_path / "work")))
    assert log_of(tmp_path) == ["first", "second"]
    assert [one.found for one in again] == [one.found for one in before]
    assert [one.to_dict() for one in again] == [one.to_dict() for one in before]
    list(run(chosen[:1], work_in(tmp_path / "work"), again=True))
    assert log_of(tmp_path) == ["first", "second", "first"]


def test_other_data_are_another_result(tmp_path: Path) -> None:
    """A result belongs to what it was made from, to the last byte, and to the scale."""
    chosen = [fake("first", tmp_path)]
    data = tmp_path / "data.xml"
    for content in ("one", "one", "two"):
        if not data.exists() or data.read_text() != content:
            data.write_text(content)
        list(run(chosen, work_in(tmp_path / "work", cmc=data)))
    assert log_of(tmp_path) == ["first", "first"]
    list(run(chosen, Workspace(tmp_path / "work")))
    assert log_of(tmp_path) == ["first"] * 3


def test_a_run_that_was_killed_goes_on(tmp_path: Path) -> None:
    root = str(Path(__file__).resolve().parents[2])
    script = KILLED.format(root=root)
    begun = subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], env={**os.environ})
    try:
        for _ in range(1200):
            if (tmp_path / "waiting").exists() or begun.poll() is not None:
                break
            time.sleep(0.1)
        assert (tmp_path / "waiting").exists(), "the second reproduction was never reached"
    finally:
        begun.send_signal(signal.SIGKILL)
        begun.wait()
    made: list[Path] = []

    def quick(work: Workspace) -> None:
        made.append(work.kept("stage", {}, lambda out: out.write_text("whole")))

    results = list(run([fake("first", tmp_path), fake("second", tmp_path, quick)],
                       work_in(tmp_path / "work")))  # fmt: skip
    assert log_of(tmp_path) == ["first", "second"]
    assert [one.verdicts["a · b"] for one in results] == [Verdict.IN_BAND] * 2
    assert made[0].read_text() == "whole"
    left = [file.name for file in (tmp_path / "work" / "stages").iterdir()]
    assert left == [made[0].name]


def test_what_cannot_be_run_is_said_and_the_others_are_run(tmp_path: Path) -> None:
    def fail(_work: Workspace) -> None:
        raise OptionError("the file has no charts.")

    chosen = [fake("bad", tmp_path, fail), fake("good", tmp_path)]
    bad, good = run(chosen, work_in(tmp_path / "work"))
    assert (bad.failed, good.failed) == ("the file has no charts.", None)
    assert bad.verdicts == {"a · b": Verdict.NEEDS_DATA}
    # What failed is tried again once the data are mended.
    mended = [fake("bad", tmp_path), chosen[1]]
    assert [one.failed for one in run(mended, work_in(tmp_path / "work"))] == [None, None]
    assert log_of(tmp_path) == ["good", "bad"]


def test_a_stage_is_made_once_and_depends_on_what_it_says(tmp_path: Path) -> None:
    work = work_in(tmp_path / "work")
    count = 0

    def make(out: Path) -> None:
        nonlocal count
        count += 1
        out.write_text(str(count))

    assert work.kept("x", {"size": 1}, make).read_text() == "1"
    assert work.kept("x", {"size": 1}, make).read_text() == "1"
    assert work.kept("x", {"size": 2}, make).read_text() == "2"
    assert work.once("y", lambda: 1) == work.once("y", lambda: 2) == 1


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("…")
    with pytest.raises(OptionError, match="is not a working directory"):
        work_in(tmp_path)
    with pytest.raises(OptionError, match=r"--mimic3 .* does not exist"):
        work_in(tmp_path / "work", mimic3=tmp_path / "nowhere")


def test_a_stand_in_is_named_wherever_one_is_used(tmp_path: Path) -> None:
    one = fake("x", tmp_path)
    numbers = {"a · b": Measured(1.5, Basis.STAND_IN)}
    assert ReproductionResult(one, ReproductionOutcome(numbers, ())).stand_in == "none"
    assert (
        ReproductionResult(
            one, ReproductionOutcome({"a · b": Measured(1.5, Basis.REAL)}, ())
        ).stand_in
        is None
    )
