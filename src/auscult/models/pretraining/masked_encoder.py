"""Encoders with a masked-language-model head: their own, or a new one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForMaskedLM
from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING_NAMES

from auscult.core import OptionError
from auscult.models.neural.encoder_source import EncoderOrigin, path_of
from auscult.models.neural.pretrained import (
    load_encoder,
    longest_chunk,
    quiet,
    settings_and_tokenizer,
)
from auscult.models.neural.subwords import Subwords
from auscult.models.pretraining.masking import WordMasking


@dataclass(frozen=True, slots=True)
class MaskedEncoder:
    """An encoder with a head, its tokenizer, and where it comes from."""

    model: Any
    tokenizer: Any
    origin: EncoderOrigin
    has_new_head: bool
    """Whether the encoder came without a head, so that a new one was created."""

    @classmethod
    def fetch(cls, name: str) -> MaskedEncoder:
        """The encoder with a name: `minilm`, a directory, or a name on the hub.

        A new head starts from torch's random numbers; its output layer is the input embeddings.
        """
        settings, tokenizer = settings_and_tokenizer(path_of(name))
        if settings.model_type not in MODEL_FOR_MASKED_LM_MAPPING_NAMES:
            raise OptionError(
                f"{name} ({settings.model_type}) cannot be trained as a masked language model. "
                "Choose an encoder that can: BERT, RoBERTa, DeBERTa, ELECTRA, Longformer, "
                "ModernBERT…"
            )
        if tokenizer.mask_token_id is None:
            raise OptionError(
                f"The tokenizer of {name} has no mask token, so no word can be masked. Choose an "
                "encoder that was trained as a masked language model."
            )
        settings.tie_word_embeddings = True
        model, lost = load_encoder(AutoModelForMaskedLM, name, config=settings)
        return cls(model, tokenizer, EncoderOrigin.of(name, model.base_model), bool(lost))

    def subwords(self, chunk_size: int | None) -> Subwords:
        """The tokenizer with chunks of a size, by default the maximum of the encoder."""
        most = longest_chunk(self.model.base_model)
        if chunk_size is not None and chunk_size > most:
            raise OptionError(
                f"The encoder takes at most {most} tokens at a time, but chunk_size is "
                f"{chunk_size}. Lower chunk_size."
            )
        return Subwords.of(self.tokenizer.backend_tokenizer, chunk_size or most, 0)

    def masking(self, subwords: Subwords, probability: float) -> WordMasking:
        """The masking for its tokenizer."""
        special = sorted(set(self.tokenizer.all_special_ids))
        known = sorted(set(self.tokenizer.get_vocab().values()) - set(special))
        return WordMasking(
            subwords.before,
            subwords.after,
            torch.tensor(special),
            torch.tensor([one for one in known if one < self.model.config.vocab_size]),
            int(self.tokenizer.mask_token_id),
            int(self.tokenizer.pad_token_id or 0),
            probability,
        )

    def save(self, directory: Path) -> None:
        """Write weights and tokenizer in the format of Transformers."""
        with quiet():
            self.model.eval().save_pretrained(str(directory))
            self.tokenizer.save_pretrained(str(directory))
