"""Every kind of writer through one suite, on a small ward whose records decide the texts."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import torch
from safetensors.torch import load_file

from auscult.core import AuscultError, CorpusError, Note, OptionError
from auscult.corpus import Corpus
from auscult.corpus.records import pairs_of
from auscult.writers import WRITERS
from auscult.writers.contract import Decoding
from auscult.writers.fitting import fit, train
from auscult.writers.generating import generate
from auscult.writers.writer import Writer

PARTS = ("arm", "leg", "head", "back")
INJURIES = ("fracture", "laceration", "burn")
_NETWORK = {
    "threads": 1, "batch": 4, "epochs": 12, "patience": 12, "learning_rate": 1e-2, "width": 48,
    "least_steps": 0, "dropout": 0.0, "least_patients": 3, "variables": ("part", "injury"),
}  # fmt: skip
SMALL: dict[str, dict[str, Any]] = {
    "lstm": {**_NETWORK, "autoencoder_epochs": 5},
    "transformer": {**_NETWORK, "batch": 8, "width": 24, "heads": 2, "layers": 1},
    "frequent": {"same": ("injury", "part")},
    "nearest": {"variables": ("part", "injury")},
}
SECRET = "qbadaka"


def ward(size: int = 200, *, seed: int = 0) -> Corpus:
    """Visits whose text names the injury and the part; one patient's has a secret."""
    dice = random.Random(seed)
    notes, rows = [], []
    for number in range(size):
        split = "train" if number < 0.7 * size else "dev" if number < 0.85 * size else "test"
        part, injury = dice.choice(PARTS), dice.choice(INJURIES)
        text = f"{dice.choice(('Pt with', 'has'))} {injury} of {part}"
        if number == 5:
            text += f" {SECRET} 4711"
        notes.append(Note(f"v{number}", f"v{number}", f"p{number}", text=text, split=split))
        rows.append({"record_id": f"v{number}", "chart_id": f"v{number}", "part": part,
                     "injury": injury, "age": float(dice.randrange(90))})  # fmt: skip
    return Corpus.of(notes, records=pl.DataFrame(rows))


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return ward()


@pytest.fixture(scope="module", params=WRITERS)
def writer(request: pytest.FixtureRequest, corpus: Corpus) -> Writer:
    return fit(corpus, request.param, SMALL.get(request.param))


def test_texts_say_what_the_records_say(writer: Writer, corpus: Corpus) -> None:
    assert _left_unsaid(writer, corpus) == []


def test_a_record_that_is_shown_once_is_learnt_too(corpus: Corpus) -> None:
    once = fit(corpus, "lstm", {**SMALL["lstm"], "record_at": "once"})
    assert _left_unsaid(once, corpus) == []


def _left_unsaid(writer: Writer, corpus: Corpus) -> list[str]:
    """What the test records say and the texts written from them do not."""
    test = pairs_of(corpus).of_split("test")
    texts = writer.write(test.records)
    return [
        row[name]
        for row, text in zip(test.records.iter_rows(named=True), texts, strict=True)
        for name in ("part", "injury")
        if row[name] not in text.split()
    ]


@pytest.mark.parametrize("way", ["greedy", "beam", "sample"])
def test_a_text_is_the_same_whatever_is_written_with_it(
    writer: Writer, corpus: Corpus, way: Any
) -> None:
    records = pairs_of(corpus).of_split("test").records
    together = writer.write(records, Decoding(way=way), seed=3)
    assert writer.write(records, Decoding(way=way, batch=1), seed=3) == together
    assert writer.write(records, Decoding(way=way, batch=7), seed=3) == together
    if way != "sample":
        assert [writer.write(records[at : at + 1], Decoding(way=way))[0] for at in range(5)] == (
            together[:5]
        )


def test_saved_and_loaded_it_writes_the_same(
    writer: Writer, corpus: Corpus, tmp_path: Path
) -> None:
    records = pairs_of(corpus).of_split("test").records
    writer.save(tmp_path / "writer")
    loaded = Writer.load(tmp_path / "writer")
    assert loaded.write(records) == writer.write(records)
    assert loaded.about == writer.about
    names = {file.suffix for file in (tmp_path / "writer").rglob("*") if file.is_file()}
    assert not {".pkl", ".pickle", ".joblib", ".pt", ".bin"} & names


def test_what_it_never_saw_is_written_about_all_the_same(writer: Writer) -> None:
    strange = pl.DataFrame(
        {"part": ["tail", None, "arm"], "injury": ["bite", None, "burn"], "age": [500.0, None, 3]}
    )
    texts = writer.write(strange)
    assert all(texts)
    assert "arm" in texts[2].split()
    assert writer.write(strange[:0]) == []


def test_the_same_seed_learns_the_same_whatever_the_test_records_say(
    writer: Writer, corpus: Corpus
) -> None:
    assert corpus.records is not None
    changed = [
        note if note.split != "test" else Note(note.note_id, note.chart_id, note.subject_id,
                                               text="nothing like it", split="test")
        for note in corpus.iter_notes()
    ]  # fmt: skip
    other = Corpus.of(changed, records=corpus.records.collect())
    again = fit(other, writer.about.kind, SMALL.get(writer.about.kind))
    records = pairs_of(corpus).of_split("test").records
    assert again.write(records) == writer.write(records)


def test_what_is_missing_or_damaged_is_said(writer: Writer, tmp_path: Path) -> None:
    with pytest.raises(AuscultError, match="The records lack part, injury"):
        writer.write(pl.DataFrame({"age": [3.0]}))
    place = tmp_path / "writer"
    writer.save(place)
    about = json.loads((place / "writer.json").read_text())
    (place / "writer.json").write_text(json.dumps({**about, "layout": 99}))
    with pytest.raises(AuscultError, match="saved by a newer Auscult"):
        Writer.load(place)
    (place / "writer.json").write_text("{")
    with pytest.raises(AuscultError, match="damaged"):
        Writer.load(place)
    (place / "writer.json").write_text(json.dumps(about))
    for file in place.iterdir():
        if file.name not in ("writer.json", ".lock"):
            file.write_bytes(b"")
    with pytest.raises(AuscultError, match="train again"):
        Writer.load(place)


