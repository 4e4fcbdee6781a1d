"""`auscult adjudicate`: the whole way, with a spreadsheet in the middle."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from auscult.cli.main import auscult
from auscult.core import Annotation, AuscultError, Code, Note, Span
from auscult.corpus import Corpus

TEXT = "Hypertension and heart failure. Cough."
HTN, HEART, OTHER, COUGH = (Code("ICD-10-CM", v) for v in ("I10", "I50.9", "I50.22", "R05.9"))
NAMES = ("--annotators", "ann,bob")


def say(who: str, code: Code, begin: int, end: int) -> Annotation:
    return Annotation(who, code, "c", "n", (Span(begin, end),))


@pytest.fixture
def coded(tmp_path: Path) -> Path:
    given = [
        say("ann", HTN, 0, 12),
        say("bob", HTN, 0, 12),
        say("ann", HEART, 17, 30),
        say("bob", OTHER, 17, 30),
        say("ann", COUGH, 32, 37),
    ]
    Corpus.of([Note("n", "c", text=TEXT)], given).write(tmp_path / "coded")
    return tmp_path / "coded"


def run(*words: object) -> Any:
    return CliRunner().invoke(auscult, ["adjudicate", *map(str, words)])


def answer(*words: object) -> dict[str, Any]:
    done = run(*words, "--json")
    assert done.exit_code == 0, (done.output, done.exception)
    return json.loads(done.stdout)  # type: ignore[no-any-return]  # the commands print objects


def fill(file: Path, choices: dict[str, str], **more: str) -> None:
    """Decide by cause, as somebody would in a spreadsheet."""
    with file.open(encoding="utf-8-sig", newline="") as handle:
        rows = list(csv.DictReader(handle))
    for row in rows:
        if row["cause"] in choices:
            row |= {"decision": choices[row["cause"]], "when": "2024-03-01", **more}
    with file.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def gold(corpus: Path) -> dict[str, dict[str, str]]:
    found = Corpus.open(corpus).iter_annotations()
    return {a.code.value: dict(a.meta) for a in found if a.annotator == "gold"}


@pytest.mark.filterwarnings("ignore:.*by definition")
def test_two_rounds_with_a_spreadsheet(coded: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    made = answer("queue", coded, first, *NAMES, "--show-text")
    assert (made["items"], made["round"], made["causes"]) == (2, 1, {"code": 1, "symptom": 1})
    assert "«heart failure»" in first.read_text("utf-8-sig")
    fill(first, {"code": "accept-A", "symptom": "neither"}, who="bob", why="the note says no more")
    found = answer("status", coded, *NAMES, "--decisions", first)
    about = found["about"]
    assert (about["annotators"], about["charts"], about["seed"]) == (["ann", "bob"], "annotated", 0)
    assert (about["unit"], about["bootstrap"]) == ("note", 1000)
    assert about["decisions"] == [str(first)]
    assert len(about["digest"]) == 64
    # ann has not yet said what she makes of bob's wish to drop the cough
    assert (found["settled"], found["open"], found["contested"]) == (1, 1, 0)
    f1 = {when: one["code_f1"]["value"] for when, one in found["agreement"].items()}
    assert f1 == {"before": pytest.approx(2 / 5), "after round 1": pytest.approx(4 / 5)}

    again = answer("queue", coded, second, *NAMES, "--decisions", first)
    assert (again["items"], again["round"], again["settled"]) == (1, 2, 1)
    fill(second, {"symptom": "accept-A"}, role="supervisor")
    words = ("--decisions", first, "--decisions", second, "--decided-by", "eve")
    applied = answer("apply", coded, tmp_path / "gold", *NAMES, *words, "--complete")
    assert (applied["annotations"], applied["unsettled"], applied["warnings"]) == (3, 0, [])
    metas = gold(tmp_path / "gold")
    assert set(metas) == {"I10", "I50.9", "R05.9"}
    assert metas["I10"]["adjudication"] == "agreed"
    assert metas["I50.9"]["by"] == "bob"
    assert metas["I50.9"]["why"] == "the note says no more"
    assert (metas["R05.9"]["by"], metas["R05.9"]["role"]) == ("eve", "supervisor")
    assert metas["R05.9"]["round"] == "2"
    answer("apply", coded, tmp_path / "again", *NAMES, *words)
    files = [Corpus.open(tmp_path / name).manifest.files for name in ("gold", "again")]
    assert files[0] == files[1]


@pytest.mark.filterwarnings("ignore:.*by definition")
def test_nothing_decided(coded: Path, tmp_path: Path) -> None:
    found = answer("apply", coded, tmp_path / "gold", *NAMES)
    assert found["annotations"] == 1
    assert "2 of 2 disagreements are open" in found["warnings"][0]
    done = run("status", coded, *NAMES)
    assert "symptom" in done.stdout
    assert "before" in done.stdout
    assert "none of the annotators took part in it" in done.stdout
    shown = run("queue", coded, tmp_path / "queue.csv", *NAMES)
    assert "2 disagreements for round 1" in shown.stdout


def test_json_lines(coded: Path, tmp_path: Path) -> None:
    queue, decisions = tmp_path / "queue.jsonl", tmp_path / "decisions.jsonl"
    answer("queue", coded, queue, *NAMES)
    items = [json.loads(line) for line in queue.read_text().splitlines()]
    assert items[0]["sides"]["B"]["statements"] == [
        {"system": "ICD-10-CM", "code": "I50.22", "note_id": "n", "spans": [[17, 30]]}
    ]
    short = [{"item": item["item"], "decision": "both"} for item in items]
    filled = [{**item, "decision": "both"} for item in items]
    for at, lines in enumerate((short, filled)):
        decisions.write_text("".join(json.dumps(line) + "\n" for line in lines))
        words = (
            *NAMES,
            "--decisions",
            decisions,
            "--decided-by",
            "eve",
            "--decided-on",
            "2024-03-01",
        )
        answer("apply", coded, tmp_path / f"gold{at}", *words)
        assert set(gold(tmp_path / f"gold{at}")) == {"I10", "I50.9", "I50.22", "R05.9"}
    answer("queue", coded, tmp_path / "told.jsonl", *NAMES, "--show-text")
    assert "«heart failure»" in (tmp_path / "told.jsonl").read_text("utf-8")


@pytest.mark.filterwarnings("ignore:.*by definition")
def test_only_others_have_decided(coded: Path, tmp_path: Path) -> None:
    queue = tmp_path / "queue.csv"
    answer("queue", coded, queue, *NAMES)
    fill(queue, {"code": "accept-A"}, who="eve")
    words = ("status", coded, *NAMES, "--decisions", queue)
    shown = run(*words)
    assert "none of the annotators took part in it" in shown.stdout
    assert list(answer(*words)["agreement"]) == ["before"]
    fill(queue, {"code": "accept-A"}, who="ANN")
    assert "none of the annotators" not in run(*words).stdout


def test_mistakes(coded: Path, tmp_path: Path) -> None:
    queue = tmp_path / "queue.csv"
    answer("queue", coded, queue, *NAMES)
    fill(queue, {"code": "accept-A"}, who="eve")
    turned = ("--annotators", "bob,ann")
    other = tmp_path / "other.jsonl"
    other.write_text('{"item": "q0123456789ab", "decision": "both", "who": "eve"}')
    for words, says in (
        (["apply", coded, tmp_path / "g", *NAMES, "--complete"], "are open"),
        (["apply", coded, tmp_path / "g", *NAMES, "--sign-as", "ann"], "already"),
        (["apply", coded, tmp_path / "g", *turned, "--decisions", queue], "another order"),
        (["status", coded, *NAMES, "--decisions", other], "--charts, --split, --category"),
        (["queue", coded, queue, *NAMES], "--overwrite"),
        (["queue", coded, tmp_path / "queue.xls", *NAMES], ".csv"),
        (["status", coded, "--annotators", "ann,bobo"], "Did you mean bob"),
        (["status", coded, "--annotators", "ann"], "two annotators"),
    ):
        done = run(*words)
        assert isinstance(done.exception, AuscultError), (words, done.output)
        assert says in str(done.exception)
    assert not (tmp_path / "g").exists()
