"""`train`, `predict` and `external` for concepts, as a user meets them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from auscult.cli.main import auscult
from auscult.core import AuscultError, OptionError
from auscult.corpus.corpus import Corpus


@pytest.fixture(scope="module")
def folder(corpus: Corpus, place: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("commands")
    corpus.write(made / "corpus")
    for kind in ("tagger", "dictionary", "linker"):
        answer(
            "train", made / "corpus", made / kind, "--model", kind,
            "--set", f"vocabulary={place}", "--annotator", "gold",
        )  # fmt: skip
    return made


def answer(*words: str | Path) -> dict[str, Any]:
    done = CliRunner().invoke(auscult, [*map(str, words), "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def refused(*words: str | Path) -> str:
    with pytest.raises(AuscultError) as error:
        CliRunner().invoke(auscult, [*map(str, words)], catch_exceptions=False)
    assert isinstance(error.value, OptionError)
    return str(error.value)


def exactly_right(gold: Corpus, found: Corpus) -> float:
    def codes(corpus: Corpus) -> dict[Any, set[str]]:
        by_span: dict[Any, set[str]] = {}
        for a in corpus.iter_annotations():
            by_span.setdefault((a.note_id, a.spans), set()).add(a.code.value)
        return by_span

    meant, said = codes(gold), codes(found)
    return sum(said.get(key) == values for key, values in meant.items()) / len(meant)


@pytest.mark.parametrize("spans", ["given", "found"])
def test_from_a_corpus_to_concepts(folder: Path, corpus: Corpus, spans: str) -> None:
    source = ["--spans-of", "gold"] if spans == "given" else ["--spans-by", folder / "tagger"]
    out = folder / spans
    found = answer("predict", folder / "linker", folder / "corpus", out, "--split", "test", *source)
    predicted = Corpus.open(out)
    assert predicted.manifest.annotators == {"linker": found["annotations"]}
    assert exactly_right(corpus.select(splits=["test"]), predicted) > 0.9
    assert found["warnings"] == []


def test_a_second_model_adds_spans_where_the_first_has_none(folder: Path) -> None:
    out = folder / "two-models"
    # The tagger has learned to see a pneumonia; the vocabulary knows one that no note has.
    text = "Known pneumonia. Old kidney atrophy."
    note = folder / "new.txt"
    note.write_text(text, encoding="utf-8")
    by_both = ["--spans-by", str(folder / "tagger"), "--spans-by", str(folder / "dictionary")]
    answer("predict", folder / "linker", note, out, *by_both)
    places = [a.spans[0] for a in Corpus.open(out).iter_annotations()]
    assert {span.of(text) for span in places} == {"pneumonia", "kidney atrophy"}
    assert not any(a.overlaps(b) for a in places for b in places if a != b)


def test_training_says_what_was_measured(folder: Path, place: Path) -> None:
    words = ["train", folder / "corpus", folder / "again", "--model", "dictionary",
             "--set", f"vocabulary={place}"]  # fmt: skip
    done = CliRunner().invoke(auscult, [*map(str, words)], catch_exceptions=False)
    assert "dictionary, 12 concepts, trained on 266 mentions in 48 notes" in done.output
    assert "f1 " in done.output


def test_training_says_what_it_left_out(folder: Path, corpus: Corpus, place: Path) -> None:
    few = corpus.select(charts=[f"c{at}" for at in range(12)])
    marked = [a for a in few.iter_annotations() if a.note_id != "n3"]
    Corpus.of(list(few.iter_notes()), marked).write(folder / "unread")
    words: list[str | Path] = ["train", folder / "unread", folder / "left", "--model", "dictionary",
             "--set", f"vocabulary={place}"]  # fmt: skip
    done = CliRunner().invoke(auscult, [*map(str, words)], catch_exceptions=False)
    assert "left out: 1 training note that the annotator has not read" in done.output
    assert answer(*words, "--overwrite")["left_out"] == 1


def test_a_note_on_standard_input(folder: Path) -> None:
    words = ["predict", str(folder / "tagger"), "-", "-", "--json"]
    done = CliRunner().invoke(auscult, words, input="Treated for pneumonia. ")
    (one,) = json.loads(done.stdout)["predicted"]
    assert one["spans"] == [[12, 21]]


def test_notes_without_a_category_are_read(folder: Path, corpus: Corpus, tmp_path: Path) -> None:
    words = ("train", folder / "corpus", tmp_path / "tagger", "--model", "tagger")
    answer(*words, "--annotator", "gold", "--category", "Nursing")
    test = corpus.select(splits=["test"])
    for name, category in (("bare", None), ("others", "ECG")):
        Corpus.of(replace(n, category=category) for n in test.iter_notes()).write(tmp_path / name)
    found = answer("predict", tmp_path / "tagger", tmp_path / "bare", tmp_path / "found")
    assert found["annotations"] > 0
    assert found["warnings"] == [
        "12 notes have no category and are read as Nursing. To choose another category, pass "
        "--default-category."
    ]
    meant = ("predict", folder / "linker", tmp_path / "bare", tmp_path / "meant")
    assert answer(*meant, "--spans-by", tmp_path / "tagger")["annotations"] > 0
    said = refused(
        *meant, "--spans-by", tmp_path / "tagger", "--default-category", "ECG", "--overwrite"
    )
    assert "does not read the category 'ECG'" in said
    nothing = ["predict", tmp_path / "tagger", tmp_path / "others", tmp_path / "none", "--json"]
    done = CliRunner().invoke(auscult, [*map(str, nothing)], catch_exceptions=False)
    assert done.exit_code == 1
    assert json.loads(done.stdout)["charts_unread"] == 12


def test_options_of_the_other_kind_are_refused(folder: Path) -> None:
    tagger, corpus, out = folder / "tagger", folder / "corpus", folder / "no"
    for option in (["--never-empty"], ["--threshold", "0.5"], ["--overlapping-spans"]):
        assert "does not score" in refused("predict", tagger, corpus, out, *option)
    assert "not both" in refused(
        "predict", folder / "linker", corpus, out, "--spans-of", "gold", "--spans-by", tagger
    )
    assert "finds none itself" in refused("predict", folder / "linker", corpus, out)
    assert "Leave --spans-of" in refused("predict", tagger, corpus, out, "--spans-of", "gold")
    curve = ("train", corpus, out, "--model", "tagger", "--evidence-fractions", "0,1")
    assert "annotates spans" in refused(*curve)
    assert not out.exists()


def test_what_another_system_found_is_added(folder: Path) -> None:
    note = next(Corpus.open(folder / "corpus").iter_notes())
    at = (note.text or "").index("PT")
    found = {note.note_id: [[{"start": at, "end": at + 2, "ngram": "PT", "cui": "C0033707"}]]}
    (folder / "matches.json").write_text(json.dumps(found))
    told = answer(
        "external", "quickumls", folder / "matches.json", folder / "corpus", folder / "both"
    )
    assert told["annotations"] == 1
    assert Corpus.open(folder / "both").manifest.annotators["quickumls"] == 1
