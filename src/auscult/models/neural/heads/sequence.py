"""Sequence classification of the first token of every chunk, pooled as in BERT's classifier.

The first token goes through the encoder's pooler, if it has one, dropout and a linear layer, as in
`BertForSequenceClassification`. A long chart is the mean of its chunks. Where every chart has
exactly one of several codes, the scores are a softmax over the codes; otherwise each code has a
score of its own. With one code, that is the softmax over having it and not having it.
"""

from __future__ import annotations

from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from auscult.models.neural.evidence import CodePairs
from auscult.models.neural.heads.head import Head
from auscult.models.neural.losses import code_loss
from auscult.models.neural.network import Encoded

_SPREAD = 0.02
"""Standard deviation of the classifier's initial weights, as in BERT."""


class SequenceClassifier(Head):
    """A linear classifier of L codes on the pooled first tokens of a chart's chunks."""

    single_label: Tensor
    """Whether the codes are mutually exclusive; saved with the weights."""

    def __init__(self, size: int, labels: int, pooler: Any, dropout: float) -> None:
        super().__init__()
        self.pooler = pooler
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(size, labels)
        self.register_buffer("single_label", torch.tensor(False))

    def draw(self) -> None:
        nn.init.normal_(self.output.weight, std=_SPREAD)

    @property
    def code_size(self) -> int:
        return self.output.in_features

    @torch.no_grad()
    def start(self, shares: Tensor) -> None:
        self.output.bias.copy_(shares.log() if self.single_label else shares.logit())

    def encoded(
        self, hidden: Tensor, mask: Tensor, firsts: Tensor | None, charts: Tensor | None
    ) -> Encoded:
        assert firsts is not None  # it reads nothing else
        assert charts is not None
        pooled = firsts if self.pooler is None else self.pooler(firsts[:, None])  # (N, H)
        summed = pooled.new_zeros(len(mask), pooled.shape[1]).index_add(0, charts, pooled)
        counts = torch.bincount(charts, minlength=len(mask)).clamp_min(1)[:, None]
        return Encoded(hidden, hidden, mask, pooled=summed / counts)

    def scores(self, encoded: Encoded) -> Tensor:
        """The output of the linear layer, (B, L)."""
        return cast(Tensor, self.output(self.dropout(encoded.pooled)))

    def logits(self, encoded: Encoded, codes: Tensor | slice) -> Tensor:
        scores = self.scores(encoded)
        if self.single_label:
            # The odds of a code against all others, so that the sigmoid gives the softmax.
            shares = scores.double().softmax(1).clamp(1e-12, 1 - 1e-12)
            scores = torch.logit(shares).to(scores)
        return scores[:, codes]

    def pairs(self, encoded: Encoded, rows: Tensor, codes: Tensor) -> CodePairs:
        """The head has no attention by code, so every token gets the same attention."""
        mask = encoded.mask[rows]
        even = torch.log(mask / mask.sum(1, keepdim=True))
        return CodePairs(even, encoded.hidden, rows, self.output.weight[codes], mask)

    def loss(self, encoded: Encoded, gold: Tensor, gamma: float, share: Tensor | None) -> Tensor:
        """Cross-entropy over mutually exclusive codes, else binary cross-entropy for each code."""
        scores = self.scores(encoded)
        if not self.single_label:
            return code_loss(scores, gold, gamma, share)
        weight = None if share is None else 1 - share
        each = functional.cross_entropy(scores.float(), gold.argmax(1), reduction="none")
        if gamma:
            each = each * (-torch.expm1(-each)) ** gamma
        if weight is None:
            return each.mean()
        weights = weight[gold.argmax(1)]
        return (each * weights).sum() / weights.sum()
