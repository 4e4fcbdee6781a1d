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
    options = ("--annotator", "majority", "--exclude-empty", "--code-minimum", 2)
    found = answer("corpus", "sample", voted, tmp_path / "clean", *options)
    assert [(step["removed"], step["left"]) for step in found["steps"]] == [
        (0, 17),
        (2, 15),
        (1, 14),
    ]
    assert len(list(Corpus.open(tmp_path / "clean").iter_notes())) == 14
    shown = run("corpus", "sample", voted, tmp_path / "again", *options).stdout
    assert "a code that fewer than 2 documents have" in shown


def test_the_majority_counts_unless_another_is_named(voted: Path, tmp_path: Path) -> None:
    done = run("corpus", "sample", voted, tmp_path / "a", "--exclude-empty")
    assert "Using majority, the gold standard judging by its name." in done.stderr


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
    refused = answer("challenge", "submit", task, "Good", broken, code=2)
    assert refused["attempts_left"] == 1
    assert {problem["kind"] for problem in refused["problems"]} >= {
        "two roots",
        "duplicate document",
    }
    shown = run("challenge", "submit", task, "Good", broken, code=2).stdout
    assert "line 3: duplicate document '1': it is already on line 2" in shown
    assert "It does not count as an attempt; 1 attempt left." in shown
    assert "Accepted as attempt 1 of Bad" in run("challenge", "submit", task, "Bad", bad).stdout

    entries = answer("challenge", "ledger", task)["entries"]
    assert [entry["status"] for entry in entries] == ["accepted", "invalid", "invalid", "accepted"]

    page = tmp_path / "page.html"
    found = answer("challenge", "leaderboard", task, "--bootstrap", 50, "--report", page)
    assert [row["name"] for row in found["ranking"]] == ["ann", "Good", "Bad"]
    assert [row["rank"] for row in found["ranking"]] == [None, 1, 2]
    assert found["attempts"] == {"Good": 1, "Bad": 1}
    assert "Good" in page.read_text()
    shown = run("challenge", "leaderboard", task, "--bootstrap", 0).stdout
    assert shown.index("ann") < shown.index("Good") < shown.index("Bad")

    analysis = answer("challenge", "analyze", task)
    assert [factor["factor"] for factor in analysis["anova"]["factors"]] == ["system", "code"]
    assert len(analysis["pairs"]) == 1
    assert analysis["about"]["submissions"] == 2
    assert (
        "Groups of systems that do not differ significantly"
        in run("challenge", "analyze", task).stdout
    )


def test_score_stands_alone(tmp_path: Path) -> None:
    gold, run_ = tmp_path / "gold.csv", tmp_path / "run.json"
    gold.write_text("document,code\n1,A\n2,A;B\n3,\n")
    run_.write_text('{"1": ["A"], "2": ["A", "C"], "9": ["A"]}')
    found = answer("challenge", "score", gold, run_, "--bootstrap", 20)
    assert found["micro_f1"] == pytest.approx(2 * 2 / (2 * 2 + 1 + 1))
    assert found["macro_f1"] == pytest.approx((1 + 0) / 2)
    assert found["cost_sensitive"] == pytest.approx((1 + (1 - 1.33 / 3) + 1) / 3)
    assert set(found["intervals"]) >= {"micro_f1", "macro_f1", "cost_sensitive"}
    assert "over codes on at least one chart in gold" in found["definitions"]["macro_f1"]
    assert sorted(problem["kind"] for problem in found["problems"]) == [
        "code that is not in gold", "missing document", "unknown document",
    ]  # fmt: skip
    assert {problem["severity"] for problem in found["problems"]} == {"remark"}
    equal = answer("challenge", "score", gold, run_, "--beta", 1, "--bootstrap", 0)
    assert equal["cost_sensitive"] == pytest.approx((1 + 1 / 3 + 1) / 3)
    assert "micro_f1" in run("challenge", "score", gold, run_, "--bootstrap", 0).stdout


