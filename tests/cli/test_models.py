"""`auscult train`, `predict` and `report`: from a corpus to coded notes and a page."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from auscult.cli.main import auscult
from auscult.core import Annotation, AuscultError, Code, Note, Span
from auscult.corpus import Corpus, formats
from auscult.corpus.split import split_at_random as split_anew
from auscult.models import ENTITY_MODELS
from auscult.models.member_trial import MemberTrial, try_members

PHRASES = {"I10": "hypertension", "J18.9": "pneumonia", "N17.9": "acute renal failure"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus whose test charts are coded by whoever knows three phrases, and a model of it."""
    place = tmp_path_factory.mktemp("models")
    notes, annotations = [], []
    for number in range(60):
        split = ("train", "train", "train", "dev", "test")[number % 5]
        text = f"Seen on day {number % 9}. "
        for at, (value, phrase) in enumerate(PHRASES.items()):
            if (number >> at) & 1:
                text += "Treated here for "
                span = Span(len(text), len(text) + len(phrase))
                code = Code("ICD-10-CM", value)
                annotations.append(Annotation("gold", code, f"c{number}", f"n{number}", (span,)))
                text += f"{phrase}. "
        notes.append(
            Note(
                f"n{number}",
                f"c{number}",
                f"p{number}",
                "Physician",
                text=text,
                split=split,
                read_by=("gold",),
            )
        )
    Corpus.of(notes, annotations).described(name="ward").write(place / "corpus")
    answer("train", place / "corpus", place / "model", "--model", "lexicon")
    return place


def answer(*words: str | Path, text: str | None = None) -> dict[str, Any]:
    done = CliRunner().invoke(
        auscult, [*map(str, words), "--json"], input=text, catch_exceptions=False
    )
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def refused(*words: str | Path) -> str:
    done = CliRunner().invoke(auscult, [*map(str, words)])
    assert isinstance(done.exception, AuscultError), done.output
    return str(done.exception)


def test_training_says_what_was_learned_and_how_well(folder: Path) -> None:
    found = answer("train", folder / "corpus", folder / "again", "--model", "lexicon")
    assert found["codes"] == 3
    assert found["charts"] == 36
    assert found["tuned_on"] == "dev"
    assert found["runs"][0]["codes"]["f1"] == 1.0
    assert "exists already" in refused("train", folder / "corpus", folder / "again")


def test_an_estimate_says_the_time_and_its_parts_and_writes_nothing(
    folder: Path, tmp_path: Path
) -> None:
    corpus, out = folder / "corpus", tmp_path / "model"
    words = ("train", corpus, out, "--model", "caml", "--set", "epochs=7", "--estimate")
    time = answer(*words)["estimate"]
    assert time["epochs"] == 7
    assert time["steps"] == 9  # 36 charts, four a batch
    assert time["seconds"] == pytest.approx(7 * time["epoch_seconds"])
    told = CliRunner().invoke(auscult, [*map(str, words)]).stdout
    assert told.startswith("At most 7 epochs of about ")
    assert all(part in told for part in ("data", "forward", "loss", "backward", "optimizer"))
    assert not list(tmp_path.iterdir())
    assert "is not trained in epochs" in refused(
        "train", corpus, out, "--model", "lexicon", "--estimate"
    )
    assert "--estimate" in refused("train", corpus, out, "--estimate", "--runs", "2")
    chosen = answer("train", corpus, out, "--estimate")
    assert chosen["chosen"]["model"] == "ensemble"
    assert not list(tmp_path.iterdir())


