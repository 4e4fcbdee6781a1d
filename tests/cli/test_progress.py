"""The progress display: seen on a terminal after two seconds, never elsewhere."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import threading

import pytest

from auscult.cli import progress

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


def test_a_line_of_the_log_says_how_far_it_is_and_how_long_it_will_take() -> None:
    now = 1_000.0
    display = progress.Display(lambda: now)
    assert display.line(now - 30) == "1 min: working"
    sheep = iter(display.track(range(45), "counting sheep", 45))
    for _ in range(16):
        next(sheep)  # the sixteenth is at work, 15 are done
    now += 600
    assert display.line(1_000) == "10 min: counting sheep, 15 of 45, about 20 min left"
    goats = iter(display.track(iter("abc"), "counting goats", None))
    next(goats), next(goats)
    now += 3_600
    assert display.line(1_000) == (
        "1 h 10 min: counting sheep, 15 of 45, about 2 h 20 min left; counting goats, 1 done"
    )


def test_without_a_terminal_a_line_goes_to_the_log_each_minute(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    display, turns = progress.Display(lambda: 60.0 * len(waited)), 2
    waited: list[float] = []

    class Minutes:
        """Minutes that pass at once; the work ends in the third."""

        def wait(self, seconds: float) -> bool:
            waited.append(seconds)
            if len(waited) > turns:
                ended.set()
            return len(waited) > turns

        def set(self) -> None:
            """The work ends, which only this clock decides."""

    ended = threading.Event()
    monkeypatch.setattr(display, "_is_done", Minutes())
    with display.showing():
        assert ended.wait(30)
    assert capsys.readouterr().err.splitlines() == ["1 min: working", "2 min: working"]
    assert waited == [60.0] * 3
