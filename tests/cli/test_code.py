"""`auscult code` as a coding team meets it."""

from __future__ import annotations

import csv
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests.contracts.test_models import ward

from auscult.cli.main import auscult
from auscult.corpus import Corpus

_ONE = "Admitted with pneumonia and COPD exacerbation. No chest pain.\n"
_TWO = "Type 2 diabetes mellitus. Hypertension.\n"


def run(*words: str | Path, code: int = 0, text: str | bytes | None = None) -> Result:
    done = CliRunner().invoke(auscult, ["code", *map(str, words)], input=text)
    assert done.exit_code == code, done.output
    return done


def answer(*words: str | Path, code: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(*words, "--json", code=code).stdout)
    return found


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "one.txt").write_text(_ONE, encoding="utf-8")
    (folder / "two.txt").write_text(_TWO, encoding="utf-8")
    return folder


def test_the_terminal_shows_codes_with_their_words(notes: Path) -> None:
    shown = run(notes).stdout
    assert "J18.9" in shown
    assert "Pneumonia, unspecified organism" in shown
    assert "“pneumonia”" in shown
    assert "→ J18.9" in shown
    assert "R07.9" not in shown, "chest pain is negated"
    assert "a coder must check every code" in shown
    assert "CPT" in shown
    assert "ICD-10-PCS" in shown
    assert shown.index("one ──") < shown.index("two ──")


def test_standard_input() -> None:
    shown = run("-", text=_ONE).stdout
    assert "stdin ──" in shown
    assert "J18.9" in shown


def test_json_has_the_rows(notes: Path) -> None:
    found = answer(notes)
    assert found["notes"] == 2
    assert found["codes"] == len(found["rows"])
    [row] = [row for row in found["rows"] if row["code"] == "J18.9"]
    [[[begin, end]]] = row["mentions"]
    assert _ONE[begin:end] == row["evidence"] == "pneumonia"
    assert row["note_id"] == "one"
    assert found["about"]["Model"] == "codebook"
    assert any("CPT" in line for line in found["not_attempted"])


@pytest.mark.parametrize("ending", ["xlsx", "csv", "jsonl", "html"])
def test_a_file_of_each_form(notes: Path, tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"codes.{ending}"
    shown = run(notes, "-o", out).stdout
    many = answer(notes)["codes"]
    assert f"{many} codes for 2 notes" in " ".join(shown.split())
    assert "pneumonia" not in shown, "what goes to a file does not go to the terminal"
    if ending == "xlsx":
        assert zipfile.ZipFile(out).testzip() is None
    elif ending == "csv":
        with out.open(encoding="utf-8-sig", newline="") as handle:
            assert len(list(csv.DictReader(handle))) == many
    else:
        assert "J18.9" in out.read_text(encoding="utf-8")
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"codes.{ending}", "notes"]


def test_json_lines_become_a_corpus(notes: Path, tmp_path: Path) -> None:
    found = answer(notes, "-o", tmp_path / "codes.jsonl")
    assert "rows" not in found
    words = ["corpus", "import", "jsonl", str(tmp_path / "codes.jsonl"), str(tmp_path / "coded")]
    done = CliRunner().invoke(auscult, words)
    assert done.exit_code == 0, done.output
    made = {
        (one.note_id, one.code.value) for one in Corpus.open(tmp_path / "coded").iter_annotations()
    }
    rows = {(row["note_id"], row["code"]) for row in answer(notes)["rows"]}
    assert made == rows


def test_a_bad_file_is_named_and_the_others_are_coded(notes: Path, tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (notes / f"{name}.txt").write_bytes(b"")
    (notes / "picture.txt").write_bytes(bytes(range(256)) * 4)
    (notes / "latin.txt").write_bytes("Ménière’s disease.".encode("cp1252"))
    done = run(notes, "-o", tmp_path / "codes.csv", code=1)
    assert "Not read: 3 files: " in done.stderr
    assert "Each is empty." in done.stderr
    assert f"Not read: {notes / 'picture.txt'} is not text." in done.stderr
    assert "1 file is not UTF-8 and was read as Windows-1252." in done.stderr
    text = (tmp_path / "codes.csv").read_text(encoding="utf-8-sig")
    assert "J18.9" in text
    assert "latin,H81.09" in text
    assert "Ménière" in text
    assert len(answer(notes, code=1)["unread"]) == 4


def test_the_threshold_decides_what_is_given(notes: Path) -> None:
    low = {row["code"] for row in answer(notes, "--threshold", "0.05")["rows"]}
    usual = {row["code"] for row in answer(notes)["rows"]}
    assert usual < low or usual == low
    none = answer(notes, "--threshold", "1")
    assert none["rows"] == []
    assert none["notes_without_codes"] == ["one", "two"]
    assert "No code reached the threshold." in run(notes, "--threshold", "1").stdout


def test_a_trained_model(notes: Path, tmp_path: Path) -> None:
    ward(60).write(tmp_path / "corpus")
    words = ["train", str(tmp_path / "corpus"), str(tmp_path / "model"), "--model", "linear"]
    assert CliRunner().invoke(auscult, words).exit_code == 0
    found = answer(notes, "--model", tmp_path / "model")
    assert "J18.9" in {row["code"] for row in found["rows"]}
    assert "codes that the model was not trained on" in found["not_attempted"]
    assert not any("no category" in line for line in found["warnings"])


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["nope"], "nope does not exist"),
        (["notes", "-o", "codes.xls"], "a name that ends in .xlsx, .csv, .jsonl or .html"),
        (["notes", "-o", "there.csv"], "there.csv exists already"),
        (["notes", "--model", "nope"], "nope is not a model"),
        (["-", "-"], "standard input is one note"),
        (["there.csv"], "not a text file"),
    ],
)
def test_a_wrong_word_is_one_sentence(
    notes: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], says: str
) -> None:
    monkeypatch.chdir(notes.parent)
    Path("there.csv").write_text("mine", encoding="utf-8")
    done = CliRunner().invoke(auscult, ["code", *words])
    assert done.exit_code != 0
    assert says in str(done.exception)
    assert Path("there.csv").read_text(encoding="utf-8") == "mine"
    assert sorted(path.name for path in Path().iterdir()) == ["notes", "there.csv"]


def test_overwrite_replaces(notes: Path, tmp_path: Path) -> None:
    (tmp_path / "codes.csv").write_text("old", encoding="utf-8")
    run(notes, "-o", tmp_path / "codes.csv", "--overwrite")
    assert "J18.9" in (tmp_path / "codes.csv").read_text(encoding="utf-8-sig")
