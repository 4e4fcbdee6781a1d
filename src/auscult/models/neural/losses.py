"""The losses: of the codes, and of the evidence."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional


def code_loss(
    logits: Tensor, gold: Tensor, gamma: float = 0.0, share: Tensor | None = None
) -> Tensor:
    """Binary cross-entropy over all pairs of chart and code, (B, L), as their mean.

    With `share`, of the charts that have each code, (L,), a chart that has the code weighs as the
    share of those that have not, and the other way round, so that the rarer side counts as much.

    With `gamma` above 0 it is the focal loss (Lin et al. 2017): each pair weighs (1 − p)^gamma,
    where p is the probability given to what is true, so that easy pairs count for little.
    """
    each = functional.binary_cross_entropy_with_logits(logits.float(), gold, reduction="none")
    if gamma:
        # exp(−each) is p. Above 0, where a power below 1 has no finite slope.
        each = each * (-torch.expm1(-each)).clamp_min(1e-30) ** gamma
    if share is None:
        return each.mean()
    weights = code_weights(gold, share)
    return (each * weights).sum() / weights.sum()


def code_weights(gold: Tensor, share: Tensor) -> Tensor:
    """The weight of each pair of chart and code in a loss that is balanced by `share`."""
    return gold * (1 - share) + (1 - gold) * share


def code_slopes(logits: Tensor, gold: Tensor, gamma: float = 0.0) -> Tensor:
    """The derivative of each pair's loss with respect to its logit, before weights and mean."""
    side = 1 - 2 * gold
    missed = (side * logits).sigmoid()  # 1 − p, where p is the probability given to what is true
    if not gamma:
        return side * missed
    loss = functional.softplus(side * logits)
    return side * missed**gamma * (missed + gamma * loss * (1 - missed))


def attention_loss(log_attention: Tensor, evidence: Tensor) -> Tensor:
    """KL(evidence ‖ attention), the mean over P pairs of chart and code (MDACE, eq. 1).

    `evidence` marks at least one word of each pair, (P, T), and is spread evenly over the words
    it marks. Words without evidence add nothing, padding with its −∞ included: 0 · −∞ would be
    NaN. The mean is over pairs and not over words, so it does not shrink with a chart's length.
    """
    if not len(evidence):
        return log_attention.sum()  # no evidence; keeps the graph
    share = 1 / evidence.sum(1)  # (P,)
    cross = log_attention.masked_fill(~evidence, 0.0).sum(1) * share
    return (share.log() - cross).mean()


def tagging_loss(
    logits: Tensor,
    evidence: Tensor,
    mask: Tensor,
    *,
    over: Literal["evidence", "mean"] = "evidence",
) -> Tensor:
    """Binary cross-entropy of each word being evidence (MDACE, eq. 3): (P, T), padding left out.

    The sum over a pair's words by how many of them are evidence, then the mean over pairs. One
    word in hundreds is evidence: in a mean over all words what a tagger misses counts for nothing
    beside the codes, and it would tag nothing. With `over` "mean" it is that mean, as published.
    """
    if not len(evidence):
        return logits.sum()
    each = functional.binary_cross_entropy_with_logits(
        logits, evidence.to(logits), reduction="none"
    ).masked_fill(~mask, 0.0)
    if over == "mean":
        return each.sum() / mask.sum()
    return (each.sum(1) / evidence.sum(1)).mean()
