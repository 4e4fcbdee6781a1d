"""`auscult generate`: from records to texts, to measures and a page."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner

from auscult.cli.main import auscult
from auscult.core import AuscultError, Note
from auscult.corpus import Corpus

PARTS = {"arm": "M", "leg": "F", "head": "M"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Visits whose text names the part, more often of one sex; a generator, and its texts."""
    place, dice = tmp_path_factory.mktemp("write"), random.Random(0)
    notes, rows = [], []
    for number in range(200):
        part = dice.choice(sorted(PARTS))
        sex = PARTS[part] if dice.random() < 0.4 else dice.choice("FM")
        split = ("train", "train", "train", "dev", "test")[number % 5]
        text = f"{dice.choice(['Injury', 'pain'])} of {part}, {dice.randrange(10)} d"
        notes.append(Note(f"v{number}", f"v{number}", f"p{number}", text=text, split=split))
        rows.append({"record_id": f"v{number}", "chart_id": f"v{number}", "part": part,
                     "sex": sex})  # fmt: skip
    corpus = Corpus.of(notes, records=pl.DataFrame(rows)).described(name="visits")
    corpus.write(place / "visits")
    answer("generate", "train", place / "visits", place / "generator", *SMALL)
    answer("generate", "texts", place / "generator", place / "visits", place / "written")
    (place / "secrets.txt").write_text("Qbadaka 4711\n")
    return place


SMALL = ["--generator", "lstm", *(
    word
    for setting in ("threads=1", "epochs=12", "patience=12", "batch_size=4", "hidden_size=48",
                    "learning_rate=0.01", "autoencoder_epochs=2", "dropout=0.0", "min_steps=0")
    for word in ("--set", setting)
)]  # fmt: skip