def test_a_file_that_cannot_be_read_has_no_score(tmp_path: Path) -> None:
    gold, run_ = tmp_path / "gold.csv", tmp_path / "run.xml"
    gold.write_text("document,code\n1,A\n")
    run_.write_text('<docs><doc id="1"/></docs><docs/>')
    found = answer("challenge", "score", gold, run_, code=2)
    assert "micro_f1" not in found
    assert found["readable"] is False
    assert [problem["kind"] for problem in found["problems"]] == ["two roots"]


def test_no_attempt_left(task: Path, tmp_path: Path) -> None:
    file = tmp_path / "run.csv"
    ids = [
        note.note_id for note in Corpus.open(task / "corpus").select(splits=["test"]).iter_notes()
    ]
    file.write_text("document,code\n" + "".join(f"{name},A\n" for name in ids))
    for _ in range(2):
        run("challenge", "submit", task, "X", file)
    done = CliRunner().invoke(auscult, ["challenge", "submit", str(task), "X", str(file)])
    assert isinstance(done.exception, AuscultError)
    assert "no attempts left" in str(done.exception)


def test_the_ledger_counts_the_refusals_that_it_does_not_list(
    task: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("auscult.challenge.ledger.REFUSALS_LISTED", 1)
    run("challenge", "publish", task)
    file = tmp_path / "run.csv"
    file.write_text("document,code\n")
    for team in ("X", "X", "x", "Y"):
        assert "is published" in refused("challenge", "submit", task, team, file)
    assert "X: 2 more refused submissions, not listed" in run("challenge", "ledger", task).output
    found = answer("challenge", "ledger", task)
    assert (len(found["entries"]), found["unlisted"]) == (2, {"X": 2})
    assert answer("challenge", "ledger", task, "--team", "y")["unlisted"] == {}


def refused(*words: object) -> str:
    done = CliRunner().invoke(auscult, [*map(str, words)])
    assert isinstance(done.exception, AuscultError), done.output
    return str(done.exception)


def split_of(voted: Path, tmp_path: Path) -> Path:
    shares = ("--share", "train=0.5", "--share", "test=0.5")
    run("corpus", "split", voted, tmp_path / "halves", *shares)
    return tmp_path / "halves"


def test_the_label_set_may_be_that_of_a_release(task: Path, tmp_path: Path) -> None:
    """Its header is no code; and codes of annotators who are not gold do not matter."""
    run("challenge", "release", task, tmp_path / "release")
    corpus = Corpus.open(tmp_path / "split")
    billed = Annotation("billing", Code("CPT", "99291"), "n00", "n00")
    more = corpus.with_annotations([*corpus.iter_annotations(), billed])
    more.write(tmp_path / "billed")
    create = ("challenge", "create", tmp_path / "billed")
    codes = tmp_path / "release" / "codes.csv"
    one = answer(*create, tmp_path / "one", "--annotator", "majority", "--label-set", codes)
    assert one["codes"] == len(codes.read_text().splitlines()) - 1
    plain = tmp_path / "plain.txt"
    plain.write_text("A\n\nB\nC\n")
    two = answer(*create, tmp_path / "two", "--annotator", "majority", "--label-set", plain)
    assert two["codes"] == 3
    plain.write_text("code,system\nA,CPT\n")
    said = refused(*create, tmp_path / "three", "--annotator", "majority", "--label-set", plain)
    assert "There is no code system among the gold codes 'CPT'" in said
    plain.write_text("code\n")
    said = refused(*create, tmp_path / "three", "--annotator", "majority", "--label-set", plain)
    assert "lists no codes" in said


def test_a_list_of_no_teams_lets_nobody_in(voted: Path, tmp_path: Path) -> None:
    teams = tmp_path / "teams.txt"
    teams.write_text("\n \n")
    create = ("challenge", "create", split_of(voted, tmp_path), tmp_path / "task")
    said = refused(*create, "--annotator", "majority", "--teams", teams)
    assert "is empty; expected one team per line" in said
    assert not (tmp_path / "task").exists()


def test_a_split_by_combination_says_what_it_made(voted: Path, tmp_path: Path) -> None:
    words = ("corpus", "split", voted, tmp_path / "halves", "--annotator", "majority",
             "--combinations", "--share", "train=0.5", "--share", "test=0.5")  # fmt: skip
    found = answer(*words)
    assert {part["split"]: part["documents"] for part in found["parts"]} == {"train": 9, "test": 8}
    assert [part["only_here"] for part in found["parts"]] == [0, 1]
    assert "only in this split" in run(*words, "--overwrite").stdout


def test_every_pair_that_is_not_printed_is_counted(task: Path, tmp_path: Path) -> None:
    ids = [
        note.note_id for note in Corpus.open(task / "corpus").select(splits=["test"]).iter_notes()
    ]
    for team in range(4):
        file = tmp_path / f"{team}.csv"
        rows = [f"{name},{'ABC'[(at + team) % 3]}" for at, name in enumerate(ids)]
        file.write_text("\n".join(["document,code", *rows]))
        run("challenge", "submit", task, f"Team {team}", file)
    assert "3 of 6 pairs; --all-pairs prints them all" in run("challenge", "analyze", task).stdout
    assert "--all-pairs" not in run("challenge", "analyze", task, "--all-pairs").stdout
    shown = run("challenge", "leaderboard", task, "--bootstrap", 10).stdout.splitlines()
    assert shown[1].split()[-1] == "cost"  # in eighty columns, on one line
    assert "mean F1  F1 of P, R" in shown[1]
    assert "mean F1: macro-F1 as the mean of the codes' F1, over the gold codes" in shown
    assert (
        "F1 of P, R: macro-F1 from macro-precision and macro-recall, over the gold codes" in shown
    )


def test_the_way_from_collection_to_test_set_is_one_table(voted: Path, tmp_path: Path) -> None:
    clean, halves, task = (tmp_path / name for name in ("clean", "halves", "task"))
    whose = ("--annotator", "majority")
    run(
        "corpus",
        "sample",
        voted,
        clean,
        *whose,
        "--exclude-empty",
        "--code-minimum",
        2,
        "--seed",
        7,
    )
    shares = ("--share", "train=0.5", "--share", "test=0.5", "--combinations")
    run("corpus", "split", clean, halves, *whose, *shares)
    run("challenge", "create", halves, task, *whose)
    found = answer("corpus", "info", task / "corpus")["history"]
    assert [made["by"] for made in found] == ["sample", "split"]
    assert (found[0]["options"]["seed"], found[1]["options"]["annotator"]) == (7, "majority")
    assert [step["left"] for made in found for step in made["steps"]] == [17, 15, 14, 7, 7]
    shown = run("corpus", "info", halves).stdout
    assert shown.index("a code that fewer than 2") < shown.index("in train")


def test_a_team_checks_its_file_as_the_organizers_will(task: Path, tmp_path: Path) -> None:
    """Whatever is wrong with it: the same problems, the same verdict, and no gold in sight."""
    run("challenge", "release", task, tmp_path / "release")
    documents = sorted(
        note.note_id for note in Corpus.open(task / "corpus").select(splits=["test"]).iter_notes()
    )
    whole = "document,code\n" + "".join(f"{name},A\n" for name in documents)
    cases = {
        "whole.csv": whole,
        "one.csv": "document,code\n" + f"{documents[0]},A\n",
        "outside.csv": whole + f"{documents[0]},Z\n",
        "twice.csv": whole + f"{documents[0]},A\n",
        "nothing.csv": "document,code\nelsewhere,A\n",
        "two.xml": "<docs/><docs/>",
        "list.json": "[1]",
    }
    verdicts = {}
    for name, text in cases.items():
        file = tmp_path / name
        file.write_text(text)
        valid = name in ("whole.csv", "twice.csv")
        code = 0 if valid else 2
        checked = answer("challenge", "check", tmp_path / "release", file, code=code)
        # A team each: two submissions are all that a team has.
        told = answer("challenge", "submit", task, f"Team {name}", file, code=code)
        assert checked["problems"] == told["problems"], name
        if valid:
            assert (checked["documents"], checked["codes"]) == (told["documents"], told["codes"])
        verdicts[name] = checked["valid"]
    assert verdicts == {name: name in ("whole.csv", "twice.csv") for name in cases}
    shown = run("challenge", "check", tmp_path / "release", tmp_path / "one.csv", code=2).stdout
    assert f"{len(documents) - 1} of the {len(documents)} test documents are missing" in shown
    assert "Invalid because of 1 error" in shown


def test_a_file_that_broke_off_does_not_take_the_place_of_a_good_run(
    task: Path, tmp_path: Path
) -> None:
    documents = [
        note.note_id for note in Corpus.open(task / "corpus").select(splits=["test"]).iter_notes()
    ]
    good, broken = tmp_path / "good.csv", tmp_path / "broken.csv"
    good.write_text("document,code\n" + "".join(f"{name},A\n" for name in documents))
    broken.write_text(f"document,code\n{documents[0]},A\n")
    run("challenge", "submit", task, "X", good)
    before = answer("challenge", "leaderboard", task, "--bootstrap", 0)["ranking"]
    shown = run("challenge", "submit", task, "X", broken, code=2).stdout
    assert "To submit it anyway, pass --incomplete." in shown
    assert answer("challenge", "leaderboard", task, "--bootstrap", 0)["ranking"] == before
    meant = run("challenge", "submit", task, "X", broken, "--incomplete").stdout
    assert f"It replaces attempt 1 (good.csv, {len(documents)} documents) in the ranking." in meant
    after = answer("challenge", "leaderboard", task, "--bootstrap", 0)["ranking"]
    assert after[-1]["micro_f1"] < before[-1]["micro_f1"]


def test_a_file_without_any_code_is_not_taken_for_a_run(task: Path, tmp_path: Path) -> None:
    documents = [
        note.note_id for note in Corpus.open(task / "corpus").select(splits=["test"]).iter_notes()
    ]
    bare = tmp_path / "bare.csv"
    bare.write_text("document,code\n" + "".join(f"{name},\n" for name in documents))
    shown = run("challenge", "submit", task, "X", bare, code=2).stdout
    assert "no document has a code" in shown
    assert "To submit it anyway, pass --incomplete." in shown
    assert "Accepted" in run("challenge", "submit", task, "X", bare, "--incomplete").stdout


def test_a_release_of_the_training_documents_cannot_check(task: Path, tmp_path: Path) -> None:
    run("challenge", "release", task, tmp_path / "first", "--stage", "training")
    file = tmp_path / "run.csv"
    file.write_text("document,code\nn00,A\n")
    assert "contains only the training documents" in refused(
        "challenge", "check", tmp_path / "first", file
    )
    assert "is not the release of a challenge" in refused("challenge", "check", tmp_path, file)


def test_a_stage_can_be_prepared_ahead_of_its_date(task: Path, tmp_path: Path) -> None:
    far = "2999-01-01T00:00Z"
    run("challenge", "calendar", task, "--training", far, "--test", far)
    said = refused("challenge", "release", task, tmp_path / "out")
    assert said == "The training documents are released on 2999-01-01 00:00 UTC."
    run("challenge", "release", task, tmp_path / "out", "--ahead")
    assert (tmp_path / "out" / "test.xml").exists()
    shown = run("challenge", "calendar", task, "--closing", "2999-02-01 12:00 AoE").stdout
    assert "2999-02-01 12:00 UTC-12:00" in shown
    assert "needs" not in shown
    assert "has no time zone" in refused(
        "challenge", "calendar", task, "--test", "2999-01-01T00:00"
    )
