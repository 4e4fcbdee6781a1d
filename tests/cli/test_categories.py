"""Notes without a category at the command line: a plain CSV and a model of one category."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests.cli.test_models import answer, refused
from tests.contracts.test_models import ward

from auscult.cli.main import auscult
from auscult.corpus import Corpus
from auscult.models.model import Model

SUMMARY = "Discharge summary"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of discharge summaries, and the test charts as a corpus and as a plain CSV."""
    place = tmp_path_factory.mktemp("categories")
    corpus = ward(60)
    summaries = list(corpus.iter_notes())
    nursing = [
        replace(note, note_id=f"{note.note_id}b", category="Nursing", text="Seen on rounds.")
        for note in summaries
    ]
    Corpus.of([*summaries, *nursing], corpus.iter_annotations()).write(place / "corpus")
    answer("train", place / "corpus", place / "model", "--model", "linear", "--category", SUMMARY)
    test = corpus.select(splits=["test"])
    with (place / "notes.csv").open("w", newline="", encoding="utf-8") as handle:
        rows = csv.writer(handle)
        rows.writerow(["id", "note"])
        rows.writerows((note.chart_id, note.text) for note in test.iter_notes())
    named = ("--note-id-column", "id", "--text-column", "note")
    answer("corpus", "import", "csv", place / "notes.csv", place / "plain", *named)
    others = [replace(note, category="Nursing") for note in test.iter_notes()]
    others[0] = replace(others[0], category="Radiology")
    Corpus.of(others).write(place / "others")
    return place


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(auscult, [*map(str, words)], catch_exceptions=False)


def codes(corpus: Path) -> set[tuple[str, str]]:
    return {(a.chart_id, a.code.value) for a in Corpus.open(corpus).iter_annotations()}


def test_notes_of_a_plain_csv_are_read_as_what_the_model_knows_best(
    folder: Path, tmp_path: Path
) -> None:
    found = answer("predict", folder / "model", folder / "plain", tmp_path / "plain")
    where = ("predict", folder / "model", folder / "corpus", tmp_path / "named")
    answer(*where, "--split", "test")
    assert codes(tmp_path / "plain") == codes(tmp_path / "named") != set()
    assert found["codes"] == len(codes(tmp_path / "plain"))
    said = (
        "12 notes have no category and are read as Discharge summary. To choose another category, "
        "pass --default-category."
    )
    assert [one for one in found["warnings"] if "category" in one] == [said]
    assert found["notes_without_category"] == 12
    assert found["charts_unread"] == 0
    assert found["read_as"] == SUMMARY
    # The corpus does not pretend to know what it was not told.
    assert {note.category for note in Corpus.open(tmp_path / "plain").iter_notes()} == {None}
    shown = run("predict", folder / "model", folder / "plain", "-")
    assert shown.exit_code == 0
    assert f"warning: {said}\n" in shown.stderr
    assert "[J18.9]" in shown.stdout


def test_partitions_say_it_once(folder: Path, tmp_path: Path) -> None:
    words = ("predict", folder / "model", folder / "plain", tmp_path / "out", "--partition", "5")
    found = answer(*words)
    assert found["notes_without_category"] == 12
    assert sum("category" in one for one in found["warnings"]) == 1


def test_a_category_can_be_said_of_notes_that_have_none(folder: Path, tmp_path: Path) -> None:
    both = ("--category", SUMMARY, "--category", "Nursing")
    answer("train", folder / "corpus", tmp_path / "model", "--model", "linear", *both)

    def score(*words: str) -> tuple[str, float]:
        found = answer("predict", tmp_path / "model", folder / "plain", "-", *words)
        return found["read_as"], sum(one["score"] for one in found["predicted"])

    usual, summaries = score()
    assert usual == SUMMARY
    assert score("--default-category", SUMMARY) == (SUMMARY, summaries)
    name, nursing = score("--default-category", "Nursing")
    assert name == "Nursing"
    assert nursing != summaries
    said = refused(
        "predict", tmp_path / "model", folder / "plain", "-", "--default-category", "Nursin"
    )
    assert said == (
        "The model does not read the category 'Nursin'. Did you mean Nursing? It reads: Discharge "
        "summary, Nursing."
    )
    done = CliRunner().invoke(
        auscult,
        ["predict", str(folder / "model"), "-", "-", "--default-category", "Nursing"],
        input="x",
    )
    assert "It reads: Discharge summary." in str(done.exception)


def test_notes_with_a_category_keep_it(folder: Path, tmp_path: Path) -> None:
    where = ("predict", folder / "model", folder / "corpus", tmp_path / "out", "--split", "test")
    found = answer(*where, "--default-category", SUMMARY)
    assert found["notes_without_category"] == 0
    assert any(
        "has no effect: every note already has a category" in one for one in found["warnings"]
    )
    assert codes(tmp_path / "out")


