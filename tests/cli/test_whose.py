"""Whose codes count, and on which charts: never everybody's, and never charts that nobody read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner

from auscult.cli.main import auscult
from auscult.core import Annotation, AuscultError, Code, Note
from auscult.corpus import Corpus
from auscult.corpus.readers import read_charts

FEVER, COUGH = Code("ICD-9-CM", "780.6"), Code("ICD-9-CM", "786.2")
PEOPLE = ("COMPANY1", "COMPANY2", "COMPANY3", "CMC_MAJORITY")


def run(*words: str | Path, code: int = 0) -> dict[str, Any]:
    done = CliRunner().invoke(auscult, [*map(str, words), "--json"], catch_exceptions=False)
    assert done.exit_code == code, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def refused(*words: str | Path) -> str:
    done = CliRunner().invoke(auscult, [*map(str, words)])
    assert isinstance(done.exception, AuscultError), done.output
    return str(done.exception)


def corpus_of(place: Path, *, names: tuple[str, ...] = PEOPLE, charts: int = 40) -> Path:
    """Reports that each of the people codes; the first always adds a code that is wrong."""
    notes, said = [], []
    for at in range(charts):
        split = "test" if at % 4 == 0 else "train"
        text = "Fever here. " * (at % 2) + "Cough heard. " * (at % 3 > 0) + "Clear lungs."
        notes.append(Note(f"n{at}", f"c{at}", f"p{at}", text=text, split=split))
        right = [FEVER] * (at % 2) + [COUGH] * (at % 3 > 0)
        for name in names:
            wrong = [Code("ICD-9-CM", "599.0")] if name == names[0] else []
            said += [Annotation(name, code, f"c{at}", f"n{at}") for code in (*right, *wrong)]
    Corpus.of(notes, said).write(place)
    return place


def test_training_takes_the_majority_and_says_so(tmp_path: Path) -> None:
    source = corpus_of(tmp_path / "cmc")
    said = run("train", source, tmp_path / "model", "--model", "linear")
    assert said["codes"] == 2, "the code that only one of them gives is not learned"
    [whose] = [one for one in said["warnings"] if "annotators" in one]
    assert "Using CMC_MAJORITY, the gold standard judging by its name." in whose
    run("predict", tmp_path / "model", source, tmp_path / "out", "--split", "test")
    found = run("evaluate", "codes", source, tmp_path / "out", "--split", "test")
    assert found["about"]["annotator"] == "CMC_MAJORITY"
    assert found["micro_f1"] == 1.0


@pytest.mark.parametrize(
    "words",
    [
        ("train", "{corpus}", "{out}", "--model", "linear"),
        ("train", "{corpus}", "{out}", "--model", "dictionary", "--set", "vocabulary=v"),
        ("evaluate", "codes", "{corpus}", "{predicted}"),
        ("evaluate", "evidence", "{corpus}", "{predicted}"),
        ("evaluate", "entities", "{corpus}", "{predicted}"),
        ("corpus", "sample", "{corpus}", "{out}", "--exclude-empty"),
        ("corpus", "split", "{corpus}", "{out}", "--share", "a=0.5", "--share", "b=0.5",
         "--combinations"),
        ("challenge", "create", "{corpus}", "{out}"),
    ],
    ids=lambda words: " ".join(words[:2]).replace("{corpus}", ""),
)  # fmt: skip
def test_every_command_asks_whose_codes_count(tmp_path: Path, words: tuple[str, ...]) -> None:
    source = corpus_of(tmp_path / "coded", names=("ann", "bob", "carol"))
    predicted = corpus_of(tmp_path / "predicted", names=("model",))
    places = {"corpus": source, "out": tmp_path / "out", "predicted": predicted}
    if "vocabulary=v" in words:
        place = f"vocabulary={_vocabulary(tmp_path)}"
        words = tuple(place if word == "vocabulary=v" else word for word in words)
    said = refused(*(word.format(**places) for word in words))
    assert "has annotations by 3 annotators: ann, bob, carol. Choose one with --annotator" in said
    assert not (tmp_path / "out").exists()


def _vocabulary(folder: Path) -> Path:
    (folder / "terms.csv").write_text("id,name\nC1,fever\n", encoding="utf-8")
    run("vocab", "build", folder / "terms.csv", folder / "v")
    return folder / "v"


def test_people_who_coded_different_charts_are_learned_together(tmp_path: Path) -> None:
    whole = Corpus.open(corpus_of(tmp_path / "whole", names=("ann", "bob")))
    mine = pl.col("chart_id").str.slice(1).cast(pl.Int64) % 2 == pl.when(
        pl.col("annotator") == "ann"
    ).then(0).otherwise(1)
    kept = Corpus(whole.lazy_notes, whole.lazy_all_annotations.filter(mine))
    kept.write(tmp_path / "apart")
    said = run("train", tmp_path / "apart", tmp_path / "model", "--model", "linear")
    assert not [one for one in said["warnings"] if "annotators" in one]
    assert said["charts"] == 30


@pytest.fixture(scope="module")
def partly(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """120 charts, of which coder_a coded 30; the others were never opened."""
    place = tmp_path_factory.mktemp("partly")
    notes, said = [], []
    for at in range(120):
        text = "Fever here. " * (at % 2) + "Cough heard. " + f"Bed {at % 7}."
        notes.append(
            Note(f"n{at}", f"c{at}", f"p{at}", text=text, split=("train", "test")[at // 4 % 2])
        )
        if at % 4 < 2 and at < 60:
            codes = [FEVER] * (at % 2) + [COUGH]
            said += [Annotation("coder_a", code, f"c{at}", f"n{at}") for code in codes]
    Corpus.of(notes, said).write(place / "corpus")
    return place


def test_training_learns_from_charts_that_were_read(partly: Path, tmp_path: Path) -> None:
    train = ("train", partly / "corpus")
    said = run(*train, tmp_path / "model", "--model", "linear", "--annotator", "coder_a")
    message = (
        "Only 16 of 60 charts were read by coder_a; the others are left out. To count them as "
        "charts without codes, pass --charts all."
    )
    assert message in said["warnings"]
    assert said["charts"] == 16
    out = ("predict", tmp_path / "model", partly / "corpus", tmp_path / "out", "--split", "test")
    run(*out)
    found = run("evaluate", "codes", partly / "corpus", tmp_path / "out", "--split", "test")
    assert found["micro_f1"] == 1.0
    assert "Only 14 of 60 charts were read by coder_a" in " ".join(found["warnings"])
    whole = run(
        "evaluate", "codes", partly / "corpus", tmp_path / "out", "--split", "test",
        "--charts", "all",
    )  # fmt: skip
    assert whole["micro_precision"] < 0.5
    every = run(*train, tmp_path / "all", "--model", "linear", "--charts", "all")
    assert every["charts"] == 60
    page = run("report", partly / "corpus", tmp_path / "out", tmp_path / "page.html")
    assert page["codes"]["micro_f1"] == 1.0


def test_charts_without_a_code_can_be_said_to_be_read(partly: Path, tmp_path: Path) -> None:
    (tmp_path / "done.txt").write_text("c2\nc3\nc0\n", encoding="utf-8")
    marking = ("corpus", "mark-read", partly / "corpus")
    said = run(
        *marking, tmp_path / "read", "--annotator", "coder_a", "--chart-list", tmp_path / "done.txt"
    )
    assert (said["read"], said["marked"]) == (32, 2)
    opened = Corpus.open(tmp_path / "read")
    assert read_charts(opened, ["coder_a"]) >= {"c0", "c1", "c2", "c3"}
    assert run("corpus", "info", tmp_path / "read")["charts_read"] == {"coder_a": 32}
    trained = run("train", tmp_path / "read", tmp_path / "model", "--model", "linear")
    assert trained["charts"] == 18
    for form in ("jsonl", "csv", "bioc"):
        run("corpus", "export", form, tmp_path / "read", tmp_path / form)
        run("corpus", "import", form, tmp_path / form, tmp_path / f"{form}-again")
        again = run("corpus", "info", tmp_path / f"{form}-again")
        assert again["charts_read"] == {"coder_a": 32}, form
    lost = run("corpus", "export", "mimic3", tmp_path / "read", tmp_path / "tables")
    assert {"column": "notes.read_by", "count": 2}.items() <= lost["losses"][-1].items()
    assert "There is no chart 'c999'" in refused(
        *marking, tmp_path / "other", "--annotator", "a", "--chart-list", _list(tmp_path, "c999")
    )


def _list(folder: Path, *ids: str) -> Path:
    (folder / "ids.txt").write_text("\n".join(ids), encoding="utf-8")
    return folder / "ids.txt"


def test_who_gave_codes_of_another_system_has_read_the_chart(tmp_path: Path) -> None:
    notes = [
        Note(f"n{at}", f"c{at}", text="Chest film. " * (at % 2) + "Cough.") for at in range(20)
    ]
    film = Code("CPT", "71045")
    said = [Annotation("ann", COUGH, note.chart_id, note.note_id) for note in notes]
    said += [Annotation("ann", film, note.chart_id) for note in notes[1::2]]
    Corpus.of(notes, said).write(tmp_path / "corpus")
    run("corpus", "select", tmp_path / "corpus", tmp_path / "films", "--system", "CPT")
    assert run("corpus", "info", tmp_path / "films")["charts_read"] == {"ann": 20}
    found = run("train", tmp_path / "films", tmp_path / "model", "--model", "linear")
    assert found["charts"] == 20
    assert run("train", tmp_path / "corpus", tmp_path / "other", "--model", "linear",
               "--system", "CPT")["charts"] == 20  # fmt: skip


def test_predictions_bring_no_charts_into_the_evaluation(tmp_path: Path) -> None:
    """Of charts that GOLD does not hold nothing is right, whoever the predictions' notes name."""
    whole = [Note(f"n{at}", f"c{at}", text="Cough.", read_by=("gold",)) for at in range(3)]
    gold = [Annotation("gold", COUGH, "c0", "n0")]
    Corpus.of(whole[:2], gold).write(tmp_path / "gold")
    said = [
        Annotation("model", COUGH, note.chart_id, note.note_id) for note in (whole[0], whole[2])
    ]
    Corpus.of(whole, said).write(tmp_path / "predicted")
    found = run("evaluate", "codes", tmp_path / "gold", tmp_path / "predicted")
    assert found["micro_f1"] == 1.0


