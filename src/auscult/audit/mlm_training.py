"""Training of a small masked language model on the given notes."""

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

from auscult.core import AuscultError, OptionError
from auscult.core.storage import drafted
from auscult.learning.checkpoint import FILE, Checkpoint
from auscult.learning.checkpoint_directory import checkpointed
from auscult.learning.devices import isolated_random_state, seed_torch
from auscult.learning.training import train
from auscult.learning.training_configuration import TrainingConfiguration
from auscult.models.neural.pretrained import quiet

_Model: Any = BertForMaskedLM
_Fast: Any = PreTrainedTokenizerFast
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_MASKED = 0.15
_NOT_HIDDEN = -100
_LETTERS = 1_000
"""Letters that can be spelled with; whatever alphabets the notes have, most are never seen."""


@dataclass(frozen=True, slots=True)
class SmallMlmConfiguration:
    """Size and hyperparameters of the model."""

    vocab_size: int = 8_000
    hidden_size: int = 128
    num_layers: int = 2
    num_heads: int = 4
    max_seq_length: int = 96
    batch_size: int = 32
    max_steps: int = 1_500
    learning_rate: float = 1e-3
    threads: int = 1
    checkpoint_seconds: float = 60.0


@dataclass(frozen=True, slots=True, eq=False)
class MaskedWindows:
    """Windows of tokens with some masked, and the masked tokens."""

    pieces: Tensor  # (B, T)
    hidden: Tensor  # (B, T), −100 where nothing is

    def to(self, device: torch.device) -> MaskedWindows:
        """The same on another device."""
        return MaskedWindows(self.pieces.to(device), self.hidden.to(device))


class _MaskedLanguageModel(nn.Module):
    """The model with its loss as the output for a batch."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, batch: MaskedWindows) -> Tensor:
        logits = self.model(input_ids=batch.pieces).logits
        return functional.cross_entropy(
            logits.flatten(0, 1), batch.hidden.flatten(), ignore_index=_NOT_HIDDEN
        )


def train_mlm(
    texts: Iterable[str], out: Path, *, small: SmallMlmConfiguration | None = None, seed: int = 0
) -> None:
    """Train a small masked language model on texts, and save it in the format of Hugging Face.

    If interrupted, the same call resumes.
    """
    small = small or SmallMlmConfiguration()
    kept = [text for text in texts if text.strip()]
    if not kept:
        raise AuscultError("There is no text to train a language model on.")
    if out.exists():
        raise OptionError(f"{out} exists already. Choose another name.")
    tokenizer = _train_tokenizer(kept, small.vocab_size)
    stream = np.concatenate([np.array(e.ids, np.int64) for e in tokenizer.encode_batch(kept)])
    read = hashlib.sha256(stream.tobytes()).hexdigest()
    asked = [str(small), seed, read]
    with checkpointed(out, asked) as directory:
        with isolated_random_state(torch.device("cpu")):
            seed_torch(seed, "start")
            language_model = _MaskedLanguageModel(_new_model(tokenizer.get_vocab_size(), small))
        special = [_id(tokenizer, name) for name in _SPECIAL]
        train(
            language_model,
            [small.max_seq_length] * (small.max_steps * small.batch_size),
            lambda places: _masked(stream, len(places), small.max_seq_length, special),
            TrainingConfiguration(
                batch_size=small.batch_size,
                epochs=1,
                learning_rate=small.learning_rate,
                warmup_ratio=min(0.5, 50 / small.max_steps),
                device="cpu",
                threads=small.threads,
                checkpoint_seconds=small.checkpoint_seconds,
            ),
            seed=seed,
            checkpoint=Checkpoint(directory / FILE, repr(asked)),
        )
        with drafted(out) as draft:
            _save(language_model.model, tokenizer, draft)


def _new_model(pieces: int, small: SmallMlmConfiguration) -> Any:
    return _Model(
        BertConfig(
            vocab_size=pieces,
            hidden_size=small.hidden_size,
            num_hidden_layers=small.num_layers,
            num_attention_heads=small.num_heads,
            intermediate_size=4 * small.hidden_size,
            max_position_embeddings=small.max_seq_length + 4,
            # Starting near 0, or with dropout, a small model fits only frequencies for long.
            initializer_range=small.hidden_size**-0.5,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
        )
    )


def _train_tokenizer(texts: Sequence[str], pieces: int) -> Tokenizer:
    """A tokenizer of the most frequent words, with single letters to spell the others.

    Masks are filled with whole words, so subwords would be of little use. (The library's own
    WordPiece trainer numbers tokens differently each time.)
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
) -> MaskedWindows:
    """Random windows with a seventh of their tokens masked, at least one in each."""
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
    return MaskedWindows(
        torch.cat([edges[0], pieces.masked_fill(is_hidden, gap), edges[1]], 1),
        torch.cat([nothing, hidden, nothing], 1),
    )


def _save(model: Any, tokenizer: Tokenizer, out: Path) -> None:
    names = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
    fast = _Fast(tokenizer_object=tokenizer, **dict(zip(names, _SPECIAL, strict=True)))
    with quiet():
        model.eval().save_pretrained(str(out))
        fast.save_pretrained(str(out))
