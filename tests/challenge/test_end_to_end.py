"""A shared task from raw notes to the leaderboard, as its organizers and teams run it.

Collected, de-identified, coded three times, voted on, sampled, split, released, submitted to by
forty simulated systems and a learned one, ranked: all by the commands, none of whose warnings is
passed over.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.challenge.simulated import noisy, write

from auscult.challenge import Challenge, leaderboard
from auscult.cli.main import auscult
from auscult.corpus import Corpus, formats
from auscult.corpus.combinations import combinations
from auscult.evaluate.system_ranking import SystemRanking, analyze
from auscult.report.challenge_report import challenge_report

CODERS = ("ann", "bob", "cat")
SYSTEMS = 40
CODES = 6
Row = dict[str, Any]


@dataclass(frozen=True)
class Run:
    """Commands in a folder of their own; what each step said."""

    folder: Path
    said: dict[str, Row]

    def __call__(self, *words: object, code: int = 0) -> Row:
        """Run a command whose paths are names in the folder, and give what it says as JSON."""
        given = [str(self.folder / w) if isinstance(w, Path) else str(w) for w in words]
        done = CliRunner().invoke(auscult, [*given, "--json"])
        assert done.exit_code == code, (given, done.output, done.exception)
        found: Row = json.loads(done.stdout)
        self.said[" ".join(map(str, words[:2]))] = found
        return found


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Everything up to the release, with the codes of three people as the only thing made up."""
    folder = tmp_path_factory.mktemp("task")
    run = Run(folder, {})
    run("synth", "hospital", Path("hospital"), "--patients", 30, "--seed", 5)
    run("corpus", "import", "jsonl", Path("hospital/phi"), Path("named"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUSCULT_DEID_SEED", "a seed that is long enough for anybody")
        run("deid", "apply", Path("named"), Path("clean"))
    _let_people_code(folder / "hospital" / "truth" / "annotations.jsonl", folder / "coders")
    run("corpus", "import", "jsonl", Path("coders"), Path("said"))
    run("corpus", "merge", Path("clean"), Path("said"), Path("coded"))
    people = ("--annotators", ",".join(CODERS))
    run("majority", Path("coded"), Path("voted"), *people, "--votes", 2, "--bootstrap", 0)
    whose = ("--annotator", "majority")
    sampled = ("--minimum", 20, "--fraction", 0.9, "--exclude-empty", "--code-minimum", 2)
    run("corpus", "sample", Path("voted"), Path("kept"), "--document", "note", *whose, *sampled)
    shares = ("--share", "train=0.5", "--share", "test=0.5", "--combinations", "--by", "chart")
    run("corpus", "split", Path("kept"), Path("split"), *whose, *shares)
    humans = ("--humans", ",".join(CODERS), "--attempts", 2)
    run("challenge", "create", Path("split"), Path("task"), *whose, *humans)
    run("challenge", "release", Path("task"), Path("release"))
    return run


def _let_people_code(truth: Path, out: Path) -> None:
    """Three people who see a few conditions in the notes, and now and then miss one."""
    rows = [json.loads(line) for line in truth.read_text(encoding="utf-8").splitlines()]
    rows = [r for r in rows if r["meta"]["assertion"] == "present" and r["system"] == "ICD-10-CM"]
    wanted = {code for code, _ in Counter(row["code"] for row in rows).most_common(CODES)}
    there = sorted({(r["note_id"], r["chart_id"], r["code"]) for r in rows if r["code"] in wanted})
    dice = random.Random(3)
    said = [
        {"note_id": note, "chart_id": chart, "annotator": who, "system": "ICD-10-CM", "code": code}
        for who, missed in zip(CODERS, (0.05, 0.1, 0.2), strict=True)
        for note, chart, code in there
        if dice.random() >= missed
    ]
    out.mkdir()
    text = "".join(json.dumps(row) + "\n" for row in said)
    (out / "annotations.jsonl").write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def task(run: Run) -> Challenge:
    return Challenge.open(run.folder / "task")


@pytest.fixture(scope="module")
def found(run: Run, task: Challenge) -> SystemRanking:
    """Forty teams, each worse than the one before, in three forms; some send rubbish first."""
    dice = random.Random(40)
    gold, labels = task.gold(), task.settings.label_set
    broken = run.folder / "broken.xml"
    broken.write_text("<docs/><docs/>")
    for number in range(SYSTEMS):
        team = f"Team {number + 1:02}"
        if number % 7 == 0:
            sent_back = run("challenge", "submit", Path("task"), team, broken, code=2)
            assert sent_back["attempts_left"] == 2
        form = ("xml", "csv", "json")[number % 3]
        answers = noisy(gold, labels, dice, drop=0.02 + 0.02 * number, add=0.3)
        file = write(answers, run.folder / f"run{number}.{form}")
        receipt = run("challenge", "submit", Path("task"), team, file)
        assert (receipt["status"], receipt["problems"]) == ("accepted", [])
        assert receipt["codes"] == sum(map(len, answers.values()))
    return leaderboard(task, times=200)


def test_no_step_had_anything_to_warn_of_but_its_ids(run: Run) -> None:
    warned = {step: said["warnings"] for step, said in run.said.items() if said.get("warnings")}
    assert set(warned) <= {"deid apply"}  # that hospitals should draw ids anew


def test_what_each_step_left_is_written_down(run: Run) -> None:
    steps = run.said["corpus sample"]["steps"]
    assert all(step["removed"] for step in steps[1:3])
    assert steps[0]["left"] - sum(step["removed"] for step in steps) == steps[-1]["left"]
    history = run("corpus", "info", Path("task/corpus"))["history"]
    listed = {made["by"]: [step["left"] for step in made["steps"]] for made in history}
    assert listed["sample"] == [step["left"] for step in steps]
    assert sum(listed["split"]) == steps[-1]["left"]


def test_test_asks_for_nothing_that_train_has_not_and_for_something(
    run: Run, task: Challenge
) -> None:
    train = combinations(task.corpus.select(splits=["train"]), "majority")
    gold = task.gold()
    assert all(gold.values())
    assert set(gold.values()) <= set(train.values())
    assert abs(len(train) - len(gold)) <= 0.1 * (len(train) + len(gold))
    assert {part["only_here"] for part in run.said["corpus split"]["parts"]} != {0}


def test_the_release_holds_clean_notes_and_no_code_of_test(run: Run, task: Challenge) -> None:
    test = formats.read("cmc", run.folder / "release" / "test.xml")
    assert {note.note_id for note in test.iter_notes()} == set(task.gold())
    assert list(test.iter_annotations()) == []
    named = {
        note.note_id: note.text or "" for note in Corpus.open(run.folder / "named").iter_notes()
    }
    clean = {note.note_id: note.text or "" for note in test.iter_notes()}
    planted = [
        (one.note_id, one.spans[0].of(named[one.note_id]))
        for one in Corpus.open(run.folder / "named").iter_annotations()
        if one.note_id in clean and one.code.value == "NAME"
    ]
    assert len(planted) > 200
    left = sum(bool(re.search(rf"\b{re.escape(n)}\b", clean[note])) for note, n in planted)
    assert left < 0.02 * len(planted)


def test_a_team_goes_from_the_release_to_the_ranking(run: Run, task: Challenge) -> None:
    """Train, predict and submit, with nothing in between."""
    run("corpus", "import", "cmc", Path("release/train.xml"), Path("train"))
    run("corpus", "import", "cmc", Path("release/test.xml"), Path("test"))
    run("train", Path("train"), Path("coder"), "--model", "linear")
    predicted = run("predict", Path("coder"), Path("test"), Path("predicted"))
    assert not [said for said in predicted["warnings"] if "learned" in said]
    receipt = run("challenge", "submit", Path("task"), "Learners", Path("predicted"))
    assert receipt["status"] == "accepted"
    assert receipt["documents"] == len(task.gold())
    alone = run("challenge", "score", Path("split"), Path("predicted"), "--bootstrap", 0,
                "--annotator", "majority", "--split", "test")  # fmt: skip
    ranked = {row.name: row for row in leaderboard(Challenge.open(task.path), times=0).rows}
    assert ranked["Learners"].metrics["micro_f1"].value == pytest.approx(alone["micro_f1"])
    assert alone["micro_f1"] > 0.5


def test_the_better_a_system_was_made_the_higher_it_stands(found: SystemRanking) -> None:
    names = [row.name for row in found.systems if row.name.startswith("Team")]
    assert len(names) == SYSTEMS
    made = [int(name.split()[1]) for name in names]
    # Ranks as made and as found go together: Spearman's correlation.
    squares = sum((place - number) ** 2 for place, number in enumerate(made, 1))
    assert 1 - 6 * squares / (SYSTEMS**3 - SYSTEMS) > 0.95
    assert found.systems[0].rank == 1
    assert {row.name for row in found.humans} == set(CODERS)
    assert found.outside == ()
    assert found.ceiling == 1


def test_near_systems_cannot_be_told_apart_and_far_ones_can(found: SystemRanking) -> None:
    analysis = analyze(found)
    assert analysis.anova is not None
    system = analysis.anova.factors[0].p_value.value or 0.0
    assert system < 0.001
    first, last = analysis.names[0], analysis.names[-1]
    together = [set(group) for group in analysis.groups if first in group]
    assert all(last not in group for group in together)
    assert any(analysis.names[1] in group for group in together)


class _Cells(HTMLParser):
    """Counts elements by tag and class."""

    def __init__(self) -> None:
        super().__init__()
        self.rows = self.heat = self.humans = self.external = 0
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "table":
            self._inside = given.get("class") or ""
        self.rows += tag == "tr" and self._inside == "ranking"
        self.humans += tag == "tr" and self._inside == "ranking" and given.get("class") == "human"
        self.heat += tag == "td" and self._inside == "heat" and "title" in given
        self.external += tag in ("script", "link", "img")


def test_the_page_shows_everybody_and_every_code(found: SystemRanking, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    challenge_report(found, analyze(found), page, name="Task <1>")
    text = page.read_text(encoding="utf-8")
    cells = _Cells()
    cells.feed(text)
    everybody = len(found.rows)
    assert cells.rows == 1 + everybody
    assert cells.humans == len(CODERS)
    assert cells.heat == everybody * min(60, len(found.codes))
    assert cells.external == 0
    assert "Task &lt;1&gt;" in text
    assert text.count("<svg") == 2  # the brand and the scatter plot
    # Of the pairs a page shows a part, and says so.
    assert f"{len(found.systems) - 1 - 12} more systems are not shown here" in text
