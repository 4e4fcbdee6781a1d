"""Evidence of a neural model: its attention, or a tagger on top of it.

The methods are those of Cheng et al. 2023 (MDACE), section 5.2. The taggers have no parameters per
code: what they are trained on for codes with evidence carries over to codes without.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal, cast

import torch
from torch import Tensor, nn

from auscult.models.neural.losses import attention_loss, tagging_loss

Evidence = Literal["attention", "supervised", "linear-tagger", "cnn-tagger"]
TaggerLoss = Literal["evidence", "mean"]

WEIGHTS: dict[Evidence, float] = {
    "attention": 0.0,
    "supervised": 2.5,
    "linear-tagger": 0.05,
    "cnn-tagger": 0.05,
}
"""λ of each method. That of supervised attention is the paper's. The paper's λ₂ of taggers, 0.5,
is of a plain mean; for the mean over evidence words, a tenth of it keeps the codes as good as
without evidence."""
_PUBLISHED = 0.5
"""The paper's λ₂."""
STEPS: dict[Evidence, float] = {
    "attention": 0.02,
    "supervised": 0.02,
    "linear-tagger": 0.05,
    "cnn-tagger": 0.05,
}
"""The step in which the threshold of each method is tuned, as the paper has it."""
_KERNEL, _CHANNELS = 9, 10
_FIRST = -4.6
"""The logit a tagger begins with, 1% as in Lin et al. 2017: evidence is one word in hundreds, and
were it 0, all that is no evidence would shake the encoder first."""


def default_weight(evidence: Evidence, tagger_loss: TaggerLoss) -> float:
    """λ of a method with a loss."""
    is_plain = evidence.endswith("tagger") and tagger_loss == "mean"
    return _PUBLISHED if is_plain else WEIGHTS[evidence]


@dataclass(frozen=True, slots=True, eq=False)
class CodePairs:
    """P pairs of chart and code, and what the encoder made of them."""

    log_attention: Tensor  # (P, T), −∞ at padding
    hidden: Tensor  # (B, T, C): the last hidden layer of the charts
    rows: Tensor  # (P,): the chart of each pair
    codes: Tensor  # (P, D): the embedding of each pair's code
    mask: Tensor  # (P, T), true where there is a word

    @property
    def scaled(self) -> Tensor:
        """Attention by its largest weight, so that the largest is 1 in every chart: (P, T, 1)."""
        largest = self.log_attention.amax(1, keepdim=True)
        return (self.log_attention - largest).exp()[..., None]


class AttentionEvidence(nn.Module):
    """Attention as evidence, trained on the codes alone or also (supervised) on evidence."""

    def weights(self, pairs: CodePairs) -> Tensor:
        """The weight of each word for each code, between 0 and 1: (P, T)."""
        return pairs.log_attention.exp()

    def loss(self, pairs: CodePairs, evidence: Tensor) -> Tensor:
        """The loss against gold evidence, (P, T)."""
        return attention_loss(pairs.log_attention, evidence)


class EvidenceTagger(nn.Module, ABC):
    """A layer that classifies each word as evidence or not."""

    over: TaggerLoss = "evidence"
    """What its loss is averaged over."""

    @abstractmethod
    def logits(self, pairs: CodePairs) -> Tensor:
        """Above 0 for words that are evidence: (P, T)."""

    def weights(self, pairs: CodePairs) -> Tensor:
        """The weight of each word for each code, between 0 and 1: (P, T)."""
        return self.logits(pairs).sigmoid().masked_fill(~pairs.mask, 0.0)

    def loss(self, pairs: CodePairs, evidence: Tensor) -> Tensor:
        """The loss against gold evidence, (P, T)."""
        return tagging_loss(self.logits(pairs), evidence, pairs.mask, over=self.over)


class LinearTagger(EvidenceTagger):
    """One linear layer of the hidden layer times one of the scaled attention (eq. 2).

    It begins with what the attention says: even odds for the word it looks at most, 1% for those
    it does not look at. Began it the other way round, as half of all random starts do, it would
    first have to unlearn that what is looked at is no evidence, and the codes would suffer.
    """

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.of_hidden = nn.Linear(hidden, 1)
        self.of_attention = nn.Linear(1, 1)
        nn.init.constant_(self.of_hidden.bias, _FIRST)
        nn.init.ones_(self.of_attention.bias)
        nn.init.constant_(self.of_attention.weight, -1.0)

    def logits(self, pairs: CodePairs) -> Tensor:
        words = self.of_hidden(pairs.hidden)[pairs.rows]  # (P, T, 1)
        return cast(Tensor, words * self.of_attention(pairs.scaled))[..., 0]


class CnnTagger(EvidenceTagger):
    """A convolution over the sum of three projections: hidden layer, attention, code (eq. 4–5)."""

    def __init__(self, hidden: int, code: int, width: int) -> None:
        super().__init__()
        self.of_hidden = nn.Linear(hidden, width)
        self.of_attention = nn.Linear(1, width)
        self.of_code = nn.Linear(code, width)
        self.convolution = nn.Conv1d(width, _CHANNELS, _KERNEL, padding=_KERNEL // 2)
        self.norm = nn.LayerNorm(_CHANNELS)
        self.output = nn.Linear(_CHANNELS, 1)
        nn.init.constant_(self.output.bias, _FIRST)

    def logits(self, pairs: CodePairs) -> Tensor:
        words = self.of_hidden(pairs.hidden)[pairs.rows] + self.of_attention(pairs.scaled)
        summed = words + self.of_code(pairs.codes)[:, None]  # (P, T, W)
        # Beyond a chart's end there is nothing, whatever it is batched with.
        summed = summed * pairs.mask[..., None]
        seen = self.convolution(summed.transpose(1, 2)).transpose(1, 2)  # (P, T, 10)
        return cast(Tensor, self.output(torch.relu(self.norm(seen))))[..., 0]


def evidence_layer(
    evidence: Evidence, hidden: int, code: int, width: int, tagger_loss: TaggerLoss = "evidence"
) -> AttentionEvidence | EvidenceTagger:
    """The evidence layer of a method, for these dimensions of hidden layer and codes."""
    if not evidence.endswith("tagger"):
        return AttentionEvidence()
    tagger = LinearTagger(hidden) if evidence == "linear-tagger" else CnnTagger(hidden, code, width)
    tagger.over = tagger_loss
    return tagger
