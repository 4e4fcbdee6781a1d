"""EffectiveCAN (Liu et al. 2021): residual squeeze-and-excitation blocks, keys of all of them.

The authors published no code. What their paper and MDACE leave open is a setting here.
"""

from __future__ import annotations

from itertools import pairwise
from typing import ClassVar, Literal, cast

import torch
from pydantic import Field
from torch import Tensor, nn

from auscult.models.neural.configuration import Kernel, WordConfiguration
from auscult.models.neural.network import Encoded, Encoder
from auscult.models.neural.word_scorer import AttentionScorer

Norm = Literal["layer", "batch", "none"]


class EffectiveCanConfiguration(WordConfiguration):
    """The encoder's settings."""

    num_blocks: int = Field(
        4, ge=1, description="Number of residual squeeze-and-excitation blocks."
    )
    out_channels: int = Field(
        64, ge=1, description="Number of output channels of every convolution."
    )
    kernel_size: Kernel = Field(5, description="Kernel size of every convolution, in words; odd.")
    key_dim: int = Field(
        96, ge=1, description="Dimension of the attention keys and of the code embeddings."
    )
    num_key_blocks: int | None = Field(
        None,
        ge=1,
        description="Number of last blocks whose outputs make the attention keys; default: all.",
    )
    reduction: int = Field(16, ge=1, description="Reduction ratio of squeeze-and-excitation.")
    norm: Norm = Field("layer", description="Normalization after a convolution.")


class EffectiveCanEncoder(Encoder):
    """A row of blocks; the keys are a linear function of several blocks' outputs together."""

    def __init__(self, config: EffectiveCanConfiguration) -> None:
        super().__init__()
        self.keys, self.hidden = config.key_dim, config.out_channels
        widths = [config.embedding_dim] + [config.out_channels] * config.num_blocks
        self.blocks = nn.ModuleList(
            Block(before, after, config) for before, after in pairwise(widths)
        )
        self.used = min(config.num_key_blocks or config.num_blocks, config.num_blocks)
        self.to_keys = nn.Linear(self.used * config.out_channels, config.key_dim)

    def forward(self, embedded: Tensor, mask: Tensor) -> Encoded:
        outputs = [embedded]
        for block in self.blocks:
            outputs.append(block(outputs[-1], mask))
        keys = self.to_keys(torch.cat(outputs[-self.used :], 2)) * mask[..., None]  # (B, T, D)
        return Encoded(keys, outputs[-1], mask)


class Block(nn.Module):
    """Two convolutions, squeeze and excitation, and a shortcut around them."""

    def __init__(self, before: int, after: int, config: EffectiveCanConfiguration) -> None:
        super().__init__()
        self.first = Convolution(before, after, config)
        self.second = Convolution(after, after, config)
        self.dropout = nn.Dropout(config.dropout)
        self.excite = Excitation(after, config.reduction)
        self.shortcut = nn.Identity() if before == after else nn.Linear(before, after, bias=False)
        # A block starts as the identity (Goyal et al. 2017).
        self.second.start_at_zero()

    def forward(self, inside: Tensor, mask: Tensor) -> Tensor:
        seen = self.dropout(torch.relu(self.first(inside, mask)))  # (B, T, C)
        seen = self.excite(self.second(seen, mask), mask)
        # No activation on the sum: words would die out on their way up (He et al. 2016).
        return cast(Tensor, seen + self.shortcut(inside)) * mask[..., None]


class Convolution(nn.Module):
    """A convolution over words and its normalization, 0 at padding."""

    def __init__(self, before: int, after: int, config: EffectiveCanConfiguration) -> None:
        super().__init__()
        self.convolution = nn.Conv1d(
            before, after, config.kernel_size, padding=config.kernel_size // 2
        )
        self.norm = _NORMS[config.norm](after)

    def forward(self, inside: Tensor, mask: Tensor) -> Tensor:
        seen = self.convolution(inside.transpose(1, 2)).transpose(1, 2)  # (B, T, C)
        if isinstance(self.norm, nn.BatchNorm1d):
            # Statistics of words, not of padding.
            known = self.norm(seen[mask]).to(seen.dtype)
            return torch.zeros_like(seen).masked_scatter(mask[..., None], known)
        return cast(Tensor, self.norm(seen)) * mask[..., None]

    def start_at_zero(self) -> None:
        """Set its weights so that the output is 0 before training."""
        last = self.convolution if isinstance(self.norm, nn.Identity) else self.norm
        for parameter in last.parameters():
            nn.init.zeros_(parameter)


class Excitation(nn.Module):
    """Each channel weighed by what the chart as a whole is about (Hu et al. 2018)."""

    def __init__(self, channels: int, reduction: int) -> None:
        super().__init__()
        narrow = max(1, channels // reduction)
        self.gate = nn.Sequential(
            nn.Linear(channels, narrow), nn.ReLU(), nn.Linear(narrow, channels), nn.Sigmoid()
        )

    def forward(self, seen: Tensor, mask: Tensor) -> Tensor:
        squeezed = seen.sum(1) / mask.sum(1, keepdim=True)  # (B, C); seen is 0 at padding
        return seen * cast(Tensor, self.gate(squeezed))[:, None]


class EffectiveCan(AttentionScorer):
    """The model `effectivecan`."""

    config_type: ClassVar[type[EffectiveCanConfiguration]] = EffectiveCanConfiguration
    config: EffectiveCanConfiguration

    @classmethod
    def encoder(cls, config: EffectiveCanConfiguration) -> EffectiveCanEncoder:
        return EffectiveCanEncoder(config)


_NORMS: dict[Norm, type[nn.Module]] = {
    "layer": nn.LayerNorm,
    "batch": nn.BatchNorm1d,
    "none": nn.Identity,
}
