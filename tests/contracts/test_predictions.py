"""Whatever format predictions go through, evaluating them gives the same numbers."""

from __future__ import annotations

import json
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner

from auscult.cli.main import auscult
from auscult.core import Annotation, Code, Note, Span, Status
from auscult.corpus import Corpus, formats
from auscult.corpus.formats import FORMATS
from auscult.evaluate import code_metrics, evidence_metrics, pair

PHRASES = {"I10": "hypertension", "J18.9": "pneumonia", "N17.9": "renal failure", "R05": "cough"}
WITHOUT_CODES = ("neiss", "records")
"""Formats of records, which have no place for a code."""
WITHOUT_SPANS = ("cmc", "mimic3", "mimic4", "mimic4_ed")
CODES = {
    "mcn": ("UMLS", ("C0020538", "C0032285", "C0035078", "C0010200")),
    "mimic3": ("ICD-9-CM", ("401.9", "486", "584.9", "786.2")),
    "pubtator": ("MeSH", ("D006973", "D011014", "D051437", "D003371")),
}
"""Other codes for the same, where a format holds no ICD-10."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Gold of which a model that learned the first two phrases only knows half, and its work."""
    place = tmp_path_factory.mktemp("predictions")
    notes, annotations = [], []
    for number in range(48):
        split, name = ("train" if number < 32 else "test"), f"n{number}"
        text = ""
        for at, (value, phrase) in enumerate(PHRASES.items()):
            if (number >> at) & 1:
                text += "Treated for "
                span = Span(len(text), len(text) + len(phrase))
                text += f"{phrase}. "
                if split == "test" or at < 2 or number % 3 == 0:
                    code = Code("ICD-10-CM", value)
                    annotations.append(Annotation("gold", code, name, name, (span,)))
        if not text:
            text = "Nothing."
        category = "Discharge summary"
        notes.append(Note(name, name, name, category, "2151-03-04T05:06:07", text, split))
    Corpus.of(notes, annotations).write(place / "corpus")
    answer("train", place / "corpus", place / "model", "--model", "lexicon", "--charts", "all")
    predict = ("predict", place / "model", place / "corpus")
    answer(*predict, place / "asked", "--split", "test", "--codes-of", "gold")
    answer(*predict, place / "ranked", "--split", "test", "--ranked", "3")
    return place


def answer(*words: str | Path) -> dict[str, Any]:
    done = CliRunner().invoke(auscult, [*map(str, words), "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def recoded(corpus: Corpus, name: str) -> Corpus:
    """The corpus with codes and a signature that a format holds."""
    system, values = CODES.get(name, ("ICD-10-CM", tuple(PHRASES)))
    other = dict(zip(PHRASES, values, strict=True))
    table = corpus.lazy_all_annotations.with_columns(
        pl.col("code").replace_strict(other), system=pl.lit(system)
    )
    if name.startswith("mimic"):
        table = table.with_columns(annotator=pl.lit("billing"))
    if name == "mimic4_ed":  # which has codes of whole stays only
        nowhere = pl.lit(None, pl.String).alias("note_id"), pl.col("spans").list.head(0)
        table = table.with_columns(nowhere)
    return replace(corpus, lazy_all_annotations=table, path=None)


@pytest.mark.parametrize("made", ["asked", "ranked"])
@pytest.mark.parametrize("name", FORMATS)
def test_what_was_not_given_is_no_prediction_in_any_format(
    folder: Path, name: str, made: str, tmp_path: Path
) -> None:
    predicted = recoded(Corpus.open(folder / made), name)
    gold = recoded(Corpus.open(folder / "corpus").select(splits=["test"]), name)
    hidden = predicted.lazy_all_annotations.filter(pl.col("status") != Status.GIVEN).collect()
    assert len(hidden) > 5
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        losses = formats.write(name, predicted, tmp_path / "out")
        back = formats.read(name, tmp_path / "out")
        if name in WITHOUT_CODES:
            assert "annotations" in {loss.column for loss in losses}
            assert back.annotations.is_empty()
            return
        before, after = (pair(gold, side) for side in (predicted, back))
    of_codes = [code_metrics(sides, times=0) for sides in (before, after)]
    assert of_codes[0].micro.counts == of_codes[1].micro.counts
    given = [result.metrics["exact_match_ratio"].value for result in of_codes]
    assert given[0] == given[1]
    if name not in WITHOUT_SPANS:
        of_spans = [evidence_metrics(sides, times=0) for sides in (before, after)]
        assert of_spans[0].metrics["span"].counts == of_spans[1].metrics["span"].counts
    held = back.lazy_all_annotations.filter(pl.col("status") != Status.GIVEN).collect()
    lost = sum(loss.count for loss in losses if loss.column == "annotations.status")
    assert len(held) + lost == len(hidden)


def test_predictions_in_mdaces_form_have_the_score_of_the_corpus(folder: Path) -> None:
    """As it was typed: predict with --codes-of in MDACE's form, then evaluate."""
    corpus, out = folder / "corpus", folder / "mdace"
    said = answer(
        "predict", folder / "model", corpus, out,
        "--split", "test", "--codes-of", "gold", "--format", "mdace",
    )  # fmt: skip
    columns = {loss["column"]: loss["count"] for loss in said["losses"]}
    assert columns["annotations.status"] > 0
    codes = ("evaluate", "codes", corpus)
    whole = answer(*codes, folder / "asked", "--split", "test")
    again = answer(*codes, out, "--split", "test")
    assert again["micro_f1"] == whole["micro_f1"] < 1


def test_predict_prints_what_the_format_cannot_hold(folder: Path, tmp_path: Path) -> None:
    words = ("predict", folder / "model", folder / "corpus", tmp_path / "out",
             "--split", "test", "--ranked", "3", "--format", "mdace")  # fmt: skip
    done = CliRunner().invoke(auscult, list(map(str, words)), catch_exceptions=False)
    assert "ranked below the threshold" in done.stdout
