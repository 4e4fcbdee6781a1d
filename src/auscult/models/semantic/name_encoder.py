"""An encoder of names: short strings in, vectors of length 1 out.

A vector is the mean of the encoder's output over the tokens of the string.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from auscult.core import AuscultError
from auscult.learning.devices import find_device, isolated_random_state, quick_precision
from auscult.learning.padded_rows import padded
from auscult.learning.weights import load_weights, save_weights
from auscult.models.neural import pretrained
from auscult.models.neural.encoder_source import EncoderOrigin
from auscult.models.neural.subwords import FILE as TOKENIZER
from auscult.models.neural.subwords import read_tokenizer

Vectors = npt.NDArray[np.float32]
Precision = Literal["auto", "32", "bf16"]
LONGEST = 32
"""Maximum number of tokens of a name; the rest is truncated."""
_TOKENS = 4_096
"""Number of tokens in one pass of the encoder."""


@dataclass(frozen=True, slots=True, eq=False)
class NameBatch:
    """Names as tokens, (N, T), with a group of each: names of a group mean the same."""

    ids: Tensor
    mask: Tensor
    groups: Tensor
    texts: Tensor
    """Equal numbers for equal strings, which may be names of several groups."""

    def to(self, device: torch.device) -> NameBatch:
        """The batch on a device."""
        return NameBatch(*(getattr(self, name).to(device) for name in self.__slots__))


class NameEncoder(nn.Module):
    """A pretrained encoder and its tokenizer."""

    encoder: Any

    def __init__(self, encoder: nn.Module, tokenizer: Tokenizer, origin: EncoderOrigin) -> None:
        super().__init__()
        self.encoder, self.tokenizer, self.origin = encoder, tokenizer, origin
        tokenizer.no_padding()
        tokenizer.enable_truncation(min(LONGEST, pretrained.longest_chunk(encoder)))

    @classmethod
    def pretrained(cls, name: str) -> NameEncoder:
        """The encoder with a name, as for `--model transformer`."""
        with isolated_random_state(torch.device("cpu")):
            encoder, tokenizer = pretrained.fetch(name)
        return cls(encoder, tokenizer, EncoderOrigin.of(name, encoder)).eval()

    @property
    def width(self) -> int:
        """The length of a vector."""
        return int(self.encoder.config.hidden_size)

    def tokens(self, names: Sequence[str]) -> list[list[int]]:
        """The token ids of names. Case and spacing do not matter."""
        plain = [" ".join(name.casefold().split()) for name in names]
        return [one.ids or [0] for one in self.tokenizer.encode_batch_fast(plain)]

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """The vectors of names, (N, T) → (N, D)."""
        hidden = self.encoder(input_ids=ids, attention_mask=mask.long()).last_hidden_state
        summed = (hidden * mask[..., None]).sum(1)  # (N, D)
        return nn.functional.normalize(summed, dim=-1)

    @torch.inference_mode()
    def embed(
        self, names: Sequence[str], *, device: str = "auto", precision: Precision = "auto"
    ) -> Vectors:
        """The vectors of names, (N, D), computed for names of similar length together."""
        tokens = self.tokens(names)
        found = np.zeros((len(names), self.width), np.float32)
        chosen = find_device(device)
        is_half = quick_precision(precision, chosen) == "bf16"
        self.to(chosen)
        for places in batches_of(tokens):
            ids, mask = padded([tokens[at] for at in places.tolist()])
            with torch.autocast(chosen.type, torch.bfloat16, enabled=is_half):
                made = self(ids.to(chosen), mask.to(chosen))
            found[places] = made.float().cpu().numpy()
        return found

    def save(self, directory: Path) -> None:
        """Write weights, tokenizer, configuration and source."""
        save_weights(self, directory)
        self.tokenizer.save(str(directory / TOKENIZER))
        pretrained.keep(self.encoder, directory)
        self.origin.write(directory)

    @classmethod
    def load(cls, directory: Path) -> NameEncoder:
        """What `save` wrote."""
        origin = EncoderOrigin.read(directory)
        if origin is None:
            raise AuscultError(f"{directory} has no encoder.json. Make the embeddings again.")
        with isolated_random_state(torch.device("cpu")):
            made = cls(pretrained.build(directory), read_tokenizer(directory), origin)
        load_weights(made, directory)
        return made.eval()


def batches_of(tokens: Sequence[Sequence[int]]) -> list[npt.NDArray[np.int64]]:
    """Places of names in batches of similar length, each of about as many tokens."""
    lengths = np.array([len(one) for one in tokens], np.int64)
    order = np.argsort(lengths, kind="stable")
    batches = []
    begin = 0
    while begin < len(order):
        size = max(1, _TOKENS // max(1, int(lengths[order[min(begin + 255, len(order) - 1)]])))
        batches.append(order[begin : begin + size])
        begin += size
    return batches
