"""Commands of Auscult in processes of their own, with the time and memory each took."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_COMMAND = """
import atexit, pathlib, sys
from bench.memory import peak_megabytes
said = pathlib.Path(sys.argv.pop(1))
atexit.register(lambda: said.write_text(str(peak_megabytes())))
from auscult.__main__ import main
main()
"""


@dataclass(frozen=True)
class Run:
    """One run of a command: seconds by the clock and of processors, peak memory."""

    clock: float
    processor: float
    megabytes: float


def environment(threads: int) -> dict[str, str]:
    """That of this process, with so many threads, in which `bench` can be imported."""
    here = str(Path(__file__).resolve().parents[1])
    path = os.pathsep.join(filter(None, (here, os.environ.get("PYTHONPATH"))))
    return {**os.environ, "POLARS_MAX_THREADS": str(threads), "PYTHONPATH": path}


def run(words: Sequence[str | Path], threads: int = 1) -> Run:
    """Run `auscult` with these words; the process ends if it fails."""
    with tempfile.TemporaryDirectory() as folder:
        said = Path(folder) / "peak"
        command = [sys.executable, "-c", _COMMAND, str(said), *map(str, words)]
        begin = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment(threads))
        _, status, used = os.wait4(process.pid, 0)
        clock = time.monotonic() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"auscult {words[0]} failed.")
        return Run(clock, used.ru_utime + used.ru_stime, float(said.read_text()))