def test_an_outcome_is_judged_on_charts_that_were_read(tmp_path: Path) -> None:
    code = Code("outcome", "readmitted")
    notes, said = [], []
    for at in range(60):
        ill = at % 3 == 0
        text = "Sepsis on dialysis. " * ill + f"Stable, bed {at % 5}."
        read = ("record",) if at % 6 else ()
        notes.append(Note(f"n{at}", f"c{at}", f"p{at}", text=text, split="test", read_by=read))
        if ill and at % 6:
            said.append(Annotation("record", code, f"c{at}", f"n{at}"))
    Corpus.of(notes, said).write(tmp_path / "corpus")
    teach = ("train", tmp_path / "corpus", tmp_path / "model", "--model", "linear")
    run(*teach, "--train-split", "test", "--dev-split", "none")
    words = ("audit", "outcome", tmp_path / "model", tmp_path / "corpus", "--bootstrap", "0")
    found = run(*words, "--code", "outcome", "readmitted")
    assert found["first"]["auroc"]["mean"] == 1.0, "the ten that nobody read look ill"


def test_documents_without_a_code_stay_read_in_the_challenges_xml(tmp_path: Path) -> None:
    notes = [Note(f"n{at}", f"n{at}", text="Cough.", read_by=("gold",)) for at in range(4)]
    Corpus.of(notes, [Annotation("gold", COUGH, "n0", "n0")]).write(tmp_path / "corpus")
    run("corpus", "export", "cmc", tmp_path / "corpus", tmp_path / "gold.xml")
    run("corpus", "import", "cmc", tmp_path / "gold.xml", tmp_path / "again")
    assert run("corpus", "info", tmp_path / "again")["charts_read"] == {"gold": 4}


def test_the_majority_has_read_what_most_left_empty(tmp_path: Path) -> None:
    people = ("ann", "bob", "carol")
    notes = [Note(f"n{at}", f"c{at}", text="Cough.", read_by=people) for at in range(3)]
    said = [Annotation(who, COUGH, "c0", "n0") for who in people]
    said.append(Annotation("ann", FEVER, "c1", "n1"))
    said += [Annotation(who, FEVER, "c2", "n2") for who in people[:2]]
    Corpus.of(notes, said).write(tmp_path / "coded")
    run("majority", tmp_path / "coded", tmp_path / "voted", "--annotators", ",".join(people))
    assert read_charts(Corpus.open(tmp_path / "voted"), ["majority"]) == {"c0", "c1", "c2"}
