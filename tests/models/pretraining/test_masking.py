"""Whole words are masked, in the shares of the paper, and tokens are stored as they were."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tests.models.neural.tiny import tokenizer
from transformers import BertConfig, BertForMaskedLM, RobertaConfig, RobertaForMaskedLM

from auscult.models.pretraining.masked_network import MaskedNetwork
from auscult.models.pretraining.masking import MaskedBatch, WordMasking
from auscult.models.pretraining.token_store import TokenStore, write_tokens

PAD, UNK, CLS, SEP, MASK = range(5)
SPECIAL = np.arange(5)
CHARTS = [
    ["she was seen in clinic with hypertension", "and went home"],
    ["diabetes mellitus"],
    [" ".join(["hypertension mellitus clinic rain"] * 8)],
    ["", "日本"],
]


def stored(folder: Path, charts: list[list[str]], room: int = 10) -> TokenStore:
    write_tokens(charts, tokenizer(), folder / "store", room=room, separator=SEP, special=SPECIAL)
    return TokenStore.open(folder / "store")


def masking(probability: float = 0.15) -> WordMasking:
    size = tokenizer().get_vocab_size()
    return WordMasking(
        (CLS,), (SEP,), torch.arange(5), torch.arange(5, size), MASK, PAD, probability
    )


def test_chunks_are_the_tokens_of_a_chart_cut_between_words(tmp_path: Path) -> None:
    store = stored(tmp_path, CHARTS)
    pieces = tokenizer()
    found = [
        pieces.decode(store.chunk(at)[0].tolist(), skip_special_tokens=False)
        for at in range(len(store))
    ]
    # Chunks have room for ten tokens. "clinic", "mellitus" and "hypertension" are two each.
    assert found[:3] == [
        "she was seen in clinic with", "hypertension [SEP] and went home", "diabetes mellitus",
    ]  # fmt: skip
    assert " ".join(found[3:]) == CHARTS[2][0]
    assert store.lengths.tolist() == [9, 6, 3, 9, 9, 10, 9, 9, 10]
    begins = store.chunk(0)[1]
    assert begins.tolist() == [True, False, False, True, True, True, True, False, True]
    assert store.charts == len(CHARTS)
    assert isinstance(store.tokens, np.memmap)


def test_a_chunk_never_has_tokens_of_two_charts_nor_only_unknown_ones(tmp_path: Path) -> None:
    store = stored(tmp_path, [["rain"], ["home"], ["日本"], ["her", "son"]])
    found = [store.chunk(at)[0].tolist() for at in range(len(store))]
    known = tokenizer().token_to_id
    assert found == [
        [known("rain")], [known("home")], [known("her"), SEP, known("son")],
    ]  # fmt: skip


def test_words_are_masked_whole_in_the_shares_of_the_paper(tmp_path: Path) -> None:
    store = stored(tmp_path, [["she was seen, with hypertension. " * 40]] * 40, room=60)
    torch.manual_seed(0)
    batches = [masking().batch(store, [at]) for at in range(len(store))]
    originals = [torch.tensor([CLS, *store.chunk(at)[0], SEP]) for at in range(len(store))]
    hidden = torch.cat([batch.hidden[0] for batch in batches])
    original = torch.cat(originals)
    given = torch.cat([batch.ids[0] for batch in batches])
    begins = torch.cat(
        [torch.tensor([True, *store.chunk(at)[1], True]) for at in range(len(store))]
    )
    assert (given[~hidden] == original[~hidden]).all()
    assert not hidden[(original == CLS) | (original == SEP)].any()
    inside = ~begins  # of a word: hidden if and only if the token before is
    assert (hidden[1:] == hidden[:-1])[inside[1:]].all()
    assert 0.13 < hidden.float().mean() < 0.17
    became = given[hidden]
    is_mask = (became == MASK).float().mean()
    stays = (became == original[hidden]).float().mean()
    assert abs(is_mask - 0.8) < 0.03
    assert abs(stays - 0.1) < 0.03
    assert (became[became != MASK] > MASK).all()
    assert torch.equal(torch.cat([batch.labels for batch in batches]), original[hidden])


def test_a_word_of_every_chunk_is_masked_and_never_padding(tmp_path: Path) -> None:
    store = stored(tmp_path, [["rain"], ["she was seen in clinic"], ["her son"]])
    batch = masking(1e-9).batch(store, range(3))
    assert batch.hidden.any(1).all()
    assert not (batch.hidden & ~batch.mask).any()
    assert batch.mask.sum(1).tolist() == [3, 10, 4]


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_the_loss_is_that_of_transformers(tmp_path: Path, kind: str) -> None:
    """Though only the hidden places go through the head."""
    sizes: dict[str, Any] = {
        "vocab_size": tokenizer().get_vocab_size(), "hidden_size": 16, "num_hidden_layers": 2,
        "num_attention_heads": 2, "intermediate_size": 32, "max_position_embeddings": 40,
        "pad_token_id": PAD,
    }  # fmt: skip
    torch.manual_seed(0)
    model: Any = (
        BertForMaskedLM(BertConfig(**sizes))
        if kind == "bert"
        else RobertaForMaskedLM(RobertaConfig(**sizes))
    )
    model.eval()
    network = MaskedNetwork(model)
    assert network._head == {"bert": "cls", "roberta": "lm_head"}[kind]
    batch = masking().batch(stored(tmp_path, CHARTS), range(9))
    labels = torch.full(batch.ids.shape, -100).masked_scatter(batch.hidden, batch.labels)
    theirs = model(input_ids=batch.ids, attention_mask=batch.mask.long(), labels=labels).loss
    assert network(batch).item() == pytest.approx(theirs.item(), rel=1e-5)
    network._head = None  # the way of other architectures
    assert network(batch).item() == pytest.approx(theirs.item(), rel=1e-5)


def test_a_batch_moves_as_a_whole(tmp_path: Path) -> None:
    batch = masking().batch(stored(tmp_path, CHARTS), [0, 1])
    moved = batch.to(torch.device("cpu"))
    assert isinstance(moved, MaskedBatch)
    assert torch.equal(moved.labels, batch.labels)
