"""`auscult evaluate entities`, from files to tables."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner, Result

from auscult.cli.main import auscult
from auscult.core import Annotation, AuscultError, Code, Note, OptionError, Span
from auscult.corpus import Corpus, formats

TEXT = "Severe asthma. Cold <b>feet</b>."
SEVERE, ASTHMA, COLD = (0, 6), (7, 13), (15, 19)


def notes(*ids: str, split: str | None = None) -> list[Note]:
    return [Note(i, i, text=TEXT, split=split) for i in ids]


def say(who: str, note: str, value: str, span: tuple[int, int]) -> Annotation:
    return Annotation(who, Code("UMLS", value), note, note, (Span(*span),), score=0.5)


GOLD = [
    say("gold", note, value, span)
    for note in ("1", "2")
    for value, span in (("C0205082", SEVERE), ("C0004096", ASTHMA), ("CUI-less", COLD))
]
GOOD = [replace(a, annotator="good") for a in GOLD]
POOR = [say("poor", "1", "C0004096", ASTHMA), say("poor", "2", "C0000001", COLD)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Corpus.of(notes("1", "2"), GOLD).write(tmp_path / "gold")
    Corpus.of([], GOOD).write(tmp_path / "good")
    Corpus.of([], POOR).write(tmp_path / "poor")
    Corpus.of([*notes("7")], [say("x", "7", "C0004096", ASTHMA)]).write(tmp_path / "train")
    return tmp_path


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(
        auscult, ["evaluate", "entities", *map(str, words)], catch_exceptions=False
    )


def answer(*words: str | Path) -> dict[str, Any]:
    done = run(*words, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)  # type: ignore[no-any-return]  # the command prints an object


def test_everything_is_in_the_json(folder: Path) -> None:
    found = answer(
        folder / "gold", folder / "good", folder / "poor", "--train-corpus", folder / "train"
    )
    assert found["spans"] == 6
    assert found["cui_less_spans"] == 2
    row = found["subsets"]["all"]
    assert row["best"] == "good"
    assert row["systems"]["poor"]["value"] == pytest.approx(1 / 6)
    assert row["pooled"]["value"] == 1
    assert found["subsets"]["unseen_text"]["n"] == 4
    assert found["systems"]["good"]["cui_less"]["f1"] == 1
    assert found["systems"]["poor"]["causes"]["CUI-less confusion"] == 1
    assert found["settings"]["silence"] == "wrong"
    assert found["about"]["bootstrap"] == 1000
    pair = found["compared"]["strict F1"][0]
    assert (pair["first"], pair["second"]) == ("good", "poor")
    assert TEXT[:6] not in json.dumps(found)


def test_tables_for_people(folder: Path) -> None:
    done = run(folder / "gold", folder / "good", folder / "poor")
    assert done.exit_code == 0
    for words in (
        "2 notes, 6 gold spans",
        "Accuracy by subset, rule any",
        "Exact spans found",
        "Errors by cause",
        "good compared with the others",
        "undefined: top_100, unseen_text, unseen_concept, unpopular: there is no training corpus",
    ):
        assert words in done.stdout
    assert re.search(r"^all +6 +100\.0 +good +58\.3 +100\.0", done.stdout, re.MULTILINE)
    # Two notes: one of the poor system's spans is right in the one, none in the other.
    poor = r"16\.7 \(0\.0–33\.3\)"
    assert re.search(rf"^all +100\.0 \(100\.0–100\.0\) +{poor}", done.stdout, re.MULTILINE)
    assert re.search(r"^overlap_paired +1\.000 \(", done.stdout, re.MULTILINE)
    assert re.search(r"^good +all +2 +1\.000 +1\.000 +1\.000 \(", done.stdout, re.MULTILINE)
    assert (
        "The smallest possible p is 0.5000" in done.stdout
    )  # two notes can be swapped in four ways


def test_settings_reach_the_measures(folder: Path) -> None:
    words = (folder / "gold", folder / "poor")
    assert answer(*words, "--cui-less", "ignore")["spans"] == 4
    silent = answer(*words, "--missing", "cui-less")
    assert silent["rules"]["any"]["systems"]["poor"]["value"] == pytest.approx(2 / 6)
    lenient = answer(*words, "--rule", "lenient")
    assert lenient["subsets"]["all"]["systems"]["poor"]["value"] == pytest.approx(2 / 6)
    assert lenient["rule"] == "lenient"
    assert "top_5" in answer(*words, "--top-concepts", "5")["subsets"]
    chosen = answer(*words, "--match-case", "--keep-possessives", "--sense-counts", "gold",
                    "--direct-match", "concept", "--min-type-spans", "3")["settings"]  # fmt: skip
    assert chosen == {
        "direct": "concept",
        "popular": "gold",
        "silence": "wrong",
        "cui_less": "paper",
        "fold_case": False,
        "strip_possessives": False,
        "top": 100,
        "least": 3,
        "least_spread": 20,
    }


def test_systems_beside_gold_in_one_corpus(folder: Path) -> None:
    Corpus.of(notes("1", "2"), [*GOLD, *GOOD, *POOR]).write(folder / "both")
    found = answer(folder / "both", folder / "both", "--annotator", "gold")
    assert list(found["systems"]) == ["good", "poor"]
    found = answer(folder / "both", "mine=" + str(folder / "poor"), "--annotator", "gold")
    assert list(found["systems"]) == ["mine"]
    union = answer(folder / "both", folder / "both", "--annotator", "gold", "--annotator", "poor")
    assert list(union["systems"]) == ["good"]
    one = answer(folder / "both", folder / "both", "--annotator", "gold",
                 "--system-annotator", "poor")  # fmt: skip
    assert list(one["systems"]) == ["poor"]
    two = (folder / "both", f"x={folder / 'both'}", folder / "both", "--annotator", "gold")
    assert list(answer(*two)["systems"]) == ["x/good", "x/poor", "both/good", "both/poor"]
    assert union["spans_with_several_concepts"] == 1
    Corpus.of(notes("1", "2"), [*GOOD, *POOR]).write(folder / "people")
    with pytest.raises(OptionError, match="GOLD has annotations by 2 annotators"):
        run(folder / "people", folder / "poor")
    with pytest.raises(OptionError, match="no annotator in GOLD 'goold'"):
        run(folder / "both", folder / "poor", "--annotator", "goold", "--annotator", "poor")


def test_who_annotated_gold_is_no_system_twice(folder: Path) -> None:
    """`external` puts a system's answers beside everybody's: the second annotator is no system."""
    second = [replace(a, annotator="second") for a in GOLD]
    Corpus.of(notes("1", "2"), [*GOLD, *second]).write(folder / "people")
    for name, rows in (("with-good", GOOD), ("with-poor", POOR)):
        Corpus.of(notes("1", "2"), [*GOLD, *second, *rows]).write(folder / name)
    words = (folder / "people", folder / "with-good", folder / "with-poor", "--annotator", "gold")
    found = answer(*words)
    assert list(found["systems"]) == ["with-good/good", "with-poor/poor"]
    found = answer(*words[:2], "--annotator", "gold", "--system-annotator", "second")
    assert list(found["systems"]) == ["second"]


def test_two_systems_of_one_name(folder: Path) -> None:
    with pytest.raises(OptionError, match="Two systems are named good"):
        run(folder / "gold", folder / "good", folder / "good")
    found = answer(folder / "gold", f"a={folder / 'good'}", f"b={folder / 'good'}")
    assert found["compared"]["accuracy on all"][0]["p_value"] == 1


def test_splits_of_gold_are_training_and_test(folder: Path) -> None:
    Corpus.of([*notes("1", split="train"), *notes("2", split="test")], GOLD).write(folder / "split")
    found = answer(folder / "split", folder / "good", "--split", "test")
    assert found["notes"] == 1
    assert found["subsets"]["unseen_text"] == {**found["subsets"]["unseen_text"], "n": 0}
    assert found["subsets"]["top_100"]["n"] == 2
    about = found["about"]
    assert about["train_split"] == "train"
    assert about["paths"]["train"] == about["paths"]["gold"]
    assert about["train"] == about["gold"]
    assert len(about["gold"]["digest"]) == 64
    again = answer(folder / "split", folder / "good", "--split", "train", "--train-split", "test")
    assert again["about"]["train_split"] == "test"
    assert again["subsets"]["top_100"]["n"] == 2
    with pytest.raises(OptionError, match="no split in --train-corpus 'test'"):
        run(
            folder / "gold",
            folder / "good",
            "--train-corpus",
            folder / "train",
            "--train-split",
            "test",
        )


def test_what_cannot_be_written_leaves_nothing(folder: Path) -> None:
    table = folder / "errors.csv"
    words = (folder / "gold", folder / "poor", "--bootstrap", "0", "--errors", table)
    with pytest.raises(OptionError, match="there is no folder"):
        run(*words, "--report", folder / "nowhere" / "page.html")
    assert not (folder / "nowhere").exists()
    with pytest.raises(OptionError, match="cannot be written"):
        run(*words, "--report", "/proc/self/page.html")  # a folder that takes no file
    assert not table.exists()


def test_errors_and_report(folder: Path) -> None:
    page, table = folder / "page.html", folder / "errors.csv"
    words = (folder / "gold", folder / "good", folder / "poor", "--report", page, "--errors", table)
    done = run(*words, "--bootstrap", "20")
    assert done.exit_code == 0
    listed = pl.read_csv(table)
    assert set(listed["system"]) == {"poor"}
    assert len(listed) == 5
    assert "nearby" in listed.columns
    assert "text" not in listed.columns
    written = page.read_text(encoding="utf-8")
    assert "This page quotes notes" in written
    assert "<b>feet" not in written
    assert "&lt;b&gt;feet" in written
    with pytest.raises(OptionError, match="exists already"):
        run(*words)
    assert run(*words, "--overwrite", "--bootstrap", "0").exit_code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere"], "nowhere does not exist"),
        (["x=nowhere"], "nowhere does not exist"),
        (["poor", "--rule", "exactly"], "There is no rule 'exactly'"),
        (["poor", "--vocabulary", "train"], "is not a vocabulary"),
        (["poor", "--split", "dev"], "There is no split 'dev'"),
    ],
)
def test_what_cannot_be(
    words: list[str], said: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(AuscultError, match=said):
        run("gold", *words)


def test_the_tables_of_the_paper_from_the_mcn_corpus(folder: Path) -> None:
    """Import the folder as it is released, and one command gives Tables 1 and 3 and appendix B."""
    corpus = Corpus.of([*notes("1", split="train"), *notes("2", split="test")], GOLD)
    formats.write("mcn", corpus, folder / "mcn")
    rows = "id,name,synonyms,type,system\nC0205082,Severe,,Qualitative Concept,UMLS\n"
    rows += "C0004096,Asthma,,Disease or Syndrome,UMLS\n"
    (folder / "terms.csv").write_text(rows, encoding="utf-8")
    for words in (
        ["corpus", "import", "mcn", folder / "mcn", folder / "imported"],
        ["vocab", "build", folder / "terms.csv", folder / "terms"],
    ):
        assert CliRunner().invoke(auscult, [*map(str, words)]).exit_code == 0
    found = answer(folder / "imported", folder / "good", folder / "poor", "--split", "test",
                   "--vocabulary", folder / "terms", "--min-type-spans", "1")  # fmt: skip
    assert {name: row["n"] for name, row in found["subsets"].items()} == {
        "all": 3,
        "top_100": 2,
        "multi_word": 0,
        "unseen_text": 0,
        "unseen_concept": 0,
        "no_direct_match": 1,
        "unpopular": 0,
    }
    assert set(found["types"]) == {"Qualitative Concept", "Disease or Syndrome"}
    recognized = found["systems"]["poor"]["recognized"]["Disease or Syndrome"]
    assert recognized["spans"]["value"] == 0
    assert recognized["precision"]["undefined"] == "none of its spans was predicted"
