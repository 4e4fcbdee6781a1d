"""A small masked language model, with a tokenizer of its own, trained from scratch on texts."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertForMaskedLM, PreTrainedTokenizerFast

from auscult.core import AuscultError, OptionError
from auscult.core.randomness import shuffled
from auscult.core.storage import drafted
from auscult.core.version import __version__
from auscult.learning.checkpoint import FILE, Checkpoint
from auscult.learning.checkpoint_directory import checkpointed
from auscult.learning.devices import isolated_random_state, seed_torch
from auscult.learning.training_configuration import SchedulerType, TrainingConfiguration
from auscult.models.neural.pretrained import quiet
from auscult.models.neural.subwords import Subwords
from auscult.models.pretraining.masked_training import MaskedTraining
from auscult.models.pretraining.masking import WordMasking
from auscult.models.pretraining.token_store import TokenStore, write_tokens

_Model: Any = BertForMaskedLM
_Fast: Any = PreTrainedTokenizerFast
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
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
    lr_scheduler_type: SchedulerType = "cosine"
    optimizer: Literal["adamw", "adam"] = "adamw"
    threads: int = 1
    checkpoint_seconds: float = 60.0


def train_mlm(
    texts: Iterable[str], out: Path, *, small: SmallMlmConfiguration | None = None, seed: int = 0
) -> None:
    """Train a small masked language model on texts, and save it in the format of Hugging Face.

    The texts are read twice. If interrupted, the same call resumes; until it is done, the texts are
    kept as tokens beside `out`, with the checkpoints.
    """
    small = small or SmallMlmConfiguration()
    texts = list(texts) if iter(texts) is texts else texts
    if out.exists():
        raise OptionError(f"{out} exists already. Choose another name.")
    digest = hashlib.sha256()
    tokenizer = _train_tokenizer(_digested(texts, digest), small.vocab_size)
    if tokenizer.get_vocab_size() == len(_SPECIAL):
        raise AuscultError("There is no text to train a language model on.")
    special = torch.tensor([_id(tokenizer, name) for name in _SPECIAL])
    subwords = Subwords.of(tokenizer, small.max_seq_length + 2, 0)
    asked = [str(small), seed, digest.hexdigest(), __version__]
    with checkpointed(out, asked) as directory:
        tokens = directory / "tokens"
        if not tokens.exists():
            write_tokens(
                ([text] for text in texts), tokenizer, tokens,
                room=subwords.room, separator=None, special=special.numpy(),
            )  # fmt: skip
        store = TokenStore.open(tokens)
        with isolated_random_state(torch.device("cpu")):
            seed_torch(seed, "start")
            model = _new_model(tokenizer.get_vocab_size(), small)
        training = MaskedTraining(
            model, _masking(subwords, special), store, _configuration(small), seed
        )
        places = _places(len(store), small.max_steps * small.batch_size, seed)
        training.train(places, Checkpoint(directory / FILE, repr(asked)))
        with drafted(out) as draft:
            _save(model, tokenizer, draft)


def _places(chunks: int, count: int, seed: int) -> list[int]:
    """Chunks from all over the texts, equally often, but for one time more or less."""
    order = shuffled(range(chunks), random.Random(seed))
    return [order[at % chunks] for at in range(count)]


def _digested(texts: Iterable[str], digest: Any) -> Iterator[str]:
    """The texts; when they have been read, the digest is of all of them."""
    for text in texts:
        encoded = text.encode(errors="surrogatepass")
        digest.update(f"{len(encoded)} ".encode())
        digest.update(encoded)
        yield text


def _configuration(small: SmallMlmConfiguration) -> TrainingConfiguration:
    return TrainingConfiguration(
        batch_size=small.batch_size,
        epochs=1,
        learning_rate=small.learning_rate,
        lr_scheduler_type=small.lr_scheduler_type,
        optimizer=small.optimizer,
        warmup_ratio=min(0.5, 50 / small.max_steps),
        device="cpu",
        threads=small.threads,
        checkpoint_seconds=small.checkpoint_seconds,
    )


def _masking(subwords: Subwords, special: torch.Tensor) -> WordMasking:
    ordinary = torch.arange(len(_SPECIAL), subwords.tokenizer.get_vocab_size())
    ids = dict(zip(_SPECIAL, special.tolist(), strict=True))
    return WordMasking(
        subwords.before, subwords.after, special, ordinary, ids["[MASK]"], ids["[PAD]"]
    )


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


def _train_tokenizer(texts: Iterable[str], pieces: int) -> Tokenizer:
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


def _save(model: Any, tokenizer: Tokenizer, out: Path) -> None:
    names = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
    fast = _Fast(tokenizer_object=tokenizer, **dict(zip(names, _SPECIAL, strict=True)))
    with quiet():
        model.eval().save_pretrained(str(out))
        fast.save_pretrained(str(out))
