"""The progress display: seen on a terminal after two seconds, never elsewhere."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys

SCRIPT = """
import time
import click
from auscult.cli.output import command
from auscult.cli import progress
from auscult.core.progress import track
progress.LOG_SECONDS = {seconds}

@click.command()
@command
def work():
    for _ in track(range({steps}), "counting sheep"):
        time.sleep(0.05)
    time.sleep({idle})
    return {{"done": True}}, lambda: click.echo("done")

work(["--json"])
"""


def on_terminal(steps: int, idle: float) -> tuple[str, str]:
    """What a command prints on standard output, and on a terminal as standard error."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-c", SCRIPT.format(steps=steps, idle=idle, seconds=60)],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "120"},
    )
    os.close(theirs)
    seen = b""
    while True:
        try:
            more = os.read(ours, 65536)
        except OSError:
            break
        if not more:
            break
        seen += more
    output, _ = child.communicate(timeout=30)
    os.close(ours)
    return output.decode(), seen.decode()


def test_long_work_shows_a_bar_and_json_stays_clean() -> None:
    output, shown = on_terminal(steps=52, idle=0)
    assert output == '{"done": true, "warnings": []}\n'
    assert "counting sheep" in shown


def test_work_that_counts_nothing_still_shows_that_it_goes_on() -> None:
    _, shown = on_terminal(steps=0, idle=2.6)
    assert "working" in shown


def test_short_work_shows_nothing() -> None:
    _, shown = on_terminal(steps=3, idle=0)
    assert shown == ""


def test_without_a_terminal_nothing_is_drawn() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(steps=45, idle=0, seconds=60)],
        capture_output=True,
        check=True,
    )
    assert done.stderr == b""


def test_without_a_terminal_long_work_writes_a_line_now_and_then() -> None:
    script = SCRIPT.format(steps=45, idle=0, seconds=0.9)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    lines = done.stderr.decode().splitlines()
    assert len(lines) == 2
    assert re.fullmatch(r"1 min: counting sheep, 1\d of 45, about 1 min left", lines[0]), (
        "how far it is, and how long it will take"
    )
