"""EffectiveCAN (Liu et al. 2021): residual squeeze-and-excitation blocks, keys of all of them.

The authors published no code. What their paper and MDACE leave open is a setting here.
"""

from __future__ import annotations

from typing import ClassVar, Literal, Self, cast

import torch
from pydantic import Field, model_validator
from torch import Tensor, nn

from auscult.models.neural.configuration import Size, WordConfiguration
from auscult.models.neural.network import Encoded, Encoder
from auscult.models.neural.word_convolution import WordConvolution
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
    kernel_size: Size = Field(5, description="Kernel size of every convolution, in words.")
    block_channels: tuple[Size, ...] | None = Field(
        None, description="Number of output channels of each block, if they differ."
    )
    block_kernel_sizes: tuple[Size, ...] | None = Field(
        None, description="Kernel size of each block, if they differ."
    )
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

    @model_validator(mode="after")
    def _has_a_size_for_each_block(self) -> Self:
        for name in ("block_channels", "block_kernel_sizes"):
            given = getattr(self, name)
            if given is not None and len(given) != self.num_blocks:
                raise ValueError(
                    f"{name} has {len(given)} values, but there are {self.num_blocks} blocks"
                )
        return self

    @property
    def sizes(self) -> tuple[tuple[int, int], ...]:
        """The channels and the kernel size of each block."""
        channels = self.block_channels or (self.out_channels,) * self.num_blocks
        kernels = self.block_kernel_sizes or (self.kernel_size,) * self.num_blocks
        return tuple(zip(channels, kernels, strict=True))


class EffectiveCanEncoder(Encoder):
    """A row of blocks; the keys are a linear function of several blocks' outputs together."""

    def __init__(self, config: EffectiveCanConfiguration) -> None:
        super().__init__()
        widths = (config.embedding_dim, *(channels for channels, _ in config.sizes))
        self.keys, self.hidden = config.key_dim, widths[-1]
        self.blocks = nn.ModuleList(
            Block(before, after, kernel, config)
            for before, (after, kernel) in zip(widths, config.sizes, strict=False)
        )
        self.used = min(config.num_key_blocks or config.num_blocks, config.num_blocks)
        self.to_keys = nn.Linear(sum(widths[-self.used :]), config.key_dim)

    def forward(self, embedded: Tensor, mask: Tensor) -> Encoded:
        outputs = [embedded]
        for block in self.blocks:
            outputs.append(block(outputs[-1], mask))
        keys = self.to_keys(torch.cat(outputs[-self.used :], 2)) * mask[..., None]  # (B, T, D)
        return Encoded(keys, outputs[-1], mask)


class Block(nn.Module):
    """Two convolutions, squeeze and excitation, and a shortcut around them.

    Even kernels lean to different sides, so that a block sees as far to the left as to the right.
    """

    def __init__(
        self, before: int, after: int, kernel: int, config: EffectiveCanConfiguration
    ) -> None:
        super().__init__()
        self.first = Convolution(WordConvolution(before, after, kernel, lean="left"), config.norm)
        self.second = Convolution(WordConvolution(after, after, kernel, lean="right"), config.norm)
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

    def __init__(self, convolution: WordConvolution, norm: Norm) -> None:
        super().__init__()
        self.convolution = convolution
        self.norm = _NORMS[norm](convolution.out_channels)

    def forward(self, inside: Tensor, mask: Tensor) -> Tensor:
        seen = self.convolution(inside)  # (B, T, C)
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
