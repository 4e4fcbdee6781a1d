"""The server killed with -9 while coders save: nothing that was acknowledged is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.server.load import Coder, Process, fill, kill_again_and_again, lost, run

from auscult.server.database.engine import connect
from auscult.server.database.migrate import migrate

KILLS = 3


def test_nothing_acknowledged_is_lost(url: str, tmp_path: Path) -> None:
    database = connect(url)
    migrate(database)
    jobs = fill(database, 4)
    process = Process(tmp_path, url)
    coders = [Coder(job, process.port) for job in jobs]
    process.start()
    try:
        run(coders, between=lambda: kill_again_and_again(process, coders, KILLS, (4, 20)))
    finally:
        process.stop()
    assert [problem for coder in coders for problem in coder.problems] == []
    assert sum(len(coder.acknowledged) for coder in coders) >= 12
    assert lost(database, coders) == dict.fromkeys(lost(database, []), 0)
    database.close()


def test_what_was_lost_would_be_found(tmp_path: Path) -> None:
    """The check itself: an annotation and a read that are not there are missed."""
    pytest.importorskip("uvicorn")
    from auscult.server.database.engine import sqlite_url

    database = connect(sqlite_url(tmp_path / "auscult.db"))
    migrate(database)
    (job,) = fill(database, 1)
    coder = Coder(job, 0)
    coder.acknowledged.add("never written")
    coder.reads[job.notes[0][1]] += 2
    found = lost(database, [coder])
    assert (found["annotations"], found["reads"]) == (1, 2)
    database.close()
