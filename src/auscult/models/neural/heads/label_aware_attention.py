"""Label-aware attention as in LAAT: the head of PLM-ICD (Huang et al. 2022).

With tokens H, a code attends with softmax(u · tanh(W H)) over all tokens of a chart, where u is its
own. It reads the tokens themselves, V = A H, and its score is w · V + b, with its own w and b.
"""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn

from auscult.models.neural.heads.label_attention_head import LabelAttentionHead


class LabelAwareAttention(LabelAttentionHead):
    """Attention to a projection of the tokens, and a linear classifier for each code."""

    def __init__(self, size: int, labels: int) -> None:
        super().__init__()
        self.projection = nn.Linear(size, size, bias=False)
        self.queries = nn.Parameter(torch.empty(labels, size))  # (L, H)
        self.output = nn.Linear(size, labels)

    def draw(self) -> None:
        for weight in (self.projection.weight, self.queries, self.output.weight):
            nn.init.normal_(weight, std=self.code_size**-0.5)

    @torch.no_grad()
    def start(self, shares: Tensor) -> None:
        self.output.bias.copy_(shares.logit())

    def keys(self, hidden: Tensor) -> Tensor:
        return torch.tanh(cast(Tensor, self.projection(hidden)))

    def values(self, hidden: Tensor) -> Tensor:
        return hidden

    def scored(self, read: Tensor, codes: Tensor | slice) -> Tensor:
        weight, bias = self.output.weight[codes], self.output.bias[codes]
        return torch.einsum("bld,ld->bl", read, weight.to(read.dtype)) + bias
