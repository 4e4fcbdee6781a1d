"""Code embeddings: a vector for each code, plus a function of the words of its description.

Most codes are rare. During training the encoding of "hypertension" changes, and a rare code that
was only initialized from its description would be left behind. So the description stays part of the
embedding, through one linear map that all codes share.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from auscult.codes.tables import describe
from auscult.core.tokens import tokens
from auscult.learning.word_vocabulary import PADDING, UNKNOWN, WordVocabulary
from auscult.models.label_space import LabelSpace

SPREAD = 0.6
"""Standard deviation of the initial embeddings, large enough for attention to differ by word."""
_LONGEST = 16
"""Words of a description that count: the rarest."""


class CodeEmbeddings(nn.Module):
    """L embeddings of D dimensions, from words of E dimensions."""

    places: Tensor
    weights: Tensor

    def __init__(self, labels: int, words: int, size: int) -> None:
        super().__init__()
        self.own = nn.Parameter(torch.empty(labels, size))  # (L, D)
        self.from_words = nn.Linear(words, size, bias=False)
        nn.init.normal_(self.own, std=SPREAD)
        # Of each description: the words, and their weights, which sum to 1 or, without any, to 0.
        self.register_buffer("places", torch.full((labels, _LONGEST), PADDING))
        self.register_buffer("weights", torch.zeros(labels, _LONGEST))

    def forward(self, embedding: Tensor) -> Tensor:
        """(V, E) → (L, D)."""
        means = functional.embedding_bag(
            self.places, embedding, per_sample_weights=self.weights, mode="sum"
        )  # (L, E)
        mapped: Tensor = self.from_words(means)
        return self.own + mapped

    def describe(
        self, vocabulary: WordVocabulary, labels: LabelSpace, rarity: npt.NDArray[np.float32]
    ) -> None:
        """Take in the codes' descriptions, words weighing by `rarity` (of each known word)."""
        for at, code in enumerate(labels):
            words = [token.word for token in tokens(describe(code) or "")]
            known = np.unique(vocabulary.places(words))
            known = known[(known != UNKNOWN) & (rarity[known] > 0)]
            known = known[np.argsort(-rarity[known], kind="stable")][:_LONGEST]
            if len(known):
                self.places[at, : len(known)] = torch.from_numpy(known)
                self.weights[at, : len(known)] = torch.from_numpy(
                    rarity[known] / rarity[known].sum()
                )


def rarity(charts: Sequence[npt.NDArray[np.integer]], words: int) -> npt.NDArray[np.float32]:
    """Of each word: the logarithm of how many times fewer charts have it than there are charts."""
    counts = np.bincount(np.concatenate([np.unique(one) for one in charts]), minlength=words)
    return np.log(len(charts) / np.maximum(counts, 1)).astype(np.float32)