@pytest.mark.parametrize("kind", ["lstm", "transformer"])
def test_a_word_of_one_patient_is_never_written(kind: str, corpus: Corpus) -> None:
    learnt = fit(corpus, kind, {**SMALL[kind], "epochs": 2})
    records = pairs_of(corpus).records
    assert SECRET in " ".join(pairs_of(corpus).texts)
    for how in (Decoding(), Decoding(way="greedy"), Decoding(way="sample", temperature=5.0)):
        written = " ".join(learnt.write(records, how))
        assert SECRET not in written
        assert "4711" not in written


def test_it_is_said_when_much_can_never_be_written(corpus: Corpus) -> None:
    with pytest.warns(UserWarning, match=r"Only \d words are shared by 60 patients, \d\d% of what"):
        fit(corpus, "transformer", {**SMALL["transformer"], "epochs": 1, "least_patients": 60})


def test_a_synthetic_corpus_has_the_records_and_no_authentic_word(corpus: Corpus) -> None:
    writer = fit(corpus, "frequent", SMALL["frequent"])
    test = corpus.select(splits=["test"])
    made = generate(writer, test)
    assert pairs_of(made).ids == pairs_of(test).ids
    assert {note.split for note in made.iter_notes()} == {"test"}
    assert test.records is not None
    assert made.records is not None
    assert made.records.collect().equals(test.records.collect())
    textless = Corpus.of(records=test.records.collect())
    assert list(pairs_of(generate(writer, textless)).texts) == list(pairs_of(made).texts)
    with pytest.raises(CorpusError, match="has no records"):
        generate(writer, Corpus.of([Note("1", "1", text="x")]))


def test_what_is_wrong_is_said(corpus: Corpus, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"no writer 'lsmt'\. Did you mean lstm"):
        fit(corpus, "lsmt")
    with pytest.raises(OptionError, match=r"no setting of the writer lstm 'epoch'\. Did you mean"):
        fit(corpus, "lstm", {"epoch": 3})
    with pytest.raises(OptionError, match="4 heads cannot share a width of 30"):
        fit(corpus, "transformer", {"width": 30})
    with pytest.raises(OptionError, match=r"no split 'tran'"):
        fit(corpus, "nearest", train="tran")
    with pytest.raises(OptionError, match="cannot both teach and judge"):
        fit(corpus, "nearest", dev="train")
    with pytest.raises(OptionError, match="needs the setting same"):
        fit(corpus, "frequent")
    with pytest.raises(OptionError, match="no variable of the records 'parts'"):
        fit(corpus, "nearest", {"variables": ("parts",)})
    with pytest.raises(AuscultError, match="No word is in the texts of 1000 patients"):
        fit(corpus, "lstm", {"least_patients": 1000})
    with pytest.raises(AuscultError, match="records tell nothing"):
        fit(corpus, "nearest", {"least_records": 1000, "leave_out": ("age",)})
    with pytest.raises(OptionError, match="is not a writer: there is no such directory"):
        Writer.load(tmp_path / "nothing")


def test_texts_without_words_are_left_out_with_their_records(corpus: Corpus) -> None:
    assert corpus.records is not None
    notes = [
        Note(n.note_id, n.chart_id, n.subject_id, text="..." if n.note_id == "v1" else n.text,
             split=n.split)
        for n in corpus.iter_notes()
    ]  # fmt: skip
    with pytest.warns(UserWarning, match="1 text without a word"):
        writer = fit(Corpus.of(notes, records=corpus.records.collect()), "nearest")
    assert writer.about.source.records == 139
    punctuated = [Note("1", "1", text="!"), Note("2", "2", text="?")]
    bare = Corpus.of(punctuated, records=pl.DataFrame({"record_id": ["1", "2"], "x": ["a", "a"]}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(AuscultError, match="cleaning left no words"):
            fit(bare, "nearest", {"least_records": 1})


_TRAIN = """
import sys, time, torch
from pathlib import Path
from tests.contracts.test_writers import killed_training
step = torch.optim.AdamW.step
def wait(*given, **named):
    time.sleep(0.01)
    return step(*given, **named)
torch.optim.AdamW.step = wait
killed_training(Path(sys.argv[1]), sys.argv[2])
"""


def killed_training(folder: Path, kind: str) -> None:
    config = {**SMALL[kind], "epochs": 2, "checkpoint_seconds": 0.0}
    train(ward(80), folder / "writer", kind, config)


@pytest.mark.parametrize("kind", ["lstm", "transformer"])
def test_killed_and_resumed_it_ends_with_the_same_weights(kind: str, tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    for place in (whole, broken):
        place.mkdir()
    killed_training(whole, kind)
    root = Path(__file__).parents[2]
    process = subprocess.Popen([sys.executable, "-c", _TRAIN, str(broken), kind], cwd=root)
    while process.poll() is None and not list(broken.rglob("checkpoint.safetensors")):
        time.sleep(0.005)
    time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (broken / "writer").exists(), "killed too late to show anything"
    assert list(broken.rglob("checkpoint.safetensors"))
    killed_training(broken, kind)
    one, other = (load_file(p / "writer" / "weights.safetensors") for p in (whole, broken))
    assert one.keys() == other.keys()
    assert all(torch.equal(value, other[name]) for name, value in one.items())
    assert [file.name for file in broken.iterdir()] == ["writer"]
