"""A BERT of two layers and a tokenizer that knows a few dozen pieces, made on the spot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from tests.models.neural.conftest import FILLERS, SIGNS
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

Fast: Any = PreTrainedTokenizerFast
Bert: Any = BertModel
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
# "hypertension", "mellitus" and "clinic" are two pieces each.
BROKEN = ("hyper", "##tension", "mel", "##litus", "cli", "##nic")
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789.,:;/-()"


def tokenizer() -> Tokenizer:
    whole = {*FILLERS, *(word for sign in SIGNS for word in sign)}
    whole -= {"hypertension", "mellitus", "clinic"}
    known = (*SPECIAL, *BROKEN, *sorted(whole), *LETTERS, *(f"##{letter}" for letter in LETTERS))
    vocabulary = {piece: at for at, piece in enumerate(dict.fromkeys(known))}
    made = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    # The word "qq" is dropped, as some tokenizers drop characters they do not know.
    made.normalizer = normalizers.Sequence(
        [normalizers.Replace("qq", ""), normalizers.BertNormalizer(lowercase=True)]
    )
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return made


def save_model(folder: Path, *, positions: int = 32) -> Path:
    """Write a model as the hub would have it into a folder."""
    pieces = tokenizer()
    names = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
    fast = Fast(tokenizer_object=pieces, **dict(zip(names, SPECIAL, strict=True)))
    fast.save_pretrained(str(folder))
    with torch.random.fork_rng([]):
        torch.manual_seed(0)
        Bert(
            BertConfig(
                vocab_size=pieces.get_vocab_size(), hidden_size=32, num_hidden_layers=2,
                num_attention_heads=2, intermediate_size=64, max_position_embeddings=positions,
                hidden_dropout_prob=0.1, attention_probs_dropout_prob=0.0,
            )
        ).save_pretrained(str(folder))  # fmt: skip
    return folder
