"""The common base of the heads with label-wise attention.

Each code has a query. It attends to the keys of all tokens of a chart, reads their values, and is
scored by what it read.
"""

from __future__ import annotations

from abc import abstractmethod

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from auscult.models.neural.evidence import CodePairs
from auscult.models.neural.heads.head import Head
from auscult.models.neural.label_attention import attend, log_attention
from auscult.models.neural.network import Encoded

_MOST = 2**25
"""Numbers in what the codes read at once; more are read in blocks, and again on the way back.

With 70,000 codes and 8 charts of 384 dimensions, all at once would be 860 MB, several times over.
"""


class LabelAttentionHead(Head):
    """Queries of L codes over the tokens of a chart; a subclass defines keys and values."""

    queries: nn.Parameter
    """(L, D)"""

    @property
    def code_size(self) -> int:
        return self.queries.shape[1]

    @abstractmethod
    def keys(self, hidden: Tensor) -> Tensor:
        """The keys of the attention, (…, H) → (…, D)."""

    @abstractmethod
    def values(self, hidden: Tensor) -> Tensor:
        """The values of the attention, (B, T, H) → (B, T, H)."""

    @abstractmethod
    def scored(self, read: Tensor, codes: Tensor | slice) -> Tensor:
        """The scores of codes from their attention output, (B, L, H) → (B, L)."""

    def encoded(
        self,
        hidden: Tensor,
        mask: Tensor,
        firsts: Tensor | None = None,
        charts: Tensor | None = None,
    ) -> Encoded:
        return Encoded(self.keys(hidden), hidden, mask)

    def logits(self, encoded: Encoded, codes: Tensor | slice) -> Tensor:
        values = self.values(encoded.hidden)

        def some(part: Tensor | slice) -> Tensor:
            read = attend(self.queries[part], encoded.keys, encoded.mask, values)
            return self.scored(read, part)

        count = len(self.queries) if isinstance(codes, slice) else len(codes)
        most = max(1, _MOST // (len(values) * values.shape[2]))
        if count <= most:
            return some(codes)
        every = range(0, count, most)
        parts = [
            slice(at, at + most) if isinstance(codes, slice) else codes[at : at + most]
            for at in every
        ]
        if not torch.is_grad_enabled():
            return torch.cat([some(part) for part in parts], 1)
        return torch.cat([checkpoint(some, part, use_reentrant=False) for part in parts], 1)

    def pairs(self, encoded: Encoded, rows: Tensor, codes: Tensor) -> CodePairs:
        attention = log_attention(self.queries, encoded.keys, encoded.mask, rows, codes)
        return CodePairs(attention, encoded.hidden, rows, self.queries[codes], encoded.mask[rows])
