"""Every kind of generator through one suite, on a small ward whose records decide the texts."""

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
from auscult.generators import GENERATORS
from auscult.generators.contract import TextDecoding
from auscult.generators.fitting import fit_generator, train_generator
from auscult.generators.generator import TextGenerator
from auscult.generators.synthetic_corpus import generate

PARTS = ("arm", "leg", "head", "back")
INJURIES = ("fracture", "laceration", "burn")
_NETWORK = {
    "threads": 1, "batch_size": 4, "epochs": 12, "patience": 12, "learning_rate": 1e-2,
    "hidden_size": 48,
    "min_steps": 0, "dropout": 0.0, "min_patients": 3, "variables": ("part", "injury"),
}  # fmt: skip
SMALL: dict[str, dict[str, Any]] = {
    "lstm": {**_NETWORK, "autoencoder_epochs": 5},
    "transformer": {
        **_NETWORK,
        "batch_size": 8,
        "hidden_size": 24,
        "num_heads": 2,
        "num_layers": 1,
    },
    "frequent": {"group_by": ("injury", "part")},
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


@pytest.fixture(scope="module", params=GENERATORS)
def generator(request: pytest.FixtureRequest, corpus: Corpus) -> TextGenerator:
    return fit_generator(corpus, request.param, SMALL.get(request.param))


def test_texts_say_what_the_records_say(generator: TextGenerator, corpus: Corpus) -> None:
    assert _left_unsaid(generator, corpus) == []


def test_a_record_that_is_shown_once_is_learned_too(corpus: Corpus) -> None:
    once = fit_generator(corpus, "lstm", {**SMALL["lstm"], "record_at": "once"})
    assert _left_unsaid(once, corpus) == []


def _left_unsaid(generator: TextGenerator, corpus: Corpus) -> list[str]:
    """What the test records say and the texts written from them do not."""
    test = pairs_of(corpus).of_split("test")
    texts = generator.write(test.records)
    return [
        row[name]
        for row, text in zip(test.records.iter_rows(named=True), texts, strict=True)
        for name in ("part", "injury")
        if row[name] not in text.split()
    ]


@pytest.mark.parametrize("way", ["greedy", "beam", "sample"])
def test_a_text_is_the_same_whatever_is_written_with_it(
    generator: TextGenerator, corpus: Corpus, way: Any
) -> None:
    records = pairs_of(corpus).of_split("test").records
    together = generator.write(records, TextDecoding(strategy=way), seed=3)
    assert generator.write(records, TextDecoding(strategy=way, batch_size=1), seed=3) == together
    assert generator.write(records, TextDecoding(strategy=way, batch_size=7), seed=3) == together
    if way != "sample":
        assert [
            generator.write(records[at : at + 1], TextDecoding(strategy=way))[0] for at in range(5)
        ] == (together[:5])


def test_saved_and_loaded_it_writes_the_same(
    generator: TextGenerator, corpus: Corpus, tmp_path: Path
) -> None:
    records = pairs_of(corpus).of_split("test").records
    generator.save(tmp_path / "generator")
    loaded = TextGenerator.load(tmp_path / "generator")
    assert loaded.write(records) == generator.write(records)
    assert loaded.about == generator.about
    names = {file.suffix for file in (tmp_path / "generator").rglob("*") if file.is_file()}
    assert not {".pkl", ".pickle", ".joblib", ".pt", ".bin"} & names


def test_what_it_never_saw_is_written_about_all_the_same(generator: TextGenerator) -> None:
    strange = pl.DataFrame(
        {"part": ["tail", None, "arm"], "injury": ["bite", None, "burn"], "age": [500.0, None, 3]}
    )
    texts = generator.write(strange)
    assert all(texts)
    assert "arm" in texts[2].split()
    assert generator.write(strange[:0]) == []


def test_the_same_seed_learns_the_same_whatever_the_test_records_say(
    generator: TextGenerator, corpus: Corpus
) -> None:
    assert corpus.records is not None
    changed = [
        note if note.split != "test" else Note(note.note_id, note.chart_id, note.subject_id,
                                               text="nothing like it", split="test")
        for note in corpus.iter_notes()
    ]  # fmt: skip
    other = Corpus.of(changed, records=corpus.records)
    again = fit_generator(other, generator.about.kind, SMALL.get(generator.about.kind))
    records = pairs_of(corpus).of_split("test").records
    assert again.write(records) == generator.write(records)


def test_what_is_missing_or_damaged_is_said(generator: TextGenerator, tmp_path: Path) -> None:
    with pytest.raises(AuscultError, match="The records lack part, injury"):
        generator.write(pl.DataFrame({"age": [3.0]}))
    place = tmp_path / "generator"
    generator.save(place)
    about = json.loads((place / "generator.json").read_text())
    (place / "generator.json").write_text(json.dumps({**about, "layout": 99}))
    with pytest.raises(AuscultError, match="saved by a newer Auscult"):
        TextGenerator.load(place)
    (place / "generator.json").write_text("{")
    with pytest.raises(AuscultError, match="damaged"):
        TextGenerator.load(place)
    (place / "generator.json").write_text(json.dumps(about))
    for file in place.iterdir():
        if file.name not in ("generator.json", ".lock"):
            file.write_bytes(b"")
    with pytest.raises(AuscultError, match="train again"):
        TextGenerator.load(place)


@pytest.mark.parametrize("kind", ["lstm", "transformer"])
def test_a_word_of_one_patient_is_never_written(kind: str, corpus: Corpus) -> None:
    learned = fit_generator(corpus, kind, {**SMALL[kind], "epochs": 2})
    records = pairs_of(corpus).records
    assert SECRET in " ".join(pairs_of(corpus).texts)
    for how in (
        TextDecoding(),
        TextDecoding(strategy="greedy"),
        TextDecoding(strategy="sample", temperature=5.0),
    ):
        written = " ".join(learned.write(records, how))
        assert SECRET not in written
        assert "4711" not in written


def test_it_is_said_when_much_can_never_be_written(corpus: Corpus) -> None:
    with pytest.warns(
        UserWarning,
        match=r"Only \d words occur in the texts of at least 60 patients. They make up \d\d% of",
    ):
        fit_generator(
            corpus, "transformer", {**SMALL["transformer"], "epochs": 1, "min_patients": 60}
        )


def test_a_synthetic_corpus_has_the_records_and_no_authentic_word(corpus: Corpus) -> None:
    generator = fit_generator(corpus, "frequent", SMALL["frequent"])
    test = corpus.select(splits=["test"])
    made = generate(generator, test)
    assert pairs_of(made).ids == pairs_of(test).ids
    assert {note.split for note in made.iter_notes()} == {"test"}
    assert test.records is not None
    assert made.records is not None
    assert made.records.equals(test.records)
    textless = Corpus.of(records=test.records)
    assert list(pairs_of(generate(generator, textless)).texts) == list(pairs_of(made).texts)
    with pytest.raises(CorpusError, match="has no records"):
        generate(generator, Corpus.of([Note("1", "1", text="x")]))


def test_what_is_wrong_is_said(corpus: Corpus, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"no generator 'lsmt'\. Did you mean lstm"):
        fit_generator(corpus, "lsmt")
    with pytest.raises(
        OptionError, match=r"no setting of the generator lstm 'epoch'\. Did you mean"
    ):
        fit_generator(corpus, "lstm", {"epoch": 3})
    with pytest.raises(OptionError, match="num_heads must divide hidden_size; got 4 and 30"):
        fit_generator(corpus, "transformer", {"hidden_size": 30})
    with pytest.raises(OptionError, match=r"no split 'tran'"):
        fit_generator(corpus, "nearest", train_split="tran")
    with pytest.raises(OptionError, match="cannot be both the training split and the dev split"):
        fit_generator(corpus, "nearest", dev_split="train")
    with pytest.raises(OptionError, match="needs the setting group_by"):
        fit_generator(corpus, "frequent")
    with pytest.raises(OptionError, match="no variable of the records 'parts'"):
        fit_generator(corpus, "nearest", {"variables": ("parts",)})
    with pytest.raises(AuscultError, match="No word occurs in the texts of at least 1000 patients"):
        fit_generator(corpus, "lstm", {"min_patients": 1000})
    with pytest.raises(AuscultError, match="records carry no information"):
        fit_generator(corpus, "nearest", {"min_frequency": 1000, "exclude": ("age",)})
    with pytest.raises(OptionError, match="is not a generator: there is no such directory"):
        TextGenerator.load(tmp_path / "nothing")


def test_texts_without_words_are_left_out_with_their_records(corpus: Corpus) -> None:
    assert corpus.records is not None
    notes = [
        Note(n.note_id, n.chart_id, n.subject_id, text="..." if n.note_id == "v1" else n.text,
             split=n.split)
        for n in corpus.iter_notes()
    ]  # fmt: skip
    with pytest.warns(UserWarning, match="1 text without a word"):
        generator = fit_generator(Corpus.of(notes, records=corpus.records), "nearest")
    assert generator.about.source.records == 139
    punctuated = [Note("1", "1", text="!"), Note("2", "2", text="?")]
    bare = Corpus.of(punctuated, records=pl.DataFrame({"record_id": ["1", "2"], "x": ["a", "a"]}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(AuscultError, match="preprocessing removed every word"):
            fit_generator(bare, "nearest", {"min_frequency": 1})


_TRAIN = """
import sys, time, torch
from pathlib import Path
from tests.contracts.test_generators import killed_training
step = torch.optim.AdamW.step
def wait(*given, **named):
    time.sleep(0.01)
    return step(*given, **named)
torch.optim.AdamW.step = wait
killed_training(Path(sys.argv[1]), sys.argv[2])
"""


def killed_training(folder: Path, kind: str) -> None:
    config = {**SMALL[kind], "epochs": 2, "checkpoint_seconds": 0.0}
    train_generator(ward(80), folder / "generator", kind, config)


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
    assert not (broken / "generator").exists(), "killed too late to show anything"
    assert list(broken.rglob("checkpoint.safetensors"))
    killed_training(broken, kind)
    one, other = (load_file(p / "generator" / "weights.safetensors") for p in (whole, broken))
    assert one.keys() == other.keys()
    assert all(torch.equal(value, other[name]) for name, value in one.items())
    assert [file.name for file in broken.iterdir()] == ["generator"]
