"""`auscult challenge`, `auscult corpus sample` and `split --combinations`, as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from auscult.cli.main import auscult
from auscult.core import Annotation, AuscultError, Code, Note
from auscult.corpus import Corpus

# Documents by their codes: enough of each for both halves.
GIVEN = ["A"] * 6 + ["AB"] * 4 + ["C"] * 4 + ["D"] + [""] * 2


@pytest.fixture
def voted(tmp_path: Path) -> Path:
    notes = [Note(f"n{at:02}", f"n{at:02}", text="Cough.") for at in range(len(GIVEN))]
    said = [
        Annotation(who, Code("ICD-9-CM", letter), f"n{at:02}", f"n{at:02}")
        for at, letters in enumerate(GIVEN)
        for letter in letters
        for who in ("majority", "ann")
        if who == "majority" or letter != "B"
    ]
    Corpus.of(notes, said).write(tmp_path / "voted")
    return tmp_path / "voted"


@pytest.fixture
def task(voted: Path, tmp_path: Path) -> Path:
    halves = ("--share", "train=0.5", "--share", "test=0.5", "--combinations")
    run("corpus", "split", voted, tmp_path / "split", *halves, "--annotator", "majority")
    said = ("--annotator", "majority", "--humans", "ann", "--attempts", "2")
    run("challenge", "create", tmp_path / "split", tmp_path / "task", *said)
    return tmp_path / "task"


def run(*words: object, code: int = 0) -> Result:
    done = CliRunner().invoke(auscult, [*map(str, words)])
    assert done.exit_code == code, done.output
    return done


def answer(*words: object, code: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(*words, "--json", code=code).stdout)
    return found


def test_sample_says_what_each_step_left_out(voted: Path, tmp_path: Path) -> None:
    options = ("--annotator", "majority", "--coded", "--code-minimum", 2)
    found = answer("corpus", "sample", voted, tmp_path / "clean", *options)
    assert [(step["removed"], step["left"]) for step in found["steps"]] == [
        (0, 17),
        (2, 15),
        (1, 14),
    ]
    assert len(list(Corpus.open(tmp_path / "clean").iter_notes())) == 14
    shown = run("corpus", "sample", voted, tmp_path / "again", *options).stdout
    assert "a code that fewer than 2 documents have" in shown


def test_whose_codes_must_be_said(voted: Path, tmp_path: Path) -> None:
    splitting = ("--share", "train=1", "--combinations")
    for words in (("sample", voted, tmp_path / "a", "--coded"), ("split", voted, "b", *splitting)):
        done = CliRunner().invoke(auscult, ["corpus", *map(str, words)])
        assert isinstance(done.exception, AuscultError)
        assert "--annotator NAME" in str(done.exception)


def test_from_release_to_leaderboard(task: Path, tmp_path: Path) -> None:
    made = answer("challenge", "release", task, tmp_path / "release")
    assert "test.xml" in made["files"]
    lines = (tmp_path / "release" / "test.xml").read_text().splitlines()
    ids = [line.split('"')[1] for line in lines if "<doc " in line]
    good, bad, broken = (tmp_path / name for name in ("good.csv", "bad.json", "broken.xml"))
    good.write_text("document,code\n" + "".join(f"{name},A\n" for name in ids))
    bad.write_text(json.dumps({name: ["C"] for name in ids}))
    broken.write_text("<docs>\n<doc id='1'/>\n<doc id='1'/></docs><docs/>")

    receipt = answer("challenge", "submit", task, "Good", good)
    assert (receipt["status"], receipt["attempt"], receipt["attempts_left"]) == ("accepted", 1, 1)
    assert receipt["documents"] == receipt["codes"] == len(ids)
    assert "micro_f1" not in json.dumps(receipt)
    refused = answer("challenge", "submit", task, "Good", broken, code=1)
    assert refused["attempts_left"] == 1
    assert {problem["kind"] for problem in refused["problems"]} >= {
        "two roots",
        "duplicate document",
    }
    shown = run("challenge", "submit", task, "Good", broken, code=1).stdout
    assert "line 3: document '1' is on line 2 already" in shown
    assert "It cost no attempt; 1 attempt left." in shown
    assert "Accepted as attempt 1 of Bad" in run("challenge", "submit", task, "Bad", bad).stdout

    entries = answer("challenge", "ledger", task)["entries"]
    assert [entry["status"] for entry in entries] == ["accepted", "invalid", "invalid", "accepted"]

    page = tmp_path / "page.html"
    found = answer("challenge", "leaderboard", task, "--bootstrap", 50, "--report", page)
    assert [row["name"] for row in found["standings"]] == ["ann", "Good", "Bad"]
    assert [row["rank"] for row in found["standings"]] == [None, 1, 2]
    assert found["attempts"] == {"Good": 1, "Bad": 1}
    assert "Good" in page.read_text()
    shown = run("challenge", "leaderboard", task, "--bootstrap", 0).stdout
    assert shown.index("ann") < shown.index("Good") < shown.index("Bad")

    analysis = answer("challenge", "analyse", task)
    assert [factor["factor"] for factor in analysis["anova"]["factors"]] == ["system", "code"]
    assert len(analysis["pairs"]) == 1
    assert "Groups that cannot be told apart" in run("challenge", "analyse", task).stdout


def test_score_stands_alone(tmp_path: Path) -> None:
    gold, run_ = tmp_path / "gold.csv", tmp_path / "run.json"
    gold.write_text("document,code\n1,A\n2,A;B\n3,\n")
    run_.write_text('{"1": ["A"], "2": ["A", "C"], "9": ["A"]}')
    found = answer("challenge", "score", gold, run_, "--bootstrap", 20)
    assert found["micro_f1"] == pytest.approx(2 * 2 / (2 * 2 + 1 + 1))
    assert found["macro_f1"] == pytest.approx((1 + 0) / 2)
    assert found["cost_sensitive"] == pytest.approx((1 + (1 - 1.33 / 3) + 1) / 3)
    assert set(found["intervals"]) >= {"micro_f1", "macro_f1", "cost_sensitive"}
    assert "over codes that gold has" in found["definitions"]["macro_f1"]
    assert sorted(problem["kind"] for problem in found["problems"]) == [
        "code outside the label set", "missing document", "unknown document",
    ]  # fmt: skip
    assert {problem["severity"] for problem in found["problems"]} == {"remark"}
    equal = answer("challenge", "score", gold, run_, "--beta", 1, "--bootstrap", 0)
    assert equal["cost_sensitive"] == pytest.approx((1 + 1 / 3 + 1) / 3)
    assert "micro_f1" in run("challenge", "score", gold, run_, "--bootstrap", 0).stdout


def test_a_file_that_cannot_be_read_has_no_score(tmp_path: Path) -> None:
    gold, run_ = tmp_path / "gold.csv", tmp_path / "run.xml"
    gold.write_text("document,code\n1,A\n")
    run_.write_text('<docs><doc id="1"/></docs><docs/>')
    found = answer("challenge", "score", gold, run_, code=1)
    assert "micro_f1" not in found
    assert found["readable"] is False
    assert [problem["kind"] for problem in found["problems"]] == ["two roots"]


def test_no_attempt_left(task: Path, tmp_path: Path) -> None:
    file = tmp_path / "run.csv"
    ids = [
        note.note_id for note in Corpus.open(task / "corpus").select(splits=["test"]).iter_notes()
    ]
    file.write_text("document,code\n" + "".join(f"{name},\n" for name in ids))
    for _ in range(2):
        run("challenge", "submit", task, "X", file)
    done = CliRunner().invoke(auscult, ["challenge", "submit", str(task), "X", str(file)])
    assert isinstance(done.exception, AuscultError)
    assert "no attempt left" in str(done.exception)
