"""`auscult predict --verify`: the options, the counts, and a run that was killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.models.verify.server import Body, Reply, proposed, says, serving

from auscult import Corpus
from auscult.cli.main import auscult
from auscult.core import Status

TEXT = "History of gout, migraine and DM2. The gout is idiopathic."
USAGE = {"prompt_tokens": 800, "completion_tokens": 20}


pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def note(tmp_path: Path) -> Path:
    file = tmp_path / "note.txt"
    file.write_text(TEXT)
    return file


def reply(body: Body, _: int) -> Reply:
    """Gout is said more exactly, the migraine is rejected, the rest is right."""
    said = {
        "M10.9": says("other", "The gout is idiopathic", "M10.00"),
        "G43.909": says("reject", "migraine"),
    }
    return Reply(said.get(proposed(body), says("accept", "DM2")), usage=USAGE)


def predict(*words: str | Path, code: int = 0) -> Result:
    done = CliRunner().invoke(auscult, ["predict", "codebook", *map(str, words)])
    assert done.exit_code == code, done.output
    return done


def test_codes_are_verified_and_counted(note: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with serving(reply) as server:
        options = ["--verify", server.url, "--verify-model", "llm", "--price-in", "1"]
        said = json.loads(predict(note, out, *options, "--json").stdout)
        again = predict(note, tmp_path / "again", *options)
        asked = len(server.asked)
    verified = said["verified"]
    assert (verified["rejected"], verified["changed"], verified["unverified"]) == (1, 1, 0)
    assert verified["accepted"] == verified["candidates"] - 2 > 0
    assert verified["requests"] == asked == verified["candidates"]
    assert verified["tokens_in"] == 800 * asked
    assert verified["cost"] == pytest.approx(800 * asked / 1e6)
    made = list(Corpus.open(out).iter_annotations(every_status=True))
    given = {one.code.value for one in made if one.status is Status.GIVEN}
    assert {"M10.00", "E11.9"} <= given
    assert not {"M10.9", "G43.909"} & given
    assert said["codes"] == len(given)
    # The second run had all its answers.
    assert f"0 requests, {asked} from the cache" in " ".join(again.stdout.split())


def test_the_terminal_says_what_was_taken_back(note: Path) -> None:
    with serving(reply) as server:
        shown = predict(note, "-", "--verify", server.url, "--verify-model", "llm").stdout
    words = " ".join(shown.split())
    assert "Taken back by the verifier:" in words
    assert "M10.9 (other: M10.00)" in words
    assert "G43.909 (reject)" in words
    assert "1 rejected, 1 changed, 0 unverified" in words
    assert "Below the threshold (--threshold): M10.9" not in words


def test_a_chart_whose_codes_were_all_rejected(note: Path) -> None:
    note.write_text("Known gout.")
    with serving(lambda *_: Reply(says("reject", "Known gout"))) as server:
        options = ["--verify", server.url, "--verify-model", "llm"]
        shown = predict(note, "-", *options).stdout
        said = json.loads(predict(note, "-", *options, "--json").stdout)
    assert "reached the threshold" not in shown
    assert "Taken back by the verifier: M10.9 (reject)" in shown
    assert (said["predicted"], said["codes"]) == ([], 0)


def test_a_used_budget_says_how_many_remain(note: Path, tmp_path: Path) -> None:
    with serving(reply) as server:
        options = ["--verify", server.url, "--verify-model", "llm", "--max-tokens-total", "1"]
        shown = predict(note, tmp_path / "out", *options).stdout
        assert server.asked == []
    assert " budget)" in " ".join(shown.split())
    assert Corpus.open(tmp_path / "out").annotations.height > 0


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--verify", "http://localhost:9"], "--verify-model"),
        (["--verify-model", "llm"], "--verify URL"),
        (["--allow-remote"], "--verify URL"),
        (["--verify", "http://8.8.8.8", "--verify-model", "llm"], "--allow-remote"),
        (["--verify", "http://8.8.8.8", "--verify-model", "llm", "--allow-remote"], "https"),
        (["--verify", "http://u:secret@localhost", "--verify-model", "llm"], "AUSCULT_VERIFY_KEY"),
        (["--verify", "http://localhost", "--verify-model", "m", "--max-cost", "1"], "--price-in"),
    ],
)
def test_mistakes_are_said_before_anything_is_done(
    note: Path, tmp_path: Path, options: list[str], says: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "auscult", "predict", "codebook", note, tmp_path / "out", *options],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "secret" not in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_killed_run_goes_on(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for at in range(6):
        (notes / f"{at}.txt").write_text(f"Day {at}. Known gout.")
    stuck = threading.Event()

    def reply(_: Body, number: int) -> Reply:
        if number == 4:
            stuck.wait(60)
        return Reply(says("accept", "Known gout"), usage=USAGE)

    with serving(reply) as server:
        command = [
            sys.executable, "-m", "auscult", "predict", "codebook", str(notes),
            str(tmp_path / "out"), "--verify", server.url, "--verify-model", "llm", "--json",
        ]  # fmt: skip
        killed = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        began = time.monotonic()
        while len(server.asked) < 4 and time.monotonic() - began < 60:
            time.sleep(0.05)
        os.kill(killed.pid, signal.SIGKILL)
        killed.wait()
        stuck.set()
        assert not (tmp_path / "out").exists()
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        verified = json.loads(done.stdout)["verified"]
    assert verified["accepted"] == 6
    assert (verified["from_cache"], verified["requests"]) == (3, 3)
    assert len(server.asked) == 7
