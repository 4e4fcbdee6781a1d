"""Label-wise cross-attention: the head of PLM-CA (Edin et al. 2024).

With tokens H and an embedding q of each code, the code reads Y = softmax(q (W_K H)ᵀ)(W_V H + b_V)
over all tokens of a chart, and its score is w · LayerNorm(Y) + b. In PLM-CA, w and b are the same
for all codes. Here each code may also have its own.
"""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn

from auscult.models.neural.heads.label_attention_head import LabelAttentionHead


class CrossAttention(LabelAttentionHead):
    """Cross-attention with one output layer for all codes (`plm-ca`), or one for each."""

    def __init__(self, size: int, labels: int, *, is_shared: bool) -> None:
        super().__init__()
        self.is_shared = is_shared
        self.to_keys = nn.Linear(size, size, bias=False)
        self.to_values = nn.Linear(size, size)
        self.queries = nn.Parameter(torch.empty(labels, size))  # (L, H)
        self.norm = nn.LayerNorm(size)
        self.output = nn.Linear(size, 1 if is_shared else labels)

    def draw(self) -> None:
        weights = (self.to_keys.weight, self.to_values.weight, self.queries, self.output.weight)
        for weight in weights:
            nn.init.normal_(weight, std=self.code_size**-0.5)

    @torch.no_grad()
    def start(self, shares: Tensor) -> None:
        # What all codes share starts so that a chart gets as many codes as it should.
        self.output.bias.copy_((shares.mean()[None] if self.is_shared else shares).logit())

    def keys(self, hidden: Tensor) -> Tensor:
        return cast(Tensor, self.to_keys(hidden))

    def values(self, hidden: Tensor) -> Tensor:
        return cast(Tensor, self.to_values(hidden))

    def scored(self, read: Tensor, codes: Tensor | slice) -> Tensor:
        seen = self.norm(read)
        if self.is_shared:
            return cast(Tensor, self.output(seen))[..., 0]
        weight, bias = self.output.weight[codes], self.output.bias[codes]
        return torch.einsum("bld,ld->bl", seen, weight.to(seen.dtype)) + bias