def answer(*words: str | Path) -> dict[str, Any]:
    done = CliRunner().invoke(auscult, [*map(str, words), "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def refused(*words: str | Path) -> str:
    done = CliRunner().invoke(auscult, [*map(str, words)])
    assert isinstance(done.exception, AuscultError), done.output
    return str(done.exception)


def test_what_was_written_is_measured(folder: Path) -> None:
    found = answer(
        "generate", "evaluate", folder / "visits", folder / "written", "--bootstrap", "100",
        "--complaint", "arm=arm", "--group-by", "sex", "--secrets", folder / "secrets.txt",
    )  # fmt: skip
    assert found["pairs"] == 40
    for name in ("ngram_sensitivity", "ngram_ppv", "cider", "embedding_similarity", "bleu"):
        metric = found[name]
        assert 0 < metric["value"] < 1
        assert metric["interval"][0] <= metric["value"] <= metric["interval"][1]
    # "of" and the part are right in nearly all, so nearly half of three words is shared.
    assert found["ngram_sensitivity"]["value"] > 0.3
    assert found["memorization"]["leaked"]["value"] == 0.0
    assert {row["level"] for row in found["odds_ratios"]} == {"F", "M"}
    assert found["odds_ratios_kept"]["of"] == 2


def test_people_get_tables_and_a_page_with_both_texts(folder: Path) -> None:
    page = folder / "page.html"
    done = CliRunner().invoke(
        auscult,
        ["generate", "evaluate", str(folder / "visits"), str(folder / "written"),
         "--bootstrap", "50",
         "--classify", "part", "--report", str(page), "--complaint", "head=head"],
        catch_exceptions=False,
    )  # fmt: skip
    for said in ("embedding_similarity", "Memorization", "Odds ratios", "Classifier of part"):
        assert said in done.stdout
    html = page.read_text()
    for said in (
        "Samples, most similar first",
        "<svg",
        "trained on authentic text",
        "visits: synthetic texts",
    ):
        assert said in html


def test_settings_of_the_classifier_are_passed_on(folder: Path, tmp_path: Path) -> None:
    visits, written = folder / "visits", folder / "written"
    evaluate = ("generate", "evaluate", visits, written, "--bootstrap", "0")
    classified = (*evaluate, "--classify", "part")
    usual = answer(*classified)["classifier"]
    # A classifier that hardly moves says the same of every text; one that is given time does not.
    (tmp_path / "slow.toml").write_text("learning_rate = 1e-9\nepochs = 1\n")
    slow = answer(*classified, "--config", tmp_path / "slow.toml")["classifier"]
    assert slow["authentic"]["accuracy"]["value"] < usual["authentic"]["accuracy"]["value"]
    assert "Setting epochs of the model bigru" in refused(*classified, "--set", "epochs=0")
    assert "add --classify VARIABLE" in refused(*evaluate, "--set", "epochs=3")


def test_generating_is_as_asked_and_the_same_again(folder: Path) -> None:
    words = ("generate", "texts", folder / "generator", folder / "visits")
    found = answer(*words, folder / "all", "--split", "all", "--decode", "greedy")
    assert found["texts"] == 200
    assert found["decoding"]["strategy"] == "greedy"
    sampled = [folder / "one", folder / "two", folder / "other"]
    for place, seed in zip(sampled, "112", strict=True):
        answer(*words, place, "--decode", "sample", "--seed", seed)
    one, two, other = ([note.text for note in Corpus.open(place).iter_notes()] for place in sampled)
    assert one == two != other


def test_what_is_wrong_is_said(folder: Path) -> None:
    visits, written = folder / "visits", folder / "written"
    generate = ("generate", "texts", folder / "generator", visits)
    assert "exists already" in refused("generate", "train", visits, folder / "generator")
    assert "exists already" in refused(*generate, written)
    assert "no split 'tets'" in refused(*generate, folder / "x", "--split", "tets")
    assert "Setting num_beams of the decoding" in refused(
        *generate, folder / "x", "--num-beams", "0"
    )
    assert "Setting top_p" in refused(*generate, folder / "x", "--top-p", "1.5")
    assert "is not a generator" in refused("generate", "texts", visits, visits, folder / "x")
    assert "no variable of the records 'age'" in refused(
        "generate", "evaluate", visits, written, "--group-by", "age", "--bootstrap", "0"
    )
    assert "no variable of the records 'parts'" in refused(
        "generate", "evaluate", visits, written, "--classify", "parts", "--bootstrap", "0"
    )
    assert "Expected NAME=VALUE" in refused(
        "generate", "evaluate", visits, written, "--complaint", "arm"
    )
    assert "is not a corpus" in refused("generate", "evaluate", visits, folder / "nowhere")
    bare = Corpus.of([Note("1", "1", text="x")]).write(folder / "bare")
    assert "has no records" in refused("generate", "train", folder / "bare", folder / "x")
    assert bare.path is not None


def test_other_records_cannot_be_compared(folder: Path) -> None:
    records = pl.DataFrame({"record_id": ["z"], "chart_id": ["z"], "part": ["arm"], "sex": ["F"]})
    Corpus.of([Note("z", "z", text="pain")], records=records).write(folder / "others")
    said = refused("generate", "evaluate", folder / "visits", folder / "others")
    assert "No record of the synthetic corpus has a text in the authentic one" in said


def test_a_record_without_an_authentic_text_is_left_out_and_counted(folder: Path) -> None:
    visits = Corpus.open(folder / "visits")
    assert visits.records is not None
    notes = [
        Note(n.note_id, n.chart_id, n.subject_id, text="" if n.note_id == "v4" else n.text,
             split=n.split)
        for n in visits.iter_notes()
    ]  # fmt: skip
    Corpus.of(notes, records=visits.records).write(folder / "bald")
    words = ("generate", "evaluate", folder / "bald", folder / "written", "--bootstrap", "0")
    found = answer(*words)
    assert found["pairs"] == 39
    assert "1 record of 40 left out" in found["warnings"][0]
