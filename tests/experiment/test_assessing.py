"""A model's page is the same whether the model runs now or its predictions are read."""

from __future__ import annotations

import json
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.contracts.test_models import ward

from auscult.cli.main import auscult
from auscult.corpus import Corpus
from auscult.evaluate import compare_codes
from auscult.experiment import Assessment, assess, assess_predictions, compare
from auscult.models.fitting import fit
from auscult.models.model import Model
from auscult.report.model_report import model_report

_TIMES = 50


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus, a model of it, and what the model predicts of the test charts."""
    place = tmp_path_factory.mktemp("experiment")
    ward(90, missed=0.3).write(place / "ward")
    run("train", place / "ward", place / "model", "--model", "linear")
    run(
        "predict", place / "model", place / "ward", place / "predicted", "--split", "test",
        "--ranked", "all", "--codes-of", "gold",
    )  # fmt: skip
    return place


@pytest.fixture(scope="module")
def found(folder: Path) -> Assessment:
    test = Corpus.open(folder / "ward").select(splits=["test"])
    return assess(Model.load(folder / "model"), test, times=_TIMES)


def run(*words: object) -> dict[str, Any]:
    done = CliRunner().invoke(auscult, [*map(str, words), "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_predictions_have_the_numbers_of_the_model(folder: Path, found: Assessment) -> None:
    test = Corpus.open(folder / "ward").select(splits=["test"])
    read = assess_predictions(
        test, Corpus.open(folder / "predicted"), model=Model.load(folder / "model"), times=_TIMES
    )
    assert read.codes.to_dict() == found.codes.to_dict()
    assert read.evidence.to_dict() == found.evidence.to_dict()
    assert read.codes.by_band.keys() == found.codes.by_band.keys() != set()
    assert read.evidence.was_asked
    assert read.model == found.model
    assert read.annotator == "gold"


def test_the_command_writes_the_page_of_the_model(folder: Path, found: Assessment) -> None:
    where = (folder / "ward", folder / "predicted", folder / "read.html")
    said = run("report", *where, "--trained-model", folder / "model", "--bootstrap", _TIMES)
    assert said["codes"] == json.loads(json.dumps(found.codes.to_dict()))
    assert said["evidence"] == json.loads(json.dumps(found.evidence.to_dict()))
    model_report(
        found,
        folder / "now.html",
        about={"model": "linear, seed 0", "corpus": "corpus", "split": "test",
               "license": "not stated"},
        title="linear on corpus",
        shows_text="This page quotes notes of corpus. Who may see them: not stated; ask who holds "
        "the data.",
    )  # fmt: skip
    read, now = ((folder / f"{name}.html").read_text("utf-8") for name in ("read", "now"))
    assert read == now


def test_without_a_model_the_page_says_what_it_knows(folder: Path, found: Assessment) -> None:
    where = (folder / "ward", folder / "predicted", folder / "bare.html")
    said = run("report", *where, "--bootstrap", 0)
    assert found.codes.metrics["micro_f1"].value == said["codes"]["micro_f1"]
    of_model = (folder / "ward", folder / "predicted", folder / "of_model.html")
    run("report", *of_model, "--trained-model", folder / "model", "--bootstrap", 0)
    bare, full = (unescape((folder / f"{n}.html").read_text("utf-8")) for n in ("bare", "of_model"))
    for phrase in ("By code frequency in training", "the model's label space has"):
        assert phrase not in bare
        assert phrase in full


def test_predictions_without_asked_evidence_say_how_to_get_it(folder: Path) -> None:
    plain = ("predict", folder / "model", folder / "ward", folder / "plain", "--split", "test")
    run(*plain)
    run("report", folder / "ward", folder / "plain", folder / "plain.html", "--bootstrap", 0)
    page = (folder / "plain.html").read_text("utf-8")
    assert "<code>auscult predict</code> with <code>--codes-of</code>" in page
    assert "predict --ranked 200" in page


def test_two_models_are_compared_on_every_metric(folder: Path, found: Assessment) -> None:
    corpus = Corpus.open(folder / "ward")
    test = corpus.select(splits=["test"])
    other = fit(corpus, "lexicon")
    both = compare(test, Model.load(folder / "model"), other, bootstrap=_TIMES)
    assert both.first.codes.to_dict() == found.codes.to_dict()
    again = compare_codes(both.first.codes, both.second.codes, times=_TIMES)
    assert [one.to_dict() for one in both.codes] == [one.to_dict() for one in again]
    table = both.to_polars()
    assert table.height == len(both.codes) + len(both.evidence)
    [row] = table.filter(metric="micro_f1").rows(named=True)
    assert row["first"] == found.codes.metrics["micro_f1"].value
    assert row["difference"] == row["first"] - row["second"]
    assert row["low"] <= row["difference"] <= row["high"]
    assert set(table["about"]) == {"codes", "evidence"}
    shown = repr(both).splitlines()
    assert max(map(len, shown)) <= 80
    assert "    over_all_codes" in shown
