"""Where training starts: codes from how common they are and from what they are called."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from auscult.coders.labels import LabelSpace
from auscult.coders.neural.batching import Item
from auscult.coders.neural.codes import SPREAD, rarity
from auscult.coders.neural.network import Network
from auscult.learning.vocabulary import Vocabulary


@torch.no_grad()
def start_from_shares(bias: Tensor, items: Sequence[Item]) -> None:
    """Let the score of every code be its share of the training charts before anything is read."""
    codes = np.concatenate([one.codes for one in items])
    counts = np.bincount(codes, minlength=len(bias))
    share = torch.from_numpy((counts + 0.5) / (len(items) + 1))
    bias.copy_(share.logit())


@torch.no_grad()
def start_from_descriptions(
    network: Network, vocabulary: Vocabulary, labels: LabelSpace, items: Sequence[Item]
) -> None:
    """Let every code look at the words of its description even before training.

    Attention compares a code's embedding with the keys of words, so the map from words to codes
    starts as the one that is nearest to what the encoder makes of each word standing alone.
    """
    network.eval()
    network.codes.describe(
        vocabulary, labels, rarity([one.words for one in items], len(vocabulary))
    )
    words = network.embedding.weight  # (V, E)
    mask = torch.ones(len(words), 1, dtype=torch.bool)
    keys = network.encode(words[:, None], mask).keys[:, 0]  # (V, D)
    nearest = _least_squares(words, keys - keys.mean(0))  # (E, D)
    described = network.codes.weights.sum(1) > 0
    network.codes.from_words.weight.copy_(nearest.T)
    if described.any():
        network.codes.own[described] = 0.0
        size = network.codes(words)[described].square().mean().sqrt()
        network.codes.from_words.weight.mul_(SPREAD / size)


def _least_squares(given: Tensor, wanted: Tensor) -> Tensor:
    """The map of least squares, with a little ridge for when there are few words.

    By the normal equations: torch.linalg.lstsq is not the same from one run to the next.
    """
    given, wanted = given.double(), wanted.double()
    square = given.T @ given
    square += 1e-3 * square.trace() / len(square) * torch.eye(len(square))
    root = torch.linalg.cholesky(square)
    return torch.cholesky_solve(given.T @ wanted, root).float()
