"""`auscult deid`: at once, and the long way with a spreadsheet in the middle."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import polars as pl
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
    assert told["steps"][-1]["left"] == 2
    assert "--new-ids" in told["warnings"][0]
    made = texts(tmp_path / "out")
    assert not {"Quigley", "Grace", "Kim", "Boston"} & set(made["n"].replace(",", " ").split())
    (fever,) = [a for a in Corpus.open(tmp_path / "out").iter_annotations() if a.annotator == "ann"]
    assert fever.spans[0].of(made["n"]) == "Fever"


def test_what_is_printed_quotes_no_note(notes: Path, tmp_path: Path) -> None:
    result = run(notes, tmp_path / "out", "--style", "paper")
    assert result.exit_code == 0
    assert "automatic de-identification, without review" in result.output
    assert "manual inspection" not in result.output
    assert "Quigley" not in result.output
    assert texts(tmp_path / "out")["n"].startswith("Mrs. Johnson of Town,")


def test_the_same_seed_the_same_text(notes: Path, tmp_path: Path) -> None:
    for name in "ab":
        found(notes, tmp_path / name, "--secret-seed", "7", "--keep-season", "--new-ids")
    assert texts(tmp_path / "a") == texts(tmp_path / "b")


def test_the_seed_need_not_be_on_the_command_line(notes: Path, tmp_path: Path) -> None:
    seed = "0123456789abcdef0123456789abcdef"
    (tmp_path / "seed").write_text(seed + "\n", encoding="utf-8")
    filed = found(notes, tmp_path / "a", "--seed-file", tmp_path / "seed", "--new-ids")
    found(notes, tmp_path / "b", "--new-ids", env={"AUSCULT_DEID_SEED": seed})
    seen = found(notes, tmp_path / "c", "--secret-seed", seed, "--new-ids")
    assert texts(tmp_path / "a") == texts(tmp_path / "b") == texts(tmp_path / "c")
    assert filed["warnings"] == []
    assert "Other users" in seen["warnings"][0]


def test_a_seed_that_can_be_guessed_is_warned_of(notes: Path, tmp_path: Path) -> None:
    told = found(notes, tmp_path / "out", "--new-ids", env={"AUSCULT_DEID_SEED": "7"})
    assert "fewer than 16 characters" in told["warnings"][0]
    (tmp_path / "empty").write_text("", encoding="utf-8")
    for words in (["--secret-seed", "7", "--seed-file", "x"], ["--seed-file", tmp_path / "empty"]):
        refused = run(notes, tmp_path / "no", *words)
        assert isinstance(refused.exception, AuscultError)
        assert not (tmp_path / "no").exists()


def test_columns_that_stay_are_named_and_can_be_left_out(notes: Path, tmp_path: Path) -> None:
    records = pl.DataFrame({"record_id": ["r"], "chart_id": ["c"], "floor": [7], "age": [97]})
    opened = Corpus.open(notes)
    Corpus.of(opened.iter_notes(), opened.iter_annotations(), records).write(tmp_path / "told")
    told = found(tmp_path / "told", tmp_path / "out", "--new-ids")
    assert told["untouched_columns"] == ["floor"]
    assert "floor" in told["warnings"][0]
    found(tmp_path / "told", tmp_path / "less", "--new-ids", "--drop-column", "floor")
    left = Corpus.open(tmp_path / "less").lazy_records
    assert left is not None
    assert left.collect_schema().names() == ["record_id", "chart_id", "age"]


def test_status_refuses_what_apply_refuses(notes: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "queue.csv"
    found("queue", notes, sheet, "--all")
    with sheet.open(encoding="utf-8-sig", newline="") as handle:
        rows = list(csv.DictReader(handle))
    name = next(row for row in rows if row["words (PHI)"] == "Quigley" and row["note"] == "n")
    new = dict.fromkeys(name, "") | {"item": "new", "note": "n", "kind": "NAME"}
    bad = [
        name | {"decision": "keep"},
        name | {"decision": "replace"},
        new | {"begin": "70", "end": "700", "decision": "replace"},
    ]
    for wrong in (bad[:2], bad[2:]):
        with sheet.open("w", encoding="utf-8", newline="") as handle:
            writer = csv.DictWriter(handle, list(name))
            writer.writeheader()
            writer.writerows(wrong)
        said = [
            str(run(*words, "--decisions", sheet).exception)
            for words in (("status", notes), ("apply", notes, tmp_path / "out"))
        ]
        assert said[0] == said[1]
        assert "row 2" in said[0]
        assert "Quigley" not in said[0]
        assert not (tmp_path / "out").exists()


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
    assert "2 uncertain findings without a decision" in str(incomplete.exception)
    decide(sheet, **{"1998": {"decision": "keep"}, "2_5": {"decision": "delete"}})
    status = found("status", notes, "--decisions", sheet)
    assert (status["doubtful"], status["undecided"], status["decided"]) == (2, 0, 2)
    assert status["decisions"] == {"keep": 1, "replace": 0, "generalize": 0, "delete": 1}
    assert status["steps"][-1] == {
        "step": "manual inspection for anonymization problems",
        "removed": 1,
        "left": 1,
    }
    told = found("apply", notes, tmp_path / "out", "--decisions", sheet, "--complete")
    assert told["deleted_notes"] == 1
    assert (told["doubtful"], told["undecided"], told["decided"]) == (2, 0, 2)
    made = texts(tmp_path / "out")
    assert list(made) == ["n"]
    assert "gout 1998" in made["n"]
    again = tmp_path / "again.csv"
    assert found("queue", notes, again, "--decisions", sheet)["items"] == 0
    every = found("queue", notes, tmp_path / "all.csv", "--decisions", sheet, "--all")
    assert every["items"] > 0
    with (tmp_path / "all.csv").open(encoding="utf-8-sig", newline="") as handle:
        assert {row["note"] for row in csv.DictReader(handle)} == {"n"}  # the other one goes


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
    none = run(notes, tmp_path / "o3", "--key", tmp_path / "k3", input="")
    assert "No passphrase was given" in str(none.exception)


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
