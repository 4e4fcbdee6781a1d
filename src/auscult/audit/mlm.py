"""A masked language model: which words fit into a gap.

Any model of Hugging Face with a head for masked words will do, or a small one trained on the notes
at hand. It must not be the coder that is audited: it would judge itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from torch import Tensor
from torch.nn import functional
from transformers import (
    AutoModelForMaskedLM,
    AutoTokenizer,
    BertConfig,
    BertForMaskedLM,
    PreTrainedTokenizerFast,
)

from auscult.audit.filters.contract import Context
from auscult.coders.neural.pretrained import from_anywhere, quiet
from auscult.core import AuscultError, OptionError
from auscult.core.progress import track
from auscult.learning.devices import find_device, own_dice, throw

_Model: Any = BertForMaskedLM
_Fast: Any = PreTrainedTokenizerFast
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_WINDOW = 64
"""Pieces around a gap that the model sees, on both sides together."""
_LETTERS = 8
"""Letters that a piece has at most, as a rule: so much text makes a window."""
_BATCH = 64
_MASKED = 0.15


class MaskedModel:
    """A model, its tokenizer, and which of its pieces are whole words."""

    def __init__(self, model: Any, tokenizer: Any, *, device: str = "auto") -> None:
        if tokenizer.mask_token_id is None:
            raise OptionError(
                "The model has no token for a gap, so it cannot say what fits into one. Choose a "
                "masked language model: BERT, RoBERTa, DeBERTa…"
            )
        self._device = find_device(device)
        self._model = model.to(self._device).eval()
        self._tokenizer = tokenizer
        positions = getattr(model.config, "max_position_embeddings", 512) or 512
        self._room = max(4, min(_WINDOW, positions - 4))
        self._words = _whole_words(tokenizer)  # by piece; "" where it is none
        if not any(self._words):
            raise OptionError("None of the model's pieces is a whole word, so it can fill no gap.")

    @classmethod
    def load(cls, model: Path | str, *, device: str = "auto") -> MaskedModel:
        """A model in a directory, or by its name in the cache or on the hub."""
        return cls(
            from_anywhere(AutoModelForMaskedLM, str(model), dtype=torch.float32),
            from_anywhere(AutoTokenizer, str(model)),
            device=device,
        )

    @torch.inference_mode()
    def fills(self, contexts: Sequence[Context], number: int) -> list[list[str]]:
        """The likeliest words for each gap, the one that stood there not among them.

        Each gap is seen once, however many words are wanted, together with others of its length.
        """
        rows = [self._row(context) for context in contexts]
        order = sorted(range(len(rows)), key=lambda at: len(rows[at][0]))
        words = np.array(self._words, object)
        is_word = torch.tensor([bool(word) for word in self._words], device=self._device)
        made: list[list[str]] = [[] for _ in rows]
        batches = range(0, len(order), _BATCH)
        for begin in track(batches, "filling gaps", len(batches)):
            places = order[begin : begin + _BATCH]
            ids, mask = _padded([rows[at][0] for at in places], self._tokenizer.pad_token_id or 0)
            gaps = torch.tensor([rows[at][1] for at in places])
            output = self._model(
                input_ids=ids.to(self._device), attention_mask=mask.to(self._device)
            )
            logits = output.logits[torch.arange(len(places)), gaps]  # (B, V)
            logits = logits[:, : len(self._words)].masked_fill(~is_word, -torch.inf)
            best = logits.topk(min(4 * number, int(is_word.sum())), dim=1).indices.cpu().numpy()
            for at, found in zip(places, best, strict=True):
                context = contexts[at]
                stood = (context.note.text or "")[context.begin : context.end].lower()
                fitting = (str(word) for word in words[found] if word.lower() != stood)
                made[at] = list(dict.fromkeys(fitting))[:number]
        return made

    def _row(self, context: Context) -> tuple[list[int], int]:
        """The pieces around a gap between the special ones, and where the gap is."""
        text, reach = context.note.text or "", self._room * _LETTERS
        before = self._pieces(text[max(0, context.begin - reach) : context.begin])
        after = self._pieces(text[context.end : context.end + reach])
        half = self._room // 2
        left = before[-max(half, self._room - len(after)) :]
        right = after[: self._room - len(left)]
        tokenizer = self._tokenizer
        start = [i for i in (tokenizer.cls_token_id,) if i is not None]
        stop = [i for i in (tokenizer.sep_token_id,) if i is not None]
        return [*start, *left, tokenizer.mask_token_id, *right, *stop], len(start) + len(left)

    def _pieces(self, text: str) -> list[int]:
        pieces: list[int] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        return pieces


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


def train_mlm(
    texts: Iterable[str], out: Path, *, small: Small | None = None, seed: int = 0
) -> None:
    """Train a small masked language model on texts, and save it as Hugging Face has it."""
    small = small or Small()
    kept = [text for text in texts if text.strip()]
    if not kept:
        raise AuscultError("There is no text to train a language model on.")
    if out.exists():
        raise OptionError(f"{out} exists already. Choose another name.")
    tokenizer = _learn_pieces(kept, small.pieces)
    stream = np.concatenate([np.array(e.ids, np.int64) for e in tokenizer.encode_batch(kept)])
    with own_dice(torch.device("cpu")):
        throw(seed, "start")
        model: Any = _Model(
            BertConfig(
                vocab_size=tokenizer.get_vocab_size(),
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
        model.train()
        optimiser = torch.optim.AdamW(model.parameters(), lr=small.learning_rate)
        special = [_id(tokenizer, name) for name in _SPECIAL]
        for step in track(range(small.steps), "training a language model", small.steps):
            throw(seed, "step", step)
            rate = min(1.0, (step + 1) / 50) * (1 - step / small.steps)
            for group in optimiser.param_groups:
                group["lr"] = small.learning_rate * rate
            ids, gold = _masked(stream, small, special)
            logits = model(input_ids=ids).logits
            loss = functional.cross_entropy(logits.flatten(0, 1), gold.flatten(), ignore_index=-100)
            torch.autograd.backward(loss)
            optimiser.step()
            optimiser.zero_grad()
    _save(model, tokenizer, out)


def _learn_pieces(texts: Sequence[str], pieces: int) -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    learner: Any = trainers.WordPieceTrainer(
        vocab_size=pieces, special_tokens=list(_SPECIAL), show_progress=False
    )
    tokenizer.train_from_iterator(texts, learner)
    tokenizer.post_processor = processors.BertProcessing(
        ("[SEP]", _id(tokenizer, "[SEP]")), ("[CLS]", _id(tokenizer, "[CLS]"))
    )
    return tokenizer


def _id(tokenizer: Tokenizer, name: str) -> int:
    found = tokenizer.token_to_id(name)
    assert found is not None  # it was told to have them
    return found


def _masked(
    stream: np.ndarray[Any, np.dtype[np.int64]], small: Small, special: Sequence[int]
) -> tuple[Tensor, Tensor]:
    """Windows at random with a seventh of their pieces hidden, and what is hidden (else −100)."""
    pad, _, begin, end, gap = special
    width = min(small.window, len(stream))
    starts = torch.randint(0, len(stream) - width + 1, (small.batch,)).numpy()
    ids = torch.from_numpy(stream[starts[:, None] + np.arange(width)])
    hidden = (torch.rand(ids.shape) < _MASKED) & ~torch.isin(ids, torch.tensor([pad, begin, end]))
    gold = torch.where(hidden, ids, torch.tensor(-100))
    edge = torch.full((len(ids), 1), begin), torch.full((len(ids), 1), end)
    nothing = torch.full((len(ids), 1), -100)
    ids = torch.cat([edge[0], ids.masked_fill(hidden, gap), edge[1]], 1)
    return ids, torch.cat([nothing, gold, nothing], 1)


def _save(model: Any, tokenizer: Tokenizer, out: Path) -> None:
    names = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
    fast = _Fast(tokenizer_object=tokenizer, **dict(zip(names, _SPECIAL, strict=True)))
    with quiet():
        model.eval().save_pretrained(str(out))
        fast.save_pretrained(str(out))


def _padded(rows: Sequence[Sequence[int]], padding: int) -> tuple[Tensor, Tensor]:
    width = max(map(len, rows))
    ids = torch.full((len(rows), width), padding)
    mask = torch.zeros((len(rows), width), dtype=torch.long)
    for at, row in enumerate(rows):
        ids[at, : len(row)] = torch.tensor(row)
        mask[at, : len(row)] = 1
    return ids, mask


def _whole_words(tokenizer: Any) -> list[str]:
    """For each piece the word that it is by itself; nothing for parts of words and marks."""
    pieces: list[str] = tokenizer.convert_ids_to_tokens(range(len(tokenizer)))
    starts = tuple(mark for mark in ("Ġ", "▁") if any(p.startswith(mark) for p in pieces))
    special = set(tokenizer.all_special_tokens)
    return [_word(piece, starts) if piece not in special else "" for piece in pieces]


def _word(piece: str, starts: tuple[str, ...]) -> str:
    """What a piece says that begins a word: with a mark where the tokenizer marks beginnings."""
    if starts and not piece.startswith(starts):
        return ""
    bare = piece[1:] if starts else piece
    return bare if len(bare) > 1 and bare.isalpha() else ""
