"""Pretraining makes a model folder that predicts words better, and resumes after a kill."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import torch
from click.testing import CliRunner
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from tests.models.neural.conftest import make_charts
from tests.models.neural.tiny import save_model
from transformers import AutoModelForMaskedLM, AutoTokenizer, GPT2Config, GPT2LMHeadModel

import auscult
from auscult.audit.filters.contract import WordContext
from auscult.audit.mlm import MaskedModel
from auscult.cli.main import auscult as command
from auscult.core import AuscultError, Code, Note, OptionError
from auscult.corpus import Corpus
from auscult.learning.checkpoint_directory import checkpointed
from auscult.models.pretraining import estimating, run
from auscult.models.pretraining.pretrain import estimate_pretraining

SMALL: dict[str, Any] = {
    "chunk_size": 16, "batch_size": 8, "epochs": 15, "patience": 15, "learning_rate": 1e-2,
    "threads": 1,
}  # fmt: skip
KILLED = {**SMALL, "epochs": 3, "checkpoint_seconds": 0.0}
SLOW = 0.05
"""Seconds that each step of the process that is killed takes at least."""
_ROOT = Path(__file__).parents[3]
_PRETRAIN = """
import sys
from pathlib import Path
from tests.models.pretraining.test_pretrain import pretrain_slowly
pretrain_slowly(Path(sys.argv[1]))
"""


def corpus(test_text: str = "rain", *, splits: bool = True) -> Corpus:
    """Notes of ever the same phrases, which can be learned."""
    notes = [
        Note(
            f"n{at}", f"c{at}", f"p{at // 2}",
            text="she was seen in clinic with severe hypertension and went home with her son "
            * (1 + at % 3) if split != "test" else test_text,
            split=split if splits else None,
        )
        for at, split in enumerate([*["train"] * 40, *["dev"] * 6, *["test"] * 4])
    ]  # fmt: skip
    return Corpus.of(notes)


def pretrain_slowly(folder: Path) -> None:
    """As the test that kills it needs it."""
    step = torch.optim.AdamW.step

    def wait(*given: Any, **named: Any) -> Any:
        time.sleep(SLOW)
        return step(*given, **named)

    torch.optim.AdamW.step = wait  # type: ignore[method-assign]  # only in this process
    auscult.pretrain(corpus(), folder / "out", str(folder / "tiny"), KILLED, seed=3)


def lengthened(checkpoint: Path, seconds: float) -> float:
    """Let a checkpoint say that it took so much longer; returns what it said."""
    tensors = load_file(checkpoint)
    opened: Any = safe_open(str(checkpoint), framework="pt")
    with opened as handle:
        about = handle.metadata()
    state = json.loads(about["state"])
    before: float = state["seconds"]
    about["state"] = json.dumps({**state, "seconds": before + seconds})
    save_file(tensors, checkpoint, about)
    return before


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_model(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def made(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("made") / "encoder"
    auscult.pretrain(corpus(), out, str(tiny), SMALL)
    return out


def test_what_was_learned_is_in_a_folder_that_transformers_loads(made: Path) -> None:
    card = json.loads((made / "pretraining.json").read_text())
    assert card["perplexity_before"] > 20
    assert card["perplexity_after"] < 2  # the notes always go on in the same way
    tokenizer: Any = AutoTokenizer.from_pretrained(str(made))
    model: Any = AutoModelForMaskedLM.from_pretrained(str(made))
    assert model.get_output_embeddings().weight is model.get_input_embeddings().weight
    for word in ("was", "seen", "clinic", "severe"):
        text = "she was seen in clinic with severe hypertension"
        pieces = tokenizer(word, add_special_tokens=False)["input_ids"]
        gap = " ".join([tokenizer.mask_token] * len(pieces))
        given = tokenizer(text.replace(word, gap), return_tensors="pt")
        hidden = given["input_ids"][0] == tokenizer.mask_token_id
        assert model(**given).logits[0][hidden].argmax(-1).tolist() == pieces


def test_the_card_tells_where_it_comes_from_and_that_it_is_confidential(
    made: Path, tiny: Path
) -> None:
    card = json.loads((made / "pretraining.json").read_text())
    assert card["started_from"]["name"] == str(tiny)
    assert card["new_head"] is True
    assert card["corpus"]["digest"] == corpus().content_digest
    assert (card["charts"], card["dev_charts"]) == (40, 6)
    readme = (made / "README.md").read_text()
    assert "memorize" in readme
    assert "confidential" in readme
    assert card["started_from"]["digest"] in readme


def test_it_is_an_encoder_and_a_context_filter(made: Path, tmp_path: Path) -> None:
    charts = make_charts(24)
    notes = [Note(at.chart_id, at.chart_id, text=at.text.notes[0].text) for at in charts]
    codes = [auscult.Annotation("coder", Code("ICD-10-CM", "I10"), n.chart_id) for n in notes[:9]]
    settings = {"encoder": str(made), "epochs": 1, "threads": 1, "charts": "all"}
    model = auscult.fit(Corpus.of(notes, codes), "transformer", settings, dev_split="none")
    model.save(tmp_path / "model")
    told = json.loads((tmp_path / "model" / "encoder.json").read_text())
    assert (told["name"], told["license"]) == (str(made), "other")
    assert "memorize" in (tmp_path / "model" / "encoder-card.md").read_text()
    note = Note("n", "c", text="she was rain in clinic with severe hypertension")
    begin = (note.text or "").index("rain")
    masked = MaskedModel.load(made, device="cpu")
    assert masked.fills([WordContext(note, begin, begin + 4)], 1) == [["seen"]]
    # It may not evaluate what was fine-tuned from it, wherever either of them is now.
    shutil.copytree(made, tmp_path / "copied")
    Corpus.of(notes, codes).write(tmp_path / "corpus")
    refused = CliRunner().invoke(
        command,
        ["audit", "sensitivity", str(tmp_path / "model"), str(tmp_path / "corpus"),
         str(tmp_path / "audit"), "--code", "ICD-10-CM", "I10", "--frequent", "1",
         "--split", "all", "--mlm", str(tmp_path / "copied")],
    )  # fmt: skip
    assert isinstance(refused.exception, OptionError)
    assert "was fine-tuned from this language model" in str(refused.exception)
    # Nor may what it was made from be overwritten as if it were another of its kind.
    with pytest.raises(OptionError, match="not a pretrained encoder"):
        auscult.pretrain(corpus(), tmp_path / "model", str(made), SMALL, overwrite=True)
    assert auscult.load_model(tmp_path / "model")


def test_trained_again_it_keeps_its_head(made: Path, tmp_path: Path) -> None:
    again = auscult.pretrain(corpus(), tmp_path / "again", str(made), {**SMALL, "epochs": 1})
    assert not again.card.new_head
    first = json.loads((made / "pretraining.json").read_text())
    assert again.card.perplexity_before == pytest.approx(first["perplexity_after"], rel=1e-4)


def test_test_notes_and_held_out_patients_change_nothing(tiny: Path, tmp_path: Path) -> None:
    settings = {**SMALL, "epochs": 1}
    weights = []
    for at, text in enumerate(("rain", "her son was in rain")):
        auscult.pretrain(corpus(text), tmp_path / f"{at}", str(tiny), settings)
        weights.append((tmp_path / f"{at}" / "model.safetensors").read_bytes())
    assert weights[0] == weights[1]
    # Without a dev split, a tenth of the patients, whose two charts each go with them.
    whole = corpus().select(splits=["train"])
    held = auscult.pretrain(whole, tmp_path / "held", str(tiny), settings).card
    assert (held.charts, held.dev_charts, held.corpus.dev) == (36, 4, "held-out patients")
    none = auscult.pretrain(whole, tmp_path / "none", str(tiny), settings, dev_split="none").card
    assert (none.charts, none.dev_charts, none.perplexity_after) == (40, 0, None)
    with pytest.warns(UserWarning, match="no splits"):
        every = auscult.pretrain(corpus(splits=False), tmp_path / "all", str(tiny), settings).card
    assert every.charts + every.dev_charts == 50


def test_killed_and_run_again_it_ends_with_the_same_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_model(tmp_path / "tiny")
    save_model(tmp_path / "whole" / "tiny")
    whole = tmp_path / "whole"
    steps = 0

    def counted(*given: Any, **named: Any) -> Any:
        nonlocal steps
        steps += 1
        return take(*given, **named)

    take = torch.optim.AdamW.step
    monkeypatch.setattr(torch.optim.AdamW, "step", counted)
    auscult.pretrain(corpus(), whole / "out", str(whole / "tiny"), KILLED, seed=3)
    every, steps = steps, 0
    child = subprocess.Popen([sys.executable, "-c", _PRETRAIN, str(tmp_path)], cwd=_ROOT)
    for _ in range(1200):
        if list(tmp_path.glob(".out.training/*/checkpoint.safetensors")):
            break
        time.sleep(0.05)
    time.sleep(0.3)
    child.send_signal(signal.SIGKILL)
    assert child.wait() == -signal.SIGKILL
    assert not (tmp_path / "out").exists()
    [kept] = tmp_path.glob(".out.training/*")
    tokens = (kept / "training" / "tokens.u32").stat().st_mtime_ns
    with checkpointed(tmp_path / "other", []):  # another run beside it is left alone
        pass
    assert (kept / "training" / "tokens.u32").stat().st_mtime_ns == tokens
    first = lengthened(kept / "checkpoint.safetensors", 1000)
    monkeypatch.setattr(run, "write_tokens", None)  # it has been done
    made = auscult.pretrain(corpus(), tmp_path / "out", str(tmp_path / "tiny"), KILLED, seed=3)
    assert 0 < steps < every
    assert first >= SLOW * (every - steps)
    assert made.card.seconds > first + 1000  # the first process counts too
    one, other = (load_file(f / "out" / "model.safetensors") for f in (whole, tmp_path))
    assert one.keys() == other.keys()
    assert all(torch.equal(one[name], other[name]) for name in one)
    assert not list(tmp_path.glob(".out.training"))


def test_an_estimate_writes_nothing(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "write_tokens", None)  # notes' tokens are in no file
    corpus().write(tmp_path / "corpus")
    before = sorted(tmp_path.rglob("*"))
    found = CliRunner().invoke(
        command,
        ["pretrain", str(tmp_path / "corpus"), str(tmp_path / "out"), "--encoder", str(tiny),
         "--chunk-size", "16", "--set", "batch_size=8", "--estimate", "--json"],
    )  # fmt: skip
    assert found.exit_code == 0, found.output
    # 40 charts of 18, 36 or 54 tokens, in chunks of 14 between [CLS] and [SEP].
    estimate = estimate_pretraining(corpus(), str(tiny), SMALL)
    assert json.loads(found.stdout)["estimate"]["steps"] == estimate.steps
    assert estimate.steps > 10
    assert sorted(tmp_path.rglob("*")) == before
    # Of some charts, it is scaled to all of them.
    monkeypatch.setattr(estimating, "_CHARTS", 12)
    some = estimate_pretraining(corpus(), str(tiny), SMALL)
    assert some.steps == pytest.approx(estimate.steps, rel=0.15)


def test_the_command_tells_what_it_did(tiny: Path, tmp_path: Path) -> None:
    corpus().write(tmp_path / "corpus")
    asked = ["pretrain", str(tmp_path / "corpus"), str(tmp_path / "out"), "--encoder", str(tiny),
             "--chunk-size", "16", "--set", "epochs=1"]  # fmt: skip
    done = CliRunner().invoke(command, asked)
    assert done.exit_code == 0, done.output
    assert "A new head" in done.output
    assert "before" in done.output
    again = CliRunner().invoke(command, asked)
    assert isinstance(again.exception, OptionError)
    assert "exists already" in str(again.exception)
    found = CliRunner().invoke(command, [*asked, "--overwrite", "--json"])
    told = json.loads(found.stdout)
    assert told["new_head"] is True
    assert told["perplexity_after"] < told["perplexity_before"]


def test_what_cannot_be_pretrained_is_told_in_a_sentence(tiny: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(OptionError, match="takes at most 32 tokens"):
        auscult.pretrain(corpus(), out, str(tiny), {"chunk_size": 64})
    with pytest.raises(OptionError, match="no directory"):
        auscult.pretrain(corpus(), out, str(tmp_path / "nothing"))
    with pytest.raises(OptionError, match="no setting"):
        auscult.pretrain(corpus(), out, str(tiny), {"chunks": 64})
    empty = Corpus.of([Note(str(at), str(at), text=" ", split="train") for at in range(3)])
    with pytest.raises(AuscultError, match="no text"):
        auscult.pretrain(empty, out, str(tiny), dev_split="none")
    decoder = tmp_path / "decoder"
    GPT2LMHeadModel(
        GPT2Config(vocab_size=9, n_embd=4, n_layer=1, n_head=1, n_positions=16)
    ).save_pretrained(str(decoder))
    with pytest.raises(OptionError, match="is not an encoder"):
        auscult.pretrain(corpus(), out, str(decoder))
    without = save_model(tmp_path / "without")
    weights = load_file(without / "model.safetensors")
    weights.pop("encoder.layer.1.output.dense.weight")
    save_file(weights, without / "model.safetensors", {"format": "pt"})
    with pytest.raises(AuscultError, match="lacks weights"):
        auscult.pretrain(corpus(), out, str(without))
    assert not out.exists()
