"""A masked language model: which words fit into a gap.

Any model of Hugging Face with a head for masked words will do, or a small one trained on the notes
at hand (`mlm_training`). It must not be the coder that is audited: it would judge itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from transformers import AutoModelForMaskedLM, AutoTokenizer

from auscult.audit.filters.contract import Context
from auscult.coders.neural.pretrained import from_anywhere
from auscult.core import OptionError
from auscult.core.progress import track
from auscult.learning.devices import find_device

_WINDOW = 64
"""Pieces around a gap that the model sees, on both sides together."""
_LETTERS = 8
"""Letters that a piece has at most, as a rule: so much text makes a window."""
_BATCH = 64


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
