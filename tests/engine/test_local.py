"""The engine of one machine."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.engine.works import Dying, Failing, Refusing, Squaring, Telling

from auscult.core import AuscultError, MissingExtraError, OptionError
from auscult.core.threads import VARIABLE, allowed
from auscult.engine import Local, open_engine


@pytest.fixture(scope="module")
def two() -> Iterator[Local]:
    engine = Local(2, threads=1)
    yield engine
    engine.close()
    assert not multiprocessing.active_children()


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_the_order_of_the_tasks(workers: int, two: Local) -> None:
    engine = two if workers == 2 else Local()
    assert list(engine.run(Squaring(), range(30))) == [n * n for n in range(30)]
    assert list(engine.run(Squaring(), [])) == []


def test_tasks_are_taken_when_there_is_room(two: Local) -> None:
    taken = itertools.count()
    results = two.run(Squaring(), taken)
    assert [next(results) for _ in range(5)] == [0, 1, 4, 9, 16]
    assert next(taken) < 5 + 2 * 2 + 1
    results.close()  # type: ignore[attr-defined]  # it is a generator


def test_an_error_comes_back_as_it_was(two: Local) -> None:
    for engine in (Local(), two):
        with (
            pytest.warns(UserWarning, match="half a loaf"),
            pytest.raises(MissingExtraError, match=r"The oven needs .*auscult\[bread\]"),
        ):
            list(engine.run(Failing(at=2), range(9)))
        with pytest.raises(OptionError, match="Light it"):
            list(engine.run(Refusing(), range(9)))


def test_a_worker_that_is_killed_is_one_sentence(two: Local) -> None:
    with pytest.raises(AuscultError, match=r"was killed.*--workers.*finished tasks are kept"):
        list(two.run(Dying(), range(9)))
    # The next work has new workers.
    assert list(two.run(Squaring(), [3])) == [9]


def test_threads_are_what_was_asked_for(two: Local, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "5")
    told = set(two.run(Telling(), range(20)))
    assert {(threads, omp, polars) for _, threads, omp, polars in told} == {(1, "1", 1)}
    assert os.getpid() not in {pid for pid, *_ in told}
    [[pid, threads, *_]] = Local(1, threads=7).run(Telling(), [0])
    assert (pid, threads) == (os.getpid(), 7)
    assert VARIABLE not in os.environ
    assert allowed() == 5
    monkeypatch.delenv("OMP_NUM_THREADS")
    assert allowed() == len(os.sched_getaffinity(0))


def test_slips() -> None:
    with pytest.raises(OptionError, match="no engine 'spark'"), open_engine("spark"):
        pass
    with (
        pytest.raises(OptionError, match="--engine ray"),
        open_engine("local", address="head:6379"),
    ):
        pass


def test_work_here_loads_no_ray() -> None:
    script = (
        "import sys, auscult.engine, auscult.corpus.partitioned, auscult.models.predicting\n"
        "import auscult.audit.shards\n"
        "with auscult.engine.open_engine('local') as engine: pass\n"
        "sys.exit('ray' in sys.modules or 'torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script]).returncode == 0


def test_an_interrupt_leaves_no_worker() -> None:
    engine = Local(2)
    results = engine.run(Squaring(), itertools.count())
    next(results)
    results.close()  # type: ignore[attr-defined]  # it is a generator
    deadline = time.monotonic() + 10
    while multiprocessing.active_children() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert engine._pool is None


_KILLED = """
import itertools
from tests.engine.works import Telling
from auscult.engine import Local
if __name__ == "__main__":
    for pid, *_ in Local(2).run(Telling(), itertools.count()):
        print(pid, flush=True)
"""


def test_workers_end_with_the_process_that_started_them(tmp_path: Path) -> None:
    script = tmp_path / "killed.py"
    script.write_text(_KILLED)
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        pids = {int(process.stdout.readline()) for _ in range(20)}
        process.kill()
    deadline = time.monotonic() + 20
    while any(Path(f"/proc/{pid}").exists() for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not [pid for pid in pids if Path(f"/proc/{pid}").exists()]
