"""Convolutions over words whose output i is of word i, for kernels of any size.

An odd kernel has a word in its middle. An even one has not: it sees one word more on one side. A
plain convolution of PyTorch would then put out one word too many, and several in a row would shift
evidence by half a word each. Here the side is chosen, and two in a row that lean to different sides
see as much on both.
"""

from __future__ import annotations

from typing import Literal

from torch import Tensor, nn
from torch.nn import functional


class WordConvolution(nn.Conv1d):
    """A convolution of T words, (B, T, C) → (B, T, C′), with zeros beyond the ends.

    With an even kernel, `lean` is the side on which it sees a word more. To the left it is CAML's
    as published, without its last output, which is of no word.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int,
        *,
        lean: Literal["left", "right"] = "left",
    ) -> None:
        super().__init__(in_channels, out_channels, kernel_size)
        more, less = kernel_size // 2, (kernel_size - 1) // 2
        self.sides = (more, less) if lean == "left" else (less, more)

    def forward(self, words: Tensor) -> Tensor:
        padded = functional.pad(words.transpose(1, 2), self.sides)  # (B, C, T + K − 1)
        return super().forward(padded).transpose(1, 2)
