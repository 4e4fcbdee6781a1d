"""CAML (Mullenbach et al. 2018): one convolution, and attention for every code."""

from __future__ import annotations

from typing import ClassVar

import torch
from pydantic import Field
from torch import Tensor, nn

from auscult.coders.neural.configuration import Kernel, WordConfiguration
from auscult.coders.neural.network import Encoded, Encoder
from auscult.coders.neural.scorer import AttentionScorer


class CamlConfiguration(WordConfiguration):
    """The published values are 50 channels and a kernel of 10, which no word is the middle of."""

    channels: int = Field(100, ge=1, description="Channels of the convolution.")
    kernel: Kernel = Field(9, description="Words the convolution sees; odd.")


class CamlEncoder(Encoder):
    """tanh of one convolution; its output is key and last hidden layer at once."""

    def __init__(self, config: CamlConfiguration) -> None:
        super().__init__()
        self.keys = self.hidden = config.channels
        self.convolution = nn.Conv1d(
            config.embedding, config.channels, config.kernel, padding=config.kernel // 2
        )
        nn.init.xavier_uniform_(self.convolution.weight)

    def forward(self, embedded: Tensor, mask: Tensor) -> Encoded:
        seen = self.convolution(embedded.transpose(1, 2)).transpose(1, 2)  # (B, T, C)
        keys = torch.tanh(seen) * mask[..., None]
        return Encoded(keys, keys, mask)


class Caml(AttentionScorer):
    """The coder `caml`."""

    config_type: ClassVar[type[CamlConfiguration]] = CamlConfiguration
    config: CamlConfiguration

    @classmethod
    def encoder(cls, config: CamlConfiguration) -> CamlEncoder:
        return CamlEncoder(config)
