"""Initialization of a network from the frequencies and descriptions of the codes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from auscult.learning.word_vocabulary import WordVocabulary
from auscult.models.label_space import LabelSpace
from auscult.models.neural.batching import EncodedChart
from auscult.models.neural.code_embeddings import SPREAD, rarity
from auscult.models.neural.network import LabelAttentionNetwork


@torch.no_grad()
def start_from_shares(bias: Tensor, items: Sequence[EncodedChart]) -> None:
    """Set the biases so that every code's initial score is its share of the training charts."""
    codes = np.concatenate([one.codes for one in items])
    counts = np.bincount(codes, minlength=len(bias))
    share = torch.from_numpy((counts + 0.5) / (len(items) + 1))
    bias.copy_(share.logit())


@torch.no_grad()
def start_from_descriptions(
    network: LabelAttentionNetwork,
    vocabulary: WordVocabulary,
    labels: LabelSpace,
    items: Sequence[EncodedChart],
) -> None:
    """Initialize the attention of every code to the words of its description.

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


def _least_squares(given: Tensor, target: Tensor) -> Tensor:
    """The map of least squares, with a little ridge for when there are few words.

    By the normal equations: torch.linalg.lstsq is not the same from one run to the next.
    """
    given, target = given.double(), target.double()
    square = given.T @ given
    square += 1e-3 * square.trace() / len(square) * torch.eye(len(square))
    root = torch.linalg.cholesky(square)
    return torch.cholesky_solve(given.T @ target, root).float()