def test_a_model_is_trained_with_each_of_the_seeds_given(folder: Path, tmp_path: Path) -> None:
    words = ("train", folder / "corpus", tmp_path / "models", "--model", "lexicon")
    found = answer(*words, "--seeds", "42,7")
    assert found["seeds"] == [42, 7] == [run["seed"] for run in found["runs"]]
    assert sorted(one.name for one in (tmp_path / "models").iterdir()) == ["seed-42", "seed-7"]
    told = CliRunner().invoke(auscult, [*map(str, words), "--seeds", "42,7"])
    assert "(seeds 42, 7)" in told.output
    # As before, a number of seeds begins with --seed.
    again = answer(*words, "--runs", "2", "--seed", "41")
    assert again["seeds"] == [41, 42]
    assert "whole numbers such as 24,42" in refused(*words, "--seeds", "24,x")
    assert "Pass only one of --runs, --seeds" in refused(*words, "--seeds", "1", "--runs", "2")
    assert "given twice" in refused(*words, "--seeds", "1,1")


def test_several_runs_try_the_members_once_and_go_on(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = 0

    def counted(*given: Any, **named: Any) -> MemberTrial | None:
        nonlocal tried
        tried += 1
        return try_members(*given, **named)

    for place in ("chart_scoring", "choosing"):
        monkeypatch.setattr(f"auscult.models.{place}.CROSS_VALIDATED", 30)
    monkeypatch.setattr("auscult.models.choosing._FEW", 30)
    monkeypatch.setattr("auscult.models.member_trial._FEWEST", 10)
    monkeypatch.setattr("auscult.models.choosing.try_members", counted)
    words = ("train", folder / "corpus", tmp_path / "models")
    settings = ("--set", 'members=["linear"]')
    told = CliRunner().invoke(auscult, [*map(str, words), *settings, "--runs", "2"])
    assert told.exit_code == 0
    assert tried == 1
    assert " for each of 2 models, " in told.stderr
    made = {one: one.stat().st_mtime_ns for one in (tmp_path / "models").glob("seed-*/model.json")}
    assert len(made) == 2
    # Those that are there stay, and one more comes.
    assert len(answer(*words, *settings, "--runs", "3")["runs"]) == 3
    assert all(one.stat().st_mtime_ns == when for one, when in made.items())
    tried = 0
    answer(
        "train", folder / "corpus", tmp_path / "curve", *settings, "--evidence-fractions", "0.5,1"
    )
    answer("train", folder / "corpus", tmp_path / "best", *settings, "--grid", "min_count=1,2")
    assert tried == 2


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four charts of the synthetic hospital."""
    place = tmp_path_factory.mktemp("few")
    answer("synth", "hospital", place / "hospital", "--patients", "20")
    answer("corpus", "import", "mimic3", place / "hospital/mimic3", place / "notes")
    mdace = place / "hospital/mdace/data/Inpatient/ICD-10"
    answer("corpus", "import", "mdace", mdace, place / "evidence")
    answer("corpus", "merge", place / "notes", place / "evidence", place / "all")
    some = ("--annotator", "inpatient", "--fraction", "0.16", "--seed", "5")
    answer("corpus", "sample", place / "all", place / "corpus", *some)
    return place


def test_of_a_model_that_learned_from_few_charts_nothing_is_said(few: Path) -> None:
    learned = ("train", few / "corpus", few / "model", "--annotator", "inpatient")
    found = answer(*learned)
    [run] = found["runs"]
    assert found["charts"] == 4
    for what in ("codes", "evidence"):
        assert run[what]["f1"] is run[what]["tp"] is None
        assert run[what]["undefined"].startswith(
            "No F1 is reported: 4 training charts of 3 patients with codes are too few to estimate "
        )
        assert f"{what}_f1" not in found
    said = CliRunner().invoke(auscult, [*map(str, learned), "--overwrite"]).stdout
    assert run["codes"]["undefined"] in said.splitlines()
    row = said.splitlines()[-1].split()
    assert [row[2], row[4]] == ["–", "–"]


def test_a_model_that_learned_from_few_charts_knows_those(few: Path) -> None:
    train = ("train", few / "corpus", few / "known", "--annotator", "inpatient")
    answer(*train)
    answer("predict", few / "known", few / "corpus", few / "predicted")
    gold = ("evaluate", "codes", few / "corpus", few / "predicted", "--annotator", "inpatient")
    found = answer(*gold, "--bootstrap", "0")
    # A code that none of these charts has is wrong in all of them, but may be right in others.
    assert found["micro_recall"] > 0.9
    assert found["micro_f1"] > 0.7


def test_runs_have_a_mean_and_a_deviation_and_are_not_redone(folder: Path) -> None:
    words = ("train", folder / "corpus", folder / "runs", "--model", "lexicon", "--runs", "2")
    found = answer(*words)
    assert found["codes_f1"] == {"mean": 1.0, "sd": 0.0, "interval": None, "runs": 2}
    before = (folder / "runs" / "seed-1" / "model.json").stat().st_mtime_ns
    answer(*words)
    assert (folder / "runs" / "seed-1" / "model.json").stat().st_mtime_ns == before
    said = refused(*words, "--set", "min_count=2")
    assert "seed-0 was trained with another configuration" in said
    linear = ("train", folder / "corpus", folder / "runs", "--model", "linear", "--runs", "1")
    assert "another model, configuration" in refused(*linear)
    several = refused("predict", folder / "runs", folder / "corpus", "-")
    assert several.endswith(f"holds 2 models. Name one: {folder / 'runs' / 'seed-0'}")


def test_a_learning_curve_has_a_model_for_each_share(folder: Path) -> None:
    found = answer(
        "train", folder / "corpus", folder / "curve", "--model", "lexicon",
        "--evidence-fractions", "0.5,1",
    )  # fmt: skip
    assert [run["evidence_fraction"] for run in found["runs"]] == [0.5, 1.0]
    assert (folder / "curve" / "fraction-0.5" / "model.json").exists()


def test_settings_come_from_a_file_and_from_the_command(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text('min_count = 2\nlanguage = "spanish"\n')
    words = ("train", folder / "corpus", tmp_path / "model", "--model", "lexicon")
    more = ("--config", tmp_path / "settings.toml", "--set", "language=english")
    answer(*words, *more)
    about = json.loads((tmp_path / "model" / "model.json").read_text())
    assert about["configuration"]["min_count"] == 2
    assert about["configuration"]["language"] == "english"
    (tmp_path / "settings.toml").write_text("min_count = ")
    assert "is not valid TOML" in refused(*words, *more, "--overwrite")
    assert "KEY=VALUE" in refused(*words, "--set", "min_count", "--overwrite")
    assert "Setting min_count" in refused(*words, "--set", "min_count=0", "--overwrite")
    (tmp_path / "settings.toml").write_text("[lexicon]\nminimum = 2\n")
    assert "has no table [lexicon]" in refused(*words, *more, "--overwrite")
    both = ("train", folder / "corpus", tmp_path / "both", "--config", tmp_path / "settings.toml")
    assert "go under [settings.lexicon]" in refused(*both, "--model", "ensemble")
    neural = ("train", folder / "corpus", tmp_path / "neural", "--model", "caml")
    said = refused(*neural, "--evidence", "attention", "--set", "evidence=linear-tagger")
    assert said == "--evidence attention contradicts --set evidence=linear-tagger. Pass only one."


def test_notes_of_a_category_that_is_not_there_are_not_learned_from(
    folder: Path, tmp_path: Path
) -> None:
    words = ("train", folder / "corpus", tmp_path / "model", "--model", "lexicon", "--category")
    assert "no note category 'Physican'. Did you mean Physician?" in refused(*words, "Physican")


def test_what_could_not_be_written_is_refused_before_it_is_made(
    folder: Path, tmp_path: Path
) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "work.txt").write_text("work")
    lines = tmp_path / "folder.jsonl"
    lines.mkdir()
    where = ("predict", folder / "model", folder / "corpus")
    assert "is not a corpus" in refused(*where, mine, "--overwrite")
    assert "is a folder" in refused(*where, lines, "--overwrite")
    (tmp_path / "file").write_text("work")
    assert "is a file" in refused(*where, tmp_path / "file", "--format", "mdace", "--overwrite")
    (tmp_path / "file").unlink()
    assert {one.name for one in tmp_path.iterdir()} == {"mine", "folder.jsonl"}


def test_a_threshold_that_is_no_number_is_damage(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "model", tmp_path / "model")
    about = json.loads((tmp_path / "model" / "model.json").read_text())
    about["decoding"]["code_threshold"] = float("nan")
    (tmp_path / "model" / "model.json").write_text(json.dumps(about))
    said = refused("predict", tmp_path / "model", folder / "corpus", "-")
    assert "decoding.code_threshold" in said


def test_an_ensemble_says_whom_it_kept(folder: Path, tmp_path: Path) -> None:
    # The lexicon is always right here, so that nobody can make it better.
    words = ["train", str(folder / "corpus"), str(tmp_path / "model"), "--model", "ensemble"]
    done = CliRunner().invoke(auscult, words, catch_exceptions=False)
    assert "kept lexicon; dropped linear, codebook, which did not improve it" in done.output
    [run] = answer(*words, "--overwrite")["runs"]
    assert (run["members"], run["open_members"]) == (["lexicon"], [])


def test_a_corpus_is_coded_into_a_corpus_lines_or_mdace_files(folder: Path, tmp_path: Path) -> None:
    where = (folder / "model", folder / "corpus")
    answer("predict", *where, tmp_path / "out", "--split", "test")
    answer("predict", *where, tmp_path / "out.jsonl", "--split", "test")
    answer("predict", *where, tmp_path / "mdace", "--split", "test", "--format", "mdace")
    found = Corpus.open(tmp_path / "out")
    said = {(a.chart_id, a.code, a.spans) for a in found.iter_annotations()}
    test = Corpus.open(folder / "corpus").select(splits=["test"])
    gold = {(a.chart_id, a.code, a.spans) for a in test.iter_annotations()}
    assert gold == said
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert {(line["chart_id"], line["code"]) for line in lines} == {
        (chart, code.value) for chart, code, _ in said
    }
    assert lines[0].keys() >= {"note_id", "chart_id", "annotator", "system", "code", "spans"}
    read = formats.read("mdace", tmp_path / "mdace")
    assert {(a.chart_id, a.code, a.spans) for a in read.iter_annotations()} == said


def test_a_trained_model_is_explained_in_another_way(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    small = ("embedding_dim=16", "out_channels=16", "kernel_size=3", "learning_rate=0.02")
    settings = [word for one in (*small, "epochs=4", "threads=1") for word in ("--set", one)]
    corpus, model = folder / "corpus", tmp_path / "caml"
    answer("train", corpus, model, "--model", "caml", *settings)
    shown = {}
    for method in ("attention", "attingrad", "integrated-gradients"):
        out = tmp_path / f"{method}.jsonl"
        found = answer("predict", model, corpus, out, "--split", "test", "--explain", method)
        rule = f"tuned for attention, not for {method}"
        assert any(rule in told for told in found["warnings"]) == (method != "attention")
        shown[method] = out.read_text()
    answer("predict", model, corpus, tmp_path / "trained.jsonl", "--split", "test")
    assert shown["attention"] == (tmp_path / "trained.jsonl").read_text()
    assert len(set(shown.values())) == 3
    message = refused(
        "predict", folder / "model", corpus, tmp_path / "no.jsonl", "--explain", "attingrad"
    )
    assert "model lexicon has no attribution methods to choose from. Leave out --explain" in message
    assert not (tmp_path / "no.jsonl").exists()


def test_spans_of_a_code_overlap_only_when_asked(folder: Path, tmp_path: Path) -> None:
    where = ("predict", folder / "model", folder / "corpus")

    def found(name: str, *words: str) -> tuple[int, list[Annotation]]:
        said = answer(*where, tmp_path / name, "--split", "test", *words)
        made = list(Corpus.open(tmp_path / name).iter_annotations())
        assert said["annotations"] == len(made)
        return said["codes"], made

    codes, plain = found("plain")
    codes_too, every = found("every", "--overlapping-spans")
    assert codes == codes_too == len(plain)  # each phrase is once in a note
    assert set(plain) < set(every)
    phrases = {(a.note_id, a.spans) for a in Corpus.open(folder / "corpus").iter_annotations()}
    assert {(a.note_id, a.spans) for a in plain} <= phrases
    done = CliRunner().invoke(
        auscult, [*map(str, where), "-", "--split", "test", "--overlapping-spans"]
    )
    assert "Treated here for[" not in done.stdout
    assert done.stdout.count("[I10]") == sum(a.code.value == "I10" for a in every)


def test_one_note_from_standard_input_is_shown_with_its_evidence(folder: Path) -> None:
    note = "Elderly man, treated for pneumonia."
    done = CliRunner().invoke(auscult, ["predict", str(folder / "model"), "-", "-"], input=note)
    assert done.exit_code == 0, done.output
    assert "J18.9" in done.stdout
    assert "pneumonia[J18.9]" in done.stdout
    found = answer("predict", folder / "model", "-", "-", text=note)
    assert {one["code"] for one in found["predicted"]} == {"J18.9"}
    assert [[25, 34]] in [one["spans"] for one in found["predicted"]]


def test_a_text_is_of_the_category_that_the_model_reads(folder: Path, tmp_path: Path) -> None:
    only = ("--set", 'categories=["Physician"]')
    answer("train", folder / "corpus", tmp_path / "model", "--model", "lexicon", *only)
    note = "Seen on day 3. Treated here for pneumonia. "
    found = answer("predict", tmp_path / "model", "-", "-", text=note)
    assert {one["code"] for one in found["predicted"]} == {"J18.9"}


def test_what_is_written_is_what_its_name_says(folder: Path, tmp_path: Path) -> None:
    where = ("predict", folder / "model", folder / "corpus")
    assert "looks like a file" in refused(*where, tmp_path / "found.csv")
    assert "needs a file or folder" in refused(*where, "-", "--format", "mdace")
    kept = tmp_path / "notes"
    kept.mkdir()
    (kept / "1.txt").write_text("A note.")
    words = (*where, kept, "--format", "jsonl", "--overwrite")
    assert "is a folder, but a file must be written there" in refused(*words)
    assert (kept / "1.txt").exists()


def test_who_finds_nothing_is_measured_all_the_same(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "found.jsonl").touch()
    words = ("codes", folder / "corpus", tmp_path / "found.jsonl", "--split", "test")
    found = answer("evaluate", *words)
    assert found["micro_f1"] == 0.0


def test_runs_that_fail_leave_nothing(folder: Path) -> None:
    words = ("train", folder / "corpus", folder / "none", "--runs", "2", "--annotator", "nobody")
    assert "annotator" in refused(*words)
    assert not (folder / "none").exists()


def test_a_code_that_was_only_ranked_is_shown_as_not_given(folder: Path) -> None:
    note = "Elderly man, treated for pneumonia."
    words = ["predict", str(folder / "model"), "-", "-", "--ranked", "2"]
    done = CliRunner().invoke(auscult, words, input=note)
    assert done.exit_code == 0, done.output
    assert done.stdout.count("not assigned") == 2


def test_text_files_are_notes(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("hypertension")
    (tmp_path / "notes" / "b.txt").write_text("acute renal failure")
    found = answer("predict", folder / "model", tmp_path / "notes", "-")
    assert [(one["note_id"], one["code"]) for one in found["predicted"]] == [
        ("a", "I10"),
        ("b", "N17.9"),
    ]
    (tmp_path / "none").mkdir()
    assert "a folder of .txt files" in refused("predict", folder / "model", tmp_path / "none", "-")
    found = answer("predict", folder / "model", tmp_path / "notes" / "b.txt", "-")
    assert [one["code"] for one in found["predicted"]] == ["N17.9"]


def test_charts_it_learned_from_are_warned_of(folder: Path) -> None:
    found = answer("predict", folder / "model", folder / "corpus", "-")
    assert any("trained or tuned on 48 of the 60 charts" in w for w in found["warnings"])
    found = answer("predict", folder / "model", folder / "corpus", "-", "--split", "test")
    assert not any("learned" in warning for warning in found["warnings"])


def test_a_corpus_that_has_changed_since_is_warned_of(folder: Path, tmp_path: Path) -> None:
    changed = Corpus.open(folder / "corpus")
    split_anew(changed, {"train": 0.5, "test": 0.5}, seed=1).write(tmp_path / "corpus")
    found = answer("predict", folder / "model", tmp_path / "corpus", "-", "--split", "test")
    assert any(
        "has changed since the model was trained" in warning for warning in found["warnings"]
    )


def test_the_page_says_that_the_model_knows_the_charts(folder: Path, tmp_path: Path) -> None:
    train = ("--split", "train")
    answer("predict", folder / "model", folder / "corpus", tmp_path / "said", *train)
    words = ("report", folder / "corpus", tmp_path / "said", tmp_path / "page.html")
    found = answer(*words, *train, "--trained-model", folder / "model", "--bootstrap", "0")
    assert any("36 of the 36 charts" in warning for warning in found["warnings"])
    assert "tuned on 36 of these charts" in (tmp_path / "page.html").read_text()
    assert "Overview" not in (tmp_path / "page.html").read_text()


def test_rankings_and_evidence_of_codes_not_given_can_be_had(folder: Path) -> None:
    found = answer(
        "predict", folder / "model", "-", "-", "--ranked", "3", text="Treated for pneumonia."
    )
    assert {one["code"] for one in found["predicted"]} == set(PHRASES)
    assert found["codes"] == 1


def test_the_page_shows_measures_plots_and_charts(folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    answer(
        "predict", folder / "model", folder / "corpus", tmp_path / "said", "--split", "test",
        "--ranked", "all", "--codes-of", "gold",
    )  # fmt: skip
    where = ("report", folder / "corpus", tmp_path / "said", page)
    found = answer(*where, "--trained-model", folder / "model", "--bootstrap", "50")
    assert found["codes"]["micro_f1"] == 1.0
    assert found["evidence"]["span"]["recall"] == 1.0
    html = page.read_text()
    assert html.count("<svg") >= 3  # two plots and the brand
    assert '<mark class="both">hypertension</mark>' in html
    assert "quotes notes of ward" in html
    assert "label space has 3 codes" in html
    assert "exists already" in refused(*where)


def test_what_is_wrong_is_said(folder: Path, tmp_path: Path) -> None:
    corpus, model = folder / "corpus", folder / "model"
    assert "is not a model" in refused("predict", tmp_path, corpus, tmp_path / "x")
    assert "is not a corpus" in refused("predict", model, tmp_path / "none", tmp_path / "x")
    assert "Did you mean lexicon" in refused("train", corpus, tmp_path / "x", "--model", "lexcon")
    assert "Did you mean gold" in refused(
        "predict", model, corpus, tmp_path / "x", "--codes-of", "golt"
    )
    assert "Did you mean test" in refused("predict", model, corpus, "-", "--split", "tset")
    assert "whole number, or all" in refused("predict", model, corpus, "-", "--ranked", "many")
    assert "auscult corpus import" in refused("predict", model, tmp_path / "notes.xml", "-")
    lexicon = ("train", corpus, tmp_path / "x", "--model", "lexicon")
    assert "neural model" in refused(*lexicon, "--evidence", "supervised")
    for kind in ENTITY_MODELS:
        concepts = (*lexicon[:-1], kind)
        assert f"{kind} has its own method" in refused(*concepts, "--evidence", "attention")
    assert "Did you mean linker?" in refused(*lexicon[:-1], "linkr")
    bare = Corpus.open(corpus)
    notes = [replace(note, split=None) for note in bare.iter_notes()]
    Corpus.of(notes, bare.iter_annotations()).write(tmp_path / "bare")
    without = ("train", tmp_path / "bare", tmp_path / "x", "--model", "lexicon")
    assert "has no splits" in refused(*without, "--train-split", "mine")
    assert "is a model; annotations are needed here. Run inference first" in refused(
        "evaluate", "codes", corpus, model
    )
    assert "Did you mean gold?" in refused(
        "report", corpus, corpus, tmp_path / "x", "--annotator", "golt"
    )
    assert "is a model; annotations are needed" in refused("report", corpus, model, tmp_path / "x")
    assert not (tmp_path / "x").exists()


def test_charts_that_nobody_coded_are_warned_of(folder: Path, tmp_path: Path) -> None:
    notes = Corpus.open(folder / "corpus").iter_notes()
    Corpus.of(replace(note, read_by=()) for note in notes).write(tmp_path / "uncoded")
    answer("predict", folder / "model", folder / "corpus", tmp_path / "said", "--split", "test")
    words = ("report", tmp_path / "uncoded", tmp_path / "said", tmp_path / "page.html")
    assert "GOLD has no annotations on any of the 12 charts to evaluate" in refused(*words)


def test_codes_asked_for_do_not_make_the_ranking_better(folder: Path, tmp_path: Path) -> None:
    where = (folder / "model", folder / "corpus")
    for name, more in (("plain", ()), ("asked", ("--codes-of", "gold"))):
        answer("predict", *where, tmp_path / name, "--split", "test", "--ranked", "1", *more)
    gold = ("evaluate", "codes", folder / "corpus")
    plain, asked = (
        answer(*gold, tmp_path / name, "--split", "test") for name in ("plain", "asked")
    )
    for name in ("r_precision", "mean_average_precision", "micro_auc", "micro_f1"):
        assert plain[name] == asked[name]


def test_output_that_is_there_is_refused_before_the_work(folder: Path, tmp_path: Path) -> None:
    where = (folder / "model", folder / "corpus")
    for name, more in (("m", ("--format", "mdace")), ("a.jsonl", ())):
        words = ("predict", *where, tmp_path / name, "--split", "test", *more)
        answer(*words)
        assert "exists already" in refused(*words)
        answer(*words, "--overwrite")


def test_looking_at_models_does_not_load_torch() -> None:
    code = "import sys, auscult.models, auscult.cli.train; print('torch' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )
    assert done.stdout.strip() == "False"


def test_what_a_lexicon_points_at_is_what_it_goes_by(folder: Path) -> None:
    words = ("evaluate", "faithfulness", folder / "model", folder / "corpus")
    found = answer(*words)
    assert found["charts"] == 12
    # It knows a code by its phrase: without it nothing is left. With nothing else it misses the
    # words that always stand before one.
    assert found["comprehensiveness"]["value"] > 0.9
    assert 0 < found["sufficiency"]["value"] < 0.5
    assert answer(*words, "--max-charts", "3")["charts"] == 3
    assert "Did you mean test" in refused(*words, "--split", "tests")


def test_a_model_of_few_charts_does_not_give_every_code_to_every_chart(
    few: Path, tmp_path: Path
) -> None:
    """Its scores are nearly the same for all codes, and all of them low."""
    learned = ("train", few / "corpus", tmp_path / "linear", "--annotator", "inpatient")
    found = answer(*learned, "--model", "linear", "--set", "max_ngram=1")
    said = answer("predict", tmp_path / "linear", few / "corpus", tmp_path / "out")
    gold = answer("corpus", "info", few / "corpus")
    assert 0 < said["codes"] <= 2 * gold["annotations"]
    assert said["codes"] < found["codes"] * said["charts"] / 2
