"""A masked language model that proposes replacements for a word.

Any masked language model of Hugging Face will do, or a small one trained on the notes
(`auscult audit mlm`). It must be neither the audited model nor the one that it was fine-tuned from,
which would otherwise evaluate itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import AutoModelForMaskedLM, AutoTokenizer

from auscult.audit.filters.contract import WordContext
from auscult.core import OptionError
from auscult.core.progress import track
from auscult.learning.devices import find_device
from auscult.learning.padded_rows import padded
from auscult.models.neural.encoder_source import FILE, EncoderOrigin, path_of, weights_digest
from auscult.models.neural.pretrained import load_encoder, load_pretrained
from auscult.models.neural.subwords import whole_words

_WINDOW = 64
"""Context of a mask, in tokens on both sides together."""
_LETTERS = 8
"""Characters per token, at most as a rule, to cut the text of a window."""
_BATCH = 64


class MaskedModel:
    """A model, its tokenizer, and which of its tokens are whole words."""

    def __init__(self, model: Any, tokenizer: Any, *, device: str = "auto") -> None:
        if tokenizer.mask_token_id is None:
            raise OptionError(
                "The model has no mask token, so it cannot fill in a masked word. Choose a "
                "masked language model: BERT, RoBERTa, DeBERTa…"
            )
        self._device = find_device(device)
        self._model = model.to(self._device).eval()
        self._tokenizer = tokenizer
        positions = getattr(model.config, "max_position_embeddings", 512) or 512
        self._room = max(4, min(_WINDOW, positions - 4))
        self._words = _whole_words(tokenizer)  # by piece; "" where it is none
        if not any(self._words):
            raise OptionError(
                "No token of the model is a whole word, so it cannot propose replacements."
            )

    @classmethod
    def load(cls, model: Path | str, *, device: str = "auto") -> MaskedModel:
        """Load a model from a directory, or by its name from the cache or the hub."""
        name = str(model)
        loaded, lost = load_encoder(AutoModelForMaskedLM, name)
        if lost:
            raise OptionError(
                f"{name} has no language-model head, so it cannot fill in a masked word. Make one "
                f"with: auscult pretrain CORPUS OUT --encoder {name}"
            )
        return cls(loaded, load_pretrained(AutoTokenizer, path_of(name)), device=device)

    @property
    def words(self) -> list[str]:
        """The whole words among its tokens."""
        return list(dict.fromkeys(filter(None, self._words)))

    def require_other_than(self, audited: Path) -> None:
        """An error when a saved model, or a part of it, was fine-tuned from this one's encoder."""
        files = sorted(audited.rglob(FILE))
        origins = [EncoderOrigin.read(file.parent) for file in files]
        digests = {one.source.digest for one in origins if one is not None}
        if digests and weights_digest(self._model.base_model) in digests:
            raise OptionError(
                f"The model {audited} was fine-tuned from this language model, so it would "
                "evaluate itself. Choose another language model."
            )

    @torch.inference_mode()
    def fills(self, contexts: Sequence[WordContext], number: int) -> list[list[str]]:
        """The most likely words for each masked place, without the original word.

        Each place is processed once, however many words are asked for, together with others of its
        length.
        """
        rows = [self._row(context) for context in contexts]
        order = sorted(range(len(rows)), key=lambda at: len(rows[at][0]))
        words = np.array(self._words, object)
        is_word = torch.tensor([bool(word) for word in self._words], device=self._device)
        made: list[list[str]] = [[] for _ in rows]
        batches = range(0, len(order), _BATCH)
        for begin in track(batches, "filling gaps", len(batches)):
            places = order[begin : begin + _BATCH]
            ids, mask = padded([rows[at][0] for at in places], self._tokenizer.pad_token_id or 0)
            gaps = torch.tensor([rows[at][1] for at in places])
            output = self._model(
                input_ids=ids.to(self._device), attention_mask=mask.long().to(self._device)
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

    def _row(self, context: WordContext) -> tuple[list[int], int]:
        """The tokens around a mask between the special tokens, and the position of the mask."""
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


def _whole_words(tokenizer: Any) -> list[str]:
    """For each token the word that it is; empty for subwords, punctuation and special tokens."""
    pieces: list[str] = tokenizer.convert_ids_to_tokens(range(len(tokenizer)))
    special = set(tokenizer.all_special_tokens)
    return [
        "" if p in special else word for p, word in zip(pieces, whole_words(pieces), strict=True)
    ]
