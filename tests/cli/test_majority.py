"""`auscult majority`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from auscult.cli.main import auscult
from auscult.core import Annotation, AuscultError, Code, Note
from auscult.corpus import Corpus

CODED = {"x": ["AB", "BC", "A"], "y": ["BC", "ABD", "B"], "z": ["AB", "CDE", "C"]}


@pytest.fixture
def coded(tmp_path: Path) -> Path:
    given = [
        Annotation(who, Code("LETTER", letter), str(at), str(at))
        for who, rows in CODED.items()
        for at, row in enumerate(rows)
        for letter in row
    ]
    Corpus.of([Note(str(at), str(at)) for at in range(3)], given).write(tmp_path / "coded")
    return tmp_path / "coded"


def run(*words: object) -> Any:
    return CliRunner().invoke(auscult, ["majority", *map(str, words)])


def test_majority(coded: Path, tmp_path: Path) -> None:
    out = tmp_path / "gold"
    done = run(coded, out, "--annotators", "x,y,z", "--votes", "2", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["units"] == 3
    assert found["empty"] == [{"chart_id": "2", "note_id": "2"}]
    assert found["ties"] == []
    scored = found["against_majority"]
    # x gave A B, B C and A; the majority has A B, B C D and nothing
    assert scored["x"]["micro_f1"] == pytest.approx(2 * 4 / (5 + 5))
    assert scored["x"]["cost_sensitive"] == pytest.approx((1 + (1 - 0.33 / 3) + 0) / 3)
    written = Corpus.open(out)
    assert written.manifest.annotators == {"majority": 5, "x": 5, "y": 6, "z": 6}
    said = [(a.note_id, a.code.value) for a in written.iter_annotations() if a.annotator[0] == "m"]
    assert said == [("0", "A"), ("0", "B"), ("1", "B"), ("1", "C"), ("1", "D")]


def test_the_result_describes_itself(coded: Path, tmp_path: Path) -> None:
    words = ("--annotators", "x,y", "--keep-ties", "--charts", "all", "--seed", "3", "--json")
    found = json.loads(run(coded, tmp_path / "gold", *words, "--bootstrap", "20").stdout)
    about = found["about"]
    assert about["annotators"] == ["x", "y"]
    assert (about["charts"], about["unit"], about["keep_ties"]) == ("all", "note", True)
    assert (about["seed"], about["bootstrap"], about["votes"]) == (3, 20, None)
    assert len(about["digest"]) == 64
    for name, value in found["against_majority"]["x"].items():
        if name.startswith("macro_f1"):
            low, high = found["against_majority"]["x"]["intervals"][name]
            assert low <= value <= high


def test_ties_are_listed_and_names_are_whole_at_80_columns(
    coded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    done = run(coded, tmp_path / "gold", "--annotators", "x,y,z", "--votes", "2")
    assert max(map(len, done.stdout.splitlines()[1:])) <= 80
    for name in ("cost_sensitive", "micro_f1", "macro_f1 gold", "macro_f1 all", "macro_f1 P, R"):
        assert any(line.startswith(f"{name} ") for line in done.stdout.splitlines()), name
    assert "macro_f1 gold: mean F1 over the gold codes" in done.stdout
    tied = run(coded, tmp_path / "tied", "--annotators", "x,y")
    assert "tie: chart 0, note 0: LETTER A, 1 of 2" in tied.stdout
    kept = run(coded, tmp_path / "kept", "--annotators", "x,y", "--keep-ties")
    assert "tie, kept: chart 0, note 0: LETTER A, 1 of 2" in kept.stdout


def test_for_people(coded: Path, tmp_path: Path) -> None:
    done = run(coded, tmp_path / "gold", "--annotators", "x,y", "--sign-as", "vote")
    assert done.exit_code == 0, done.output
    assert "1 without a majority" in done.stdout
    assert "no majority: chart 2, note 2" in done.stdout
    assert "Against vote" in done.stdout
    assert "cost_sensitive" in done.stdout


def test_nobody_has_a_majority(tmp_path: Path) -> None:
    given = [Annotation(who, Code("LETTER", who), "c", "n") for who in ("a", "b")]
    Corpus.of([], given).write(tmp_path / "split")
    done = run(tmp_path / "split", tmp_path / "gold", "--annotators", "a,b", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert (found["annotations"], found["empty_count"], found["tie_count"]) == (0, 1, 2)
    assert found["against_majority"] == {}


def test_mistakes(coded: Path, tmp_path: Path) -> None:
    names = ("--annotators", "x,y,z")
    for words, says in (
        ([tmp_path / "gold", *names, "--votes", "4"], "from 1 to 3"),
        ([tmp_path / "gold", *names, "--sign-as", "x"], "already"),
        ([tmp_path / "gold", *names, "--votes", "2", "--keep-ties"], "no ties to keep"),
        ([tmp_path / "gold", *names, "--unit", "span"], "--unit note"),
        ([tmp_path / "gold", "--annotators", "x,yy"], "Did you mean y"),
        ([coded, *names], "exists already"),
    ):
        done = run(coded, *words)
        assert isinstance(done.exception, AuscultError), done.output
        assert says in str(done.exception)
    assert not (tmp_path / "gold").exists()
