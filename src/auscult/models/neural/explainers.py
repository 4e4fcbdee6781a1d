"""Gradient-based attribution: which words a prediction rests on.

An explainer works on P pairs of chart and code at once, one in each row. It gets their embedded
words and a function that applies the network to them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

Explainer = Literal["none", "attention", "attingrad", "integrated-gradients"]
STEP = 0.02
"""The step in which the threshold is tuned: weights are shares, as those of attention are."""

AttributionTarget = Callable[[Tensor], tuple[Tensor, Tensor]]
"""From embeddings, (P, T, E), to the score before the sigmoid, (P,), and the attention, (P, T),
of each pair. What it makes of one row does not depend on the others."""


def attingrad(see: AttributionTarget, embedded: Tensor) -> Tensor:
    """AttInGrad: attention × ‖input × gradient‖₂ (Edin et al. 2024), (P, T).

    The attention is that of the code, after its softmax; the product of input and gradient is by
    element, and the gradient that of the score before the sigmoid. The input is the embedding of
    the word alone; theirs is the output of the encoder's embedding layer, with the position in it.

    Attention shows where the network looked, the gradient whether that mattered. Their product
    agrees with clinicians' evidence more often than either alone.
    """
    embedded = embedded.detach().requires_grad_()
    with torch.enable_grad():
        logits, attention = see(embedded)
        (gradient,) = torch.autograd.grad(logits.sum(), embedded)
    changes: Tensor = (embedded.detach() * gradient).norm(dim=2)
    return attention.detach() * changes


def integrated_gradients(
    see: AttributionTarget, embedded: Tensor, baseline: Tensor, steps: int
) -> Tensor:
    """Integrated gradients: how much each word adds to the score, against a baseline, (P, T).

    Gradients along the straight line from the baseline, which can be broadcast to (P, T, E), to
    the input, by Gauss–Legendre quadrature (Sundararajan et al. 2017). The sum over the words of
    a pair is the difference of its score from that of the baseline; a word may add less than 0.
    """
    from captum.attr import IntegratedGradients  # it takes a second to import

    attributed: Tensor = IntegratedGradients(lambda given: see(given)[0]).attribute(
        embedded.detach(),
        baselines=baseline.detach().expand_as(embedded),
        n_steps=steps,
        # One step at a time: all rows, once.
        internal_batch_size=len(embedded),
    )
    return attributed.detach().sum(2)


def explain(
    explainer: Explainer, see: AttributionTarget, embedded: Tensor, baseline: Tensor, steps: int
) -> Tensor:
    """The attribution of each word for each pair, (P, T); below 0 it speaks against the code."""
    if explainer == "attingrad":
        return attingrad(see, embedded)
    return integrated_gradients(see, embedded, baseline, steps)


def shares(weights: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The share of each word in the positive attribution; words that count against get 0.

    >>> shares(np.array([3, -2, 1], np.float32)).tolist()
    [0.75, 0.0, 0.25]
    """
    speaking = np.maximum(weights, 0)
    total = speaking.sum()
    return speaking / total if total > 0 else speaking
