"""A small masked language model: it fills gaps with whole words that fit."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.models.neural.tiny import save_model

from auscult.audit import sensitivity
from auscult.audit.filters.context import ContextFilter
from auscult.audit.filters.contract import WordContext
from auscult.audit.mlm import MaskedModel
from auscult.audit.predictor import TextPredictor
from auscult.core import AuscultError, Code, Note, OptionError
from auscult.corpus.corpus import Chart
from auscult.models.pretraining import small
from auscult.models.pretraining.masking import WordMasking
from auscult.models.pretraining.small import SmallMlmConfiguration, train_mlm
from auscult.models.pretraining.token_store import TokenStore

FRUIT, TOOLS = ("apple", "pear", "plum", "grape"), ("hammer", "saw", "drill", "pliers")
SMALL = SmallMlmConfiguration(
    vocab_size=200,
    hidden_size=32,
    num_heads=2,
    num_layers=2,
    max_seq_length=8,
    batch_size=32,
    max_steps=400,
    learning_rate=3e-3,
)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    texts = [f"ate {fruit} and used {tool}" for fruit in FRUIT for tool in TOOLS]
    out = tmp_path_factory.mktemp("mlm") / "model"
    train_mlm(texts * 6, out, small=SMALL, seed=0)
    return out


def gap(text: str, word: str) -> WordContext:
    begin = text.index(word)
    return WordContext(Note("n", "c", text=text), begin, begin + len(word))


def test_what_fits_is_proposed_and_the_original_is_not(model: Path) -> None:
    loaded = MaskedModel.load(model, device="cpu")
    contexts = [
        gap("ate apple and used saw", "apple"),
        gap("ate Plum and used saw", "Plum"),
        gap("ate pear and used drill", "drill"),
    ]
    fruit, plum, tool = loaded.fills(contexts, 3)
    assert set(fruit) == set(FRUIT) - {"apple"}
    assert set(plum) == set(FRUIT) - {"plum"}
    assert set(tool) == set(TOOLS) - {"drill"}
    assert loaded.fills([], 3) == []


def test_long_notes_and_gaps_at_the_edges(model: Path) -> None:
    loaded = MaskedModel.load(model, device="cpu")
    long = "ate plum and used saw " * 400 + "ate apple"
    edge = WordContext(Note("n", "c", text=long), len(long) - 5, len(long))
    start = WordContext(Note("n", "c", text="apple and used saw"), 0, 5)
    alone = WordContext(Note("n", "c", text="apple"), 0, 5)
    found = loaded.fills([edge, start, alone], 2)
    assert all(len(words) == 2 for words in found)
    assert all("apple" not in words for words in found)


def test_the_same_seed_gives_the_same_model(tmp_path: Path) -> None:
    texts = [f"the {one}{other} of {other}{one}" for one in FRUIT for other in TOOLS]
    short = SmallMlmConfiguration(
        vocab_size=90,
        hidden_size=8,
        num_heads=1,
        num_layers=1,
        max_seq_length=8,
        batch_size=2,
        max_steps=3,
    )
    for name in ("one", "two"):
        train_mlm(texts, tmp_path / name, small=short, seed=1)
    for file in ("model.safetensors", "tokenizer.json"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()
    with pytest.raises(OptionError, match="exists already"):
        train_mlm(texts, tmp_path / "one", small=short)
    with pytest.raises(AuscultError, match="no text"):
        train_mlm(["", " "], tmp_path / "three", small=short)


def test_killed_it_goes_on_and_ends_with_the_same_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = SmallMlmConfiguration(
        vocab_size=90,
        hidden_size=8,
        num_heads=1,
        num_layers=1,
        max_seq_length=8,
        batch_size=2,
        max_steps=6,
        checkpoint_seconds=0,
    )
    texts = [f"ate {fruit} and used {tool}" for fruit in FRUIT for tool in TOOLS]
    train_mlm(texts, tmp_path / "whole", small=short, seed=1)
    asked = 0

    def dies(*given: Any) -> object:
        nonlocal asked
        asked += 1
        if asked == 4:
            [left] = tmp_path.rglob("tokens.u32")  # beside the model, as confidential as it
            assert left.parents[2] == tmp_path / ".cut.training"
            assert not list(temporary.iterdir())
            raise KeyboardInterrupt
        return masked(*given)

    masked = WordMasking.batch
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setattr(WordMasking, "batch", dies)
    with pytest.raises(KeyboardInterrupt):
        train_mlm(texts, tmp_path / "cut", small=short, seed=1)
    assert not (tmp_path / "cut").exists()
    monkeypatch.setattr(small, "write_tokens", None)  # it has been done
    train_mlm(texts, tmp_path / "cut", small=short, seed=1)
    assert asked == 4 + 3  # three steps were done, three were left
    weights = [(tmp_path / name / "model.safetensors").read_bytes() for name in ("whole", "cut")]
    assert weights[0] == weights[1]


def test_few_steps_take_texts_from_all_over_a_large_corpus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = SmallMlmConfiguration(
        vocab_size=90, hidden_size=8, num_heads=1, num_layers=1, max_seq_length=8, batch_size=4,
        max_steps=10,
    )  # fmt: skip
    taken: list[int] = []

    def noted(masking: WordMasking, store: TokenStore, places: Sequence[int]) -> object:
        taken.extend(places)
        return masked(masking, store, places)

    masked = WordMasking.batch
    monkeypatch.setattr(WordMasking, "batch", noted)
    texts = [f"ate {FRUIT[at % 4]} and used {TOOLS[at % 3]}" for at in range(400)]
    train_mlm(texts, tmp_path / "model", small=short)
    assert len(set(taken)) == 40
    assert {at // 100 for at in taken} == {0, 1, 2, 3}


def test_as_a_filter_all_places_are_asked_for_at_once(model: Path) -> None:
    calls = []

    class Counting(MaskedModel):
        def fills(self, contexts, number):  # type: ignore[no-untyped-def]  # as the parent's
            calls.append(len(contexts))
            return super().fills(contexts, number)

    counting = Counting.load(model, device="cpu")
    texts = [f"ate {fruit} and used saw" for fruit in FRUIT]
    charts = [Chart(f"{at}", (Note(f"{at}", f"{at}", text=t),), ()) for at, t in enumerate(texts)]
    found = sensitivity(
        TextPredictor(lambda text: 0.9 if "used" in text else 0.2), charts, Code("x", "y"),
        ["used", "ate"], [ContextFilter(counting, 2)],
    )  # fmt: skip
    assert calls == [8]
    assert found.of("used").score.value == pytest.approx(0.7)
    assert found.of("ate").score.value == 0.0
    assert found.table.filters == ("context",)


def test_what_is_no_masked_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="no directory"):
        MaskedModel.load(tmp_path / "nothing")
    encoder = save_model(tmp_path / "encoder")
    for without_head in (encoder, "minilm"):
        with pytest.raises(OptionError, match=r"no language-model head.*auscult pretrain"):
            MaskedModel.load(without_head)
