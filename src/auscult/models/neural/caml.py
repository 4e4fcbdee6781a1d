"""CAML (Mullenbach et al. 2018): one convolution, and attention for every code."""

from __future__ import annotations

from typing import ClassVar

import torch
from pydantic import Field
from torch import Tensor, nn

from auscult.models.neural.configuration import Size, WordConfiguration
from auscult.models.neural.network import Encoded, Encoder
from auscult.models.neural.word_convolution import WordConvolution
from auscult.models.neural.word_scorer import AttentionScorer


class CamlConfiguration(WordConfiguration):
    """The published values are 50 channels and a kernel of 10, which no word is the middle of: it
    sees five words before a word and four after it.
    """

    out_channels: int = Field(64, ge=1, description="Number of output channels of the convolution.")
    kernel_size: Size = Field(9, description="Kernel size of the convolution, in words.")


class CamlEncoder(Encoder):
    """tanh of one convolution; its output is key and last hidden layer at once."""

    def __init__(self, config: CamlConfiguration) -> None:
        super().__init__()
        self.keys = self.hidden = config.out_channels
        self.convolution = WordConvolution(
            config.embedding_dim, config.out_channels, config.kernel_size
        )
        nn.init.xavier_uniform_(self.convolution.weight)

    def forward(self, embedded: Tensor, mask: Tensor) -> Encoded:
        keys = torch.tanh(self.convolution(embedded)) * mask[..., None]  # (B, T, C)
        return Encoded(keys, keys, mask)


class Caml(AttentionScorer):
    """The model `caml`."""

    config_type: ClassVar[type[CamlConfiguration]] = CamlConfiguration
    config: CamlConfiguration

    @classmethod
    def encoder(cls, config: CamlConfiguration) -> CamlEncoder:
        return CamlEncoder(config)
