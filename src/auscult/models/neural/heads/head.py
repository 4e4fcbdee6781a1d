"""The interface of a head: from the encoder's output for whole charts to scores of codes.

A head is built before its weights are known, so that a saved one can be loaded into it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Literal

from torch import Tensor, nn

from auscult.models.neural.evidence import CodePairs
from auscult.models.neural.losses import code_loss
from auscult.models.neural.network import Encoded

HeadName = Literal["cross-attention", "plm-ca", "plm-icd", "sequence"]


class Head(nn.Module, ABC):
    """A head for L codes on an encoder of H dimensions."""

    @property
    @abstractmethod
    def code_size(self) -> int:
        """Dimensions of the vector of a code in `CodePairs.codes`."""

    @abstractmethod
    def draw(self) -> None:
        """Initialize the weights at random."""

    @abstractmethod
    def start(self, shares: Tensor) -> None:
        """Initialize the biases so that scores start near each code's share of the charts, (L,)."""

    @abstractmethod
    def encoded(
        self, hidden: Tensor, mask: Tensor, firsts: Tensor | None, charts: Tensor | None
    ) -> Encoded:
        """The encoded inputs of the scores, for B charts of T tokens.

        `hidden` (B, T, H) is 0 where the mask is false. `firsts` (N, H) are the first tokens of
        all chunks, and `charts` (N,) the rows of their charts; None where only tokens are known.
        """

    @abstractmethod
    def logits(self, encoded: Encoded, codes: Tensor | slice) -> Tensor:
        """The scores of some codes before the sigmoid: (B, L)."""

    @abstractmethod
    def pairs(self, encoded: Encoded, rows: Tensor, codes: Tensor) -> CodePairs:
        """The pairs of chart (sorted) and code, (P,) each, with their explicit attention."""

    def loss(self, encoded: Encoded, gold: Tensor, gamma: float, share: Tensor | None) -> Tensor:
        """The loss against the codes of each chart, 1 in (B, L)."""
        return code_loss(self.logits(encoded, slice(None)), gold, gamma, share)
