"""`auscult task` and `auscult audit`, from tables to a page."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests.models.test_edits import ward

from auscult.cli.main import auscult
from auscult.core import Annotation, AuscultError, Code, Note, Span
from auscult.corpus.corpus import Corpus
from auscult.corpus.split import split_at_random
from auscult.models.training import train

WORDS = ("sepsis", "stable", "heart failure", "dialysis", "on", "x7", "(x+)")
CODE = ("--code", "outcome", "readmitted")


def run(*given: object) -> Result:
    return CliRunner().invoke(auscult, [str(one) for one in given])


def found(*given: object) -> dict[str, Any]:
    result = run(*given, "--json")
    assert result.exit_code == 0, result.output
    made: dict[str, Any] = json.loads(result.stdout)
    return made


def failed(*given: object) -> str:
    result = run(*given)
    assert isinstance(result.exception, AuscultError), result.output
    return str(result.exception)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("audit")
    split = split_at_random(ward(), {"train": 0.6, "test": 0.4})
    split.described(name="ward").write(path / "corpus")
    corpus = Corpus.open(path / "corpus")
    with pytest.warns(UserWarning, match="evidence"):
        train(corpus, path / "linear", "linear", {"min_df": 1, "sections": False})
    with pytest.warns(UserWarning, match="evidence"):
        train(corpus, path / "trees", "tfidf-xgboost", {"min_df": 1})
    (path / "words.txt").write_text("\n".join(WORDS))
    with (path / "ratings.csv").open("w", newline="") as handle:
        rows = csv.writer(handle)
        rows.writerow(["word", "a", "b"])
        rows.writerows(
            [["sepsis", 5, 4], ["stable", 2, 1], ["dialysis", 4, 4], ["on", 1, 1], ["other", 3, 3]]
        )
    return path


@pytest.fixture(scope="module")
def audited(place: Path) -> dict[str, Any]:
    return found(
        "audit", "sensitivity", place / "trees", place / "corpus", place / "audit", *CODE,
        "--words", place / "words.txt", "--reference", place / "ratings.csv",
        "--compare-model", place / "linear", "--frequency-check", "--typos", "--replacements", 2,
        "--bootstrap", 100,
    )  # fmt: skip


def test_words_with_scores_ranks_and_intervals(audited: dict[str, Any]) -> None:
    words = {one["word"]: one for one in audited["words"]}
    assert set(words) == set(WORDS)
    for word in ("sepsis", "stable", "dialysis", "on"):
        one = words[word]
        assert 0 <= one["interval"][0] <= one["score"] <= one["interval"][1]
        assert 1 <= one["rank_interval"][0] <= one["rank_interval"][1] <= 6
        assert one["notes"] == one["coverage"]["charts"] > 0
        assert set(one["by_filter"]) == {"uniform", "1-gram", "typing error"}
    other = {one["word"]: one for one in audited["other"]["words"]}
    assert other["sepsis"]["rank"] < other["x7"]["rank"]
    assert words["(x+)"]["score"] is None
    assert "it is in none of the 36 charts" in words["(x+)"]["undefined"]
    assert -1 <= audited["spearman"] <= 1
    assert audited["other"]["spearman"] == pytest.approx(
        audited["spearman"] - audited["difference"]["value"]
    )
    assert [one["swap"] for one in audited["frequency"]] == ["one-swap", "multiple-swap"]
    assert any("1 rated words are not among" in warning for warning in audited["warnings"])


def test_what_it_leaves(audited: dict[str, Any], place: Path) -> None:
    out = place / "audit"
    page = (out / "report.html").read_text()
    for text in (
        "Sensitivity of trees to single words",
        "Agreement with clinicians",
        "trees compared with linear",
        "With and without",
    ):
        assert text in page
    # No note is quoted.
    assert "Assessment:" not in page
    with (out / "words.csv").open(newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert [row["word"] for row in rows] == [one["word"] for one in audited["words"]]
    kept = json.loads((out / "audit.json").read_text())
    assert kept["words"] == audited["words"]
    assert kept["about"]["code"] == "outcome readmitted"


def test_done_again_nothing_is_computed_and_the_numbers_are_the_same(
    audited: dict[str, Any], place: Path
) -> None:
    again = found(
        "audit", "sensitivity", place / "trees", place / "corpus", place / "audit", *CODE,
        "--words", place / "words.txt", "--reference", place / "ratings.csv",
        "--compare-model", place / "linear", "--frequency-check", "--typos", "--replacements", 2,
        "--bootstrap", 100,
    )  # fmt: skip
    assert audited["readings"]["made"] > 0
    assert again["readings"]["made"] == 0
    for key in ("words", "spearman", "other", "difference", "frequency"):
        assert again[key] == audited[key]


def test_a_budget_and_the_models_own_words(place: Path, tmp_path: Path) -> None:
    made = found(
        "audit", "sensitivity", place / "linear", place / "corpus", tmp_path / "a", *CODE,
        "--influential", 4, "--budget", 90, "--early-stop", "--bootstrap", 0,
    )  # fmt: skip
    assert made["trials"] <= 90
    assert len(made["words"]) == 4
    assert {one["word"] for one in made["words"]} & {"sepsis", "dialysis", "heart", "failure"}
    assert made["spearman"] is None
    made = found(
        "audit", "sensitivity", place / "linear", place / "corpus", tmp_path / "b", *CODE,
        "--frequent", 3, "--max-charts", 10, "--occurrences", "all",
    )  # fmt: skip
    assert made["charts"] == 10
    assert made["swap"] == "all"


def test_an_icd_model_is_audited_as_well(tmp_path: Path) -> None:
    notes = [
        Note(f"n{at}", f"c{at}", f"p{at}", text="Fever and pneumonia." if at % 2 else "Well.",
             split="train" if at < 30 else "test")
        for at in range(40)
    ]  # fmt: skip
    code = Code("ICD-10-CM", "J18.9")
    annotations = [Annotation("gold", code, f"c{at}", f"n{at}", (Span(10, 19),))
                   for at in range(1, 40, 2)]  # fmt: skip
    corpus = Corpus.of(notes, annotations).write(tmp_path / "corpus")
    train(corpus, tmp_path / "model", "lexicon", {})
    (tmp_path / "words").write_text("pneumonia\nfever\n")
    (tmp_path / "vocabulary").write_text(
        "\n".join(["rash", "cough", "gout", "mild", "left", "seen"])
    )
    made = found(
        "audit", "sensitivity", tmp_path / "model", tmp_path / "corpus", tmp_path / "out",
        "--code", "ICD-10-CM", "J18.9", "--words", tmp_path / "words",
        "--word-list", tmp_path / "vocabulary",
    )  # fmt: skip
    assert [one["word"] for one in made["words"]] == ["pneumonia", "fever"]
    assert made["words"][0]["score"] > made["words"][1]["score"]


def test_swaps_and_areas(place: Path) -> None:
    made = found("audit", "swaps", place / "trees", place / "corpus", *CODE, "--bootstrap", 20)
    by_name = {one["swap"]: one for one in made["swaps"]}
    assert set(by_name) == {"gender", "older", "younger", "typos"}
    assert by_name["gender"]["change"]["undefined"] == "no chart has anything to swap"
    assert by_name["typos"]["changed"] > 0
    areas = found(
        "audit", "outcome", place / "trees", place / "corpus", *CODE, "--bootstrap", 20,
        "--external-corpus", place / "corpus",
    )  # fmt: skip
    assert 0.5 < areas["first"]["auroc"]["mean"] <= 1
    assert areas["drop"] == areas["first"]["auroc"]["mean"] - areas["second"]["auroc"]["mean"]
    said = run("audit", "outcome", place / "trees", place / "corpus", *CODE, "--bootstrap", 0)
    assert "36 charts" in said.output


def test_several_seeds(place: Path) -> None:
    result = run("train", place / "corpus", place / "seeds", "--model", "tfidf-xgboost",
                 "--set", "min_df=1", "--set", "n_estimators=20",
                 "--seeds", "24,107,42")  # fmt: skip
    assert result.exit_code == 0, result.output
    made = found("audit", "outcome", place / "seeds", place / "corpus", *CODE, "--bootstrap", 0)
    area = made["first"]["auroc"]
    assert area["seeds"] == [24, 42, 107] == [run["seed"] for run in made["first"]["runs"]]
    assert area["runs"] == [run["auroc"]["value"] for run in made["first"]["runs"]]
    assert [Path(one).name for one in made["models"]] == ["seed-24", "seed-42", "seed-107"]
    assert area["sd"] >= 0
    said = run("audit", "outcome", place / "seeds", place / "corpus", *CODE, "--bootstrap", 0)
    assert "(3 runs, seeds 24, 42, 107)" in said.output


def test_what_cannot_be_is_said_in_a_sentence(place: Path, tmp_path: Path) -> None:
    base = ("audit", "sensitivity", place / "trees", place / "corpus", tmp_path / "out")
    assert "Choose the words" in failed(*base, *CODE)
    assert "Give one of --words" in failed(*base, *CODE, "--frequent", 3, "--influential", 3)
    assert "outcome 'died' is not in the model's label space" in failed(
        *base, "--code", "outcome", "died", "--frequent", 3
    )
    assert "no split 'tset'" in failed(*base, *CODE, "--frequent", 3, "--split", "tset")
    (tmp_path / "none.csv").write_text("word,a\nother,3\n")
    assert "None of the 1 rated words" in failed(
        *base, *CODE, "--frequent", 3, "--reference", tmp_path / "none.csv"
    )
    assert "must be another model" in failed(
        *base, *CODE, "--frequent", 3, "--mlm", place / "trees"
    )
    assert "--show-word 'x' is not one of" in failed(
        *base, *CODE, "--frequent", 3, "--show-word", "x"
    )
    assert "is not a model" in failed("audit", "swaps", tmp_path, place / "corpus", *CODE)


def test_the_task_from_tables(tmp_path: Path) -> None:
    source = tmp_path / "mimic"
    source.mkdir()
    (source / "ADMISSIONS.csv").write_text(
        "ROW_ID,SUBJECT_ID,HADM_ID,ADMITTIME,DISCHTIME,ADMISSION_TYPE,HOSPITAL_EXPIRE_FLAG\n"
        "1,1,10,2101-01-01 00:00:00,2101-01-02 00:00:00,EMERGENCY,0\n"
        "2,1,11,2101-01-12 00:00:00,2101-01-13 00:00:00,EMERGENCY,0\n"
        "3,2,12,2101-01-12 00:00:00,2101-01-13 00:00:00,NEWBORN,0\n"
        "4,3,13,2102-01-12 00:00:00,2102-01-13 00:00:00,EMERGENCY,0\n"
    )
    (source / "NOTEEVENTS.csv").write_text(
        "ROW_ID,SUBJECT_ID,HADM_ID,CATEGORY,TEXT\n"
        + "".join(
            f"{at},{s},{at},Discharge summary,text\n" for at, s in ((10, 1), (11, 1), (12, 2))
        )
    )
    made = found("task", "readmission", source, tmp_path / "task", "--exclude-newborns")
    assert made["positive"] == 1
    assert made["notes"] == 2
    assert made["steps"][-1] == {"step": "no discharge summary", "removed": 0, "left": 2}
    again = found("task", "readmission", source, tmp_path / "task", "--overwrite")
    assert again["notes"] == 3
    assert "needs records" in failed("task", "readmission", tmp_path / "task", tmp_path / "x")
