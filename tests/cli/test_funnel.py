"""From a collection to a test set: each command records its step, and a challenge shows them all.

The steps are those of Pestian et al. 2007, Table 2, on thirty reports instead of 20,275.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from auscult.cli.main import auscult
from auscult.core import Annotation, Code
from auscult.corpus import Corpus

CODERS = ("ann", "bob", "cat")


def answer(*words: object) -> dict[str, Any]:
    done = CliRunner().invoke(auscult, [*map(str, words), "--json"])
    assert done.exit_code == 0, (done.output, done.exception)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _collection(folder: Path) -> None:
    """Thirty reports; in some stands a name that nobody can be sure of."""
    folder.mkdir()
    rows = [
        {
            "note_id": f"n{at:02}",
            "text": f"Seen with Mr. Applewhite on 3/{at % 27 + 1}/2007. Cough.",
        }
        for at in range(30)
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "notes.jsonl").write_text(text)


def _inspect(corpus: Path, queue: Path) -> None:
    """Two notes are deleted, as reviewers do with what may be traced."""
    answer("deid", "queue", corpus, queue, "--all")
    with queue.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    gone = sorted({row["note"] for row in rows})[:2]
    for row in rows:
        row["decision"] = "delete" if row["note"] in gone else "replace"
    with queue.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def _code(clean: Path, out: Path) -> None:
    """Three coders: of the first three reports they all say something else, one code is rare."""
    corpus = Corpus.open(clean)
    said = []
    for at, chart in enumerate(corpus.chart_ids()):
        for number, who in enumerate(CODERS):
            value = f"78{number}.9" if at < 3 else "999.9" if at == 3 else f"786.{at % 2}"
            said.append(Annotation(who, Code("ICD-9-CM", value), chart, chart))
    corpus.with_annotations(said).write(out)


@pytest.fixture
def task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AUSCULT_DEID_SEED", "a seed that is long enough for anybody")
    monkeypatch.chdir(tmp_path)
    _collection(tmp_path / "raw")
    answer("corpus", "import", "jsonl", "raw", "year")
    answer("corpus", "sample", "year", "part", "--fraction", 0.8)
    _inspect(Path("part"), Path("queue.csv"))
    answer("deid", "apply", "part", "clean", "--decisions", "queue.csv")
    _code(Path("clean"), Path("coded"))
    people = ("--annotators", ",".join(CODERS), "--votes", 2, "--unit", "chart")
    answer("majority", "coded", "voted", *people, "--bootstrap", 0)
    whose = ("--annotator", "majority")
    rare = ("--exclude-empty", "--code-minimum", 2)
    answer("corpus", "sample", "voted", "kept", *whose, *rare)
    shares = ("--share", "train=0.5", "--share", "test=0.5", "--combinations")
    answer("corpus", "split", "kept", "split", *whose, *shares)
    answer("challenge", "create", "split", "task", *whose)
    return tmp_path / "task"


def test_the_whole_way_is_one_table(task: Path) -> None:
    """Counted by hand: 30, of them 24, less 2 deleted, less 3 without majority, less 1 rare."""
    steps = answer("challenge", "funnel", task)["steps"]
    assert [(row["by"], row["step"], row["removed"], row["left"]) for row in steps] == [
        ("import", "collection", 0, 30),
        ("sample", "not in the 80% sample of each category", 6, 24),
        ("deid", "manual inspection for anonymization problems", 2, 22),
        ("majority", "majority vote of 3; 3 without a majority code", 0, 22),
        ("sample", "no code of majority", 3, 19),
        ("sample", "a code that fewer than 2 documents have", 1, 18),
        ("split", "in test", 0, 9),
        ("split", "in train", 0, 9),
    ]
    shown = CliRunner().invoke(auscult, ["challenge", "funnel", str(task)]).stdout
    assert shown.index("collection") < shown.index("anonymization") < shown.index("in train")
    history = json.dumps(answer("corpus", "info", task / "corpus")["history"])
    assert "a seed that is long enough" not in history, "a seed would undo the de-identification"


def test_the_page_of_a_challenge_has_the_table(task: Path, tmp_path: Path) -> None:
    documents = Corpus.open(task / "corpus").select(splits=["test"]).chart_ids()
    run = tmp_path / "run.csv"
    run.write_text("document,code\n" + "".join(f"{name},786.1\n" for name in documents))
    answer("challenge", "submit", task, "X", run)
    answer("challenge", "leaderboard", task, "--bootstrap", 0, "--report", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "Selection of the documents" in page
    assert page.index("manual inspection") < page.index("majority vote of 3")