@pytest.mark.parametrize("out", ["corpus", "lines.jsonl", "-"])
def test_where_nothing_could_be_read_the_exit_code_is_1(
    folder: Path, tmp_path: Path, out: str
) -> None:
    target = out if out == "-" else str(tmp_path / out)
    done = run("predict", folder / "model", folder / "others", target, "--json")
    assert done.exit_code == 1
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["charts_unread"] == found["charts"] == 12
    assert found["codes"] == 0
    [said] = found["warnings"]
    assert said == (
        "No note could be read, so no code was predicted: the model reads the category Discharge "
        "summary, and these notes have the category Nursing (11) and Radiology (1). Predict on "
        "notes of that category, or train again with another --category."
    )
    if out == "corpus":
        assert Corpus.open(tmp_path / out).notes.height == 12
    elif out == "-":
        shown = run("predict", folder / "model", folder / "others", "-").stdout
        said = "The model could not read any note: the model was not trained on this category."
        assert shown.count(said) == 12
        assert "No code reached the threshold" not in shown


def test_one_chart_that_is_read_is_enough(folder: Path, tmp_path: Path) -> None:
    [first, *others] = Corpus.open(folder / "others").iter_notes()
    Corpus.of([replace(first, category=None), *others]).write(tmp_path / "mixed")
    found = answer("predict", folder / "model", tmp_path / "mixed", tmp_path / "out")
    assert {chart for chart, _ in codes(tmp_path / "out")} == {first.chart_id}
    assert found["warnings"][:2] == [
        "1 note has no category and is read as Discharge summary. To choose another category, "
        "pass --default-category.",
        "11 charts had no text to read in notes of the category Discharge summary and got no "
        "codes.",
    ]


def test_a_report_and_an_audit_read_them_too(folder: Path, tmp_path: Path) -> None:
    plain = [replace(n, category=None) for n in Corpus.open(folder / "corpus").iter_notes()]
    summaries = [note for note in plain if not note.note_id.endswith("b")]
    gold = Corpus.open(folder / "corpus").iter_annotations()
    Corpus.of(summaries, gold).write(tmp_path / "plain")
    said = (
        "12 notes have no category and are read as Discharge summary. To choose another category, "
        "pass --default-category."
    )
    test = ("--split", "test")
    predicted = answer("predict", folder / "model", tmp_path / "plain", tmp_path / "said", *test)
    shown = (tmp_path / "plain", tmp_path / "said", tmp_path / "page.html")
    page = answer("report", *shown, "--bootstrap", "0")
    assert page["codes"]["micro_f1"] > 0.5
    code = ("--code", "ICD-10-CM", "J18.9", "--bootstrap", "0")
    where = (folder / "model", tmp_path / "plain")
    outcome = answer("audit", "outcome", *where, *code)
    assert outcome["first"]["auroc"]["mean"] > 0.9
    swaps = answer("audit", "swaps", *where, *code, "--swap", "typos")
    words = answer(
        "audit", "sensitivity", *where, tmp_path / "audit", *code, "--influential", "2",
        "--replacements", "1",
    )  # fmt: skip
    assert {one["word"] for one in words["words"]} >= {"pneumonia"}
    assert all(one["coverage"]["unread"] == 0 for one in words["words"])
    for found in (predicted, outcome, swaps, words):
        assert [one for one in found["warnings"] if "category" in one] == [said]


def test_a_corpus_without_categories_cannot_be_learned_from_by_category(
    folder: Path, tmp_path: Path
) -> None:
    words = ("train", folder / "plain", tmp_path / "x", "--model", "linear", "--category", SUMMARY)
    assert refused(*words) == (
        "--category Discharge summary matches nothing: no note in the corpus has a category. Train "
        "without --category to use all notes."
    )
    concepts = ("train", folder / "plain", tmp_path / "x", "--model", "tagger", "--category", "A")
    assert "no note in the corpus has a category" in refused(*concepts)


def test_notes_without_a_category_are_not_learned_from_by_category_and_it_is_said(
    folder: Path, tmp_path: Path
) -> None:
    corpus = Corpus.open(folder / "corpus")
    notes = [
        replace(n, category=None) if n.category == "Nursing" else n for n in corpus.iter_notes()
    ]
    Corpus.of(notes, corpus.iter_annotations()).write(tmp_path / "corpus")
    found = answer(
        "train", tmp_path / "corpus", tmp_path / "model", "--model", "linear",
        "--category", SUMMARY,
    )  # fmt: skip
    assert found["warnings"] == [
        "48 notes without a category are left out: --category asks for Discharge summary."
    ]
    same, other = (Model.load(place / "model") for place in (folder, tmp_path))
    assert same.about.decoding == other.about.decoding
