"""A small masked language model, trained on the notes at hand."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from torch import Tensor, nn
from torch.nn import functional
from transformers import BertConfig, BertForMaskedLM, PreTrainedTokenizerFast

from auscult.coders.neural.pretrained import quiet
from auscult.core import AuscultError, OptionError
from auscult.core.storage import drafted
from auscult.learning.checkpoint import FILE, Checkpoint
from auscult.learning.devices import own_dice, throw
from auscult.learning.source import checkpointed
from auscult.learning.training import TrainingConfiguration, train

_Model: Any = BertForMaskedLM
_Fast: Any = PreTrainedTokenizerFast
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_MASKED = 0.15
_NOT_HIDDEN = -100
_LETTERS = 1_000
"""Letters that can be spelt with; whatever alphabets the notes have, most are never seen."""


@dataclass(frozen=True, slots=True)
class Small:
    """What a small model is like, and how long it learns."""

    pieces: int = 8_000
    size: int = 128
    layers: int = 2
    heads: int = 4
    window: int = 96
    batch: int = 32
    steps: int = 1_500
    learning_rate: float = 1e-3
    threads: int = 1
    checkpoint_seconds: float = 60.0


@dataclass(frozen=True, slots=True, eq=False)
class Windows:
    """Pieces of text with some hidden, and what is hidden there."""

    pieces: Tensor  # (B, T)
    hidden: Tensor  # (B, T), −100 where nothing is

    def to(self, device: torch.device) -> Windows:
        """The same on another device."""
        return Windows(self.pieces.to(device), self.hidden.to(device))


class _Learner(nn.Module):
    """The model, with its loss as what it says of a batch."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, batch: Windows) -> Tensor:
        logits = self.model(input_ids=batch.pieces).logits
        return functional.cross_entropy(
            logits.flatten(0, 1), batch.hidden.flatten(), ignore_index=_NOT_HIDDEN
        )


def train_mlm(
    texts: Iterable[str], out: Path, *, small: Small | None = None, seed: int = 0
) -> None:
    """Train a small masked language model on texts, and save it as Hugging Face has it.

    Interrupted, the same call goes on where it stopped.
    """
    small = small or Small()
    kept = [text for text in texts if text.strip()]
    if not kept:
        raise AuscultError("There is no text to train a language model on.")
    if out.exists():
        raise OptionError(f"{out} exists already. Choose another name.")
    tokenizer = _learn_pieces(kept, small.pieces)
    stream = np.concatenate([np.array(e.ids, np.int64) for e in tokenizer.encode_batch(kept)])
    read = hashlib.sha256(stream.tobytes()).hexdigest()
    asked = [str(small), seed, read]
    with checkpointed(out, asked) as directory:
        with own_dice(torch.device("cpu")):
            throw(seed, "start")
            learner = _Learner(_new_model(tokenizer.get_vocab_size(), small))
        special = [_id(tokenizer, name) for name in _SPECIAL]
        train(
            learner,
            [small.window] * (small.steps * small.batch),
            lambda places: _masked(stream, len(places), small.window, special),
            TrainingConfiguration(
                batch=small.batch,
                epochs=1,
                learning_rate=small.learning_rate,
                warmup=min(0.5, 50 / small.steps),
                device="cpu",
                threads=small.threads,
                checkpoint_seconds=small.checkpoint_seconds,
            ),
            seed=seed,
            checkpoint=Checkpoint(directory / FILE, repr(asked)),
        )
        with drafted(out) as draft:
            _save(learner.model, tokenizer, draft)


def _new_model(pieces: int, small: Small) -> Any:
    return _Model(
        BertConfig(
            vocab_size=pieces,
            hidden_size=small.size,
            num_hidden_layers=small.layers,
            num_attention_heads=small.heads,
            intermediate_size=4 * small.size,
            max_position_embeddings=small.window + 4,
            # A small model that starts near 0, or drops out, long learns frequencies alone.
            initializer_range=small.size**-0.5,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
        )
    )


def _learn_pieces(texts: Sequence[str], pieces: int) -> Tokenizer:
    """The most frequent words as pieces, and single letters to spell the others with.

    Gaps are filled by whole words, so parts of words would be of little use. (The library's own
    trainer of word pieces numbers them differently each time.)
    """
    tokenizer = Tokenizer(models.WordPiece({}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    counts = Counter(
        word
        for text in texts
        for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(
            tokenizer.normalizer.normalize_str(text)
        )
    )
    letters = Counter(letter for word in counts for letter in word)
    spelling = [form for one in _by_count(letters)[:_LETTERS] for form in (one, f"##{one}")]
    every = dict.fromkeys([*_SPECIAL, *spelling, *_by_count(counts)])
    kept = list(every)[: max(pieces, len(_SPECIAL) + len(spelling))]
    tokenizer.model = models.WordPiece(
        {piece: at for at, piece in enumerate(kept)}, unk_token="[UNK]"
    )
    tokenizer.post_processor = processors.BertProcessing(
        ("[SEP]", _id(tokenizer, "[SEP]")), ("[CLS]", _id(tokenizer, "[CLS]"))
    )
    return tokenizer


def _by_count(counts: Counter[str]) -> list[str]:
    return sorted(counts, key=lambda one: (-counts[one], one))


def _id(tokenizer: Tokenizer, name: str) -> int:
    found = tokenizer.token_to_id(name)
    assert found is not None  # it was told to have them
    return found


def _masked(
    stream: npt.NDArray[np.int64], count: int, window: int, special: Sequence[int]
) -> Windows:
    """Windows at random with a seventh of their pieces hidden, one at least in each."""
    pad, _, begin, end, gap = special
    width = min(window, len(stream))
    starts = torch.randint(0, len(stream) - width + 1, (count,)).numpy()
    pieces = torch.from_numpy(stream[starts[:, None] + np.arange(width)])
    is_special = torch.isin(pieces, torch.tensor([pad, begin, end]))
    chance = torch.rand(pieces.shape).masked_fill(is_special, 1.0)
    is_hidden = (chance < _MASKED) | (chance == chance.amin(1, keepdim=True))
    hidden = torch.where(is_hidden, pieces, torch.tensor(_NOT_HIDDEN))
    edges = [torch.full((count, 1), edge) for edge in (begin, end)]
    nothing = torch.full((count, 1), _NOT_HIDDEN)
    return Windows(
        torch.cat([edges[0], pieces.masked_fill(is_hidden, gap), edges[1]], 1),
        torch.cat([nothing, hidden, nothing], 1),
    )


def _save(model: Any, tokenizer: Tokenizer, out: Path) -> None:
    names = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
    fast = _Fast(tokenizer_object=tokenizer, **dict(zip(names, _SPECIAL, strict=True)))
    with quiet():
        model.eval().save_pretrained(str(out))
        fast.save_pretrained(str(out))
