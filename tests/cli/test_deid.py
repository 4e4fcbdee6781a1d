"""`auscult deid`: at once, and the long way with a spreadsheet in the middle."""

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

TEXT = "Mrs. Quigley of Boston, h/o gout 1998, seen 3/14/2003 by Grace Kim, RN. Fever."
OTHER = "Quigley resolved 2/5."
PASSPHRASE = {"AUSCULT_DEID_PASSPHRASE": "correct horse battery"}


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    def mark(words: str, kind: str) -> Annotation:
        begin = TEXT.index(words)
        return Annotation("truth", Code("PHI", kind), "c", "n", (Span(begin, begin + len(words)),))

    begin = TEXT.index("Fever")
    marks = [
        mark("Quigley", "NAME"),
        mark("Grace Kim", "NAME"),
        mark("3/14/2003", "DATE"),
        mark("1998", "DATE"),
        Annotation("ann", Code("ICD-10-CM", "R50.9"), "c", "n", (Span(begin, begin + 5),)),
    ]
    given = [
        Note("n", "c", "p", time="2003-03-14", text=TEXT),
        Note("m", "c", "p", time="2003-03-15", text=OTHER),
    ]
    Corpus.of(given, marks).write(tmp_path / "notes")
    return tmp_path / "notes"


def run(*words: object, **more: Any) -> Any:
    return CliRunner().invoke(auscult, ["deid", *map(str, words)], **more)


def found(*words: object, **more: Any) -> Any:
    result = run(*words, "--json", **more)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def texts(corpus: Path) -> dict[str, str]:
    return {note.note_id: note.text or "" for note in Corpus.open(corpus).iter_notes()}


def test_corpus_and_out_are_enough(notes: Path, tmp_path: Path) -> None:
    told = found(notes, tmp_path / "out")
    assert told["replaced"]["NAME"] == 4
    assert told["key"] is None
    assert told["funnel"][-1]["left"] == 2
    assert "--new-ids" in told["warnings"][0]
    made = texts(tmp_path / "out")
    assert not {"Quigley", "Grace", "Kim", "Boston"} & set(made["n"].replace(",", " ").split())
    (fever,) = [a for a in Corpus.open(tmp_path / "out").iter_annotations() if a.annotator == "ann"]
    assert fever.spans[0].of(made["n"]) == "Fever"


def test_what_is_printed_quotes_no_note(notes: Path, tmp_path: Path) -> None:
    result = run(notes, tmp_path / "out", "--style", "paper")
    assert result.exit_code == 0
    assert "Manual inspection for anonymisation problems" in result.output
    assert "Quigley" not in result.output
    assert texts(tmp_path / "out")["n"].startswith("Mrs. Johnson of Town,")


def test_the_same_seed_the_same_text(notes: Path, tmp_path: Path) -> None:
    for name in "ab":
        found(notes, tmp_path / name, "--seed", "7", "--keep-season", "--new-ids")
    assert texts(tmp_path / "a") == texts(tmp_path / "b")


def decide(file: Path, **decisions: dict[str, str]) -> None:
    with file.open(encoding="utf-8-sig", newline="") as handle:
        rows = list(csv.DictReader(handle))
    for row in rows:
        row.update(decisions.get(row["words (PHI)"].replace("/", "_"), {}))
    with file.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def test_queue_status_and_apply(notes: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "queue.csv"
    queue = found("queue", notes, sheet)
    assert queue["items"] == 2
    assert queue["phi"] is True
    assert found("status", notes)["undecided"] == 2
    incomplete = run("apply", notes, tmp_path / "out", "--decisions", sheet, "--complete")
    assert isinstance(incomplete.exception, AuscultError)
    assert "2 doubtful findings not decided on" in str(incomplete.exception)
    decide(sheet, **{"1998": {"decision": "keep"}, "2_5": {"decision": "delete"}})
    status = found("status", notes, "--decisions", sheet)
    assert status["undecided"] == 0
    assert status["decisions"] == {"keep": 1, "replace": 0, "generalise": 0, "delete": 1}
    assert status["funnel"][-1] == {
        "step": "Manual inspection for anonymisation problems",
        "removed": 1,
        "left": 1,
    }
    told = found("apply", notes, tmp_path / "out", "--decisions", sheet, "--complete")
    assert told["deleted_notes"] == 1
    made = texts(tmp_path / "out")
    assert list(made) == ["n"]
    assert "gout 1998" in made["n"]
    again = tmp_path / "again.csv"
    assert found("queue", notes, again, "--decisions", sheet)["items"] == 0


def test_the_key_and_back(notes: Path, tmp_path: Path) -> None:
    key = tmp_path / "notes.key"
    told = found(notes, tmp_path / "out", "--key", key, env=PASSPHRASE)
    assert told["key"] == str(key)
    (days,) = found("key", key, env=PASSPHRASE)["offsets"].values()
    moved = Corpus.open(tmp_path / "out").iter_notes()
    assert abs(days) >= 30
    assert next(iter(moved)).time != "2003-03-14"
    found("undo", tmp_path / "out", tmp_path / "back", "--key", key, env=PASSPHRASE)
    assert texts(tmp_path / "back") == texts(notes)


def test_the_passphrase_is_asked_for_twice_and_never_an_argument(
    notes: Path, tmp_path: Path
) -> None:
    key = tmp_path / "notes.key"
    typed = "correct horse\ncorrect horse\n"
    result = run(notes, tmp_path / "out", "--key", key, input=typed)
    assert result.exit_code == 0, result.output
    assert "correct horse" not in result.output
    wrong = run("key", key, input="another horse\n")
    assert isinstance(wrong.exception, AuscultError)
    short = run(notes, tmp_path / "o2", "--key", tmp_path / "k2", input="short\nshort\n")
    assert "at least 8 characters" in str(short.exception)
    assert not (tmp_path / "o2").exists()


def test_mark_and_evaluate(notes: Path, tmp_path: Path) -> None:
    assert found("mark", notes, tmp_path / "marked")["kinds"]["NAME"] == 4
    assert "deid" in Corpus.open(tmp_path / "marked").manifest.annotators
    told = found("evaluate", notes, "--annotator", "truth", "--bootstrap", 10)
    assert told["by_kind"]["NAME"]["recall"] == 1
    assert told["by_kind"]["NAME"]["fp"] == 1  # the second note's, which nobody marked
    assert told["leak_rate"]["value"] == 0
    shown = run("evaluate", notes, "--annotator", "truth", "--bootstrap", 0)
    assert "leak rate" in shown.output


@pytest.mark.parametrize("command", ["apply", "queue", "status", "mark", "evaluate", "key", "undo"])
def test_every_command_shows_an_example(command: str) -> None:
    shown = run(command, "--help").output
    assert f"auscult deid {command}" in shown or "auscult deid notes" in shown
    assert "--json" in shown


def test_what_is_there_is_not_overwritten(notes: Path, tmp_path: Path) -> None:
    found(notes, tmp_path / "out")
    again = run(notes, tmp_path / "out")
    assert isinstance(again.exception, AuscultError)
    assert "exists already" in str(again.exception)
