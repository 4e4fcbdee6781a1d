"""Fine-tuning an encoder on synonyms: names of a concept near to each other, others apart.

The method of SapBERT (Liu et al. 2021): batches of pairs of names of the same concept, and the
multi-similarity loss (Wang et al. 2019) over the hard pairs of a batch. Nothing is annotated for
it: the vocabulary says which names are synonyms.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from auscult.learning.padded_rows import padded
from auscult.models.semantic.name_encoder import NameBatch, NameEncoder, Precision

_ALPHA, _BETA, _BASE = 2.0, 50.0, 0.5
_MARGIN = 0.2
"""A pair is hard that is nearer than a worse one of the other kind, or by less than this."""
_RIVALS = 8
_SHORT = 16
"""Maximum number of tokens of a name for fine-tuning."""
_ROWS = 1_024


def multi_similarity(vectors: Tensor, groups: Tensor, texts: Tensor) -> Tensor:
    """The multi-similarity loss of vectors of length 1, (N, D), over hard pairs.

    Equal strings in different groups are neither a positive nor a negative pair: the string has
    both meanings.
    """
    likeness = vectors @ vectors.T  # (N, N)
    same = groups[:, None] == groups
    text = texts[:, None] == texts
    positive, negative = same & ~text, ~same & ~text
    with torch.no_grad():
        nearest = likeness.masked_fill(~negative, -2.0).amax(1, keepdim=True)
        farthest = likeness.masked_fill(~positive, 2.0).amin(1, keepdim=True)
        positive = positive & (likeness - _MARGIN < nearest)
        negative = negative & (likeness + _MARGIN > farthest)
    near = torch.where(positive, torch.exp(-_ALPHA * (likeness - _BASE)), 0.0).sum(1)
    far = torch.where(negative, torch.exp(_BETA * (likeness - _BASE)), 0.0).sum(1)
    loss: Tensor = (near.log1p() / _ALPHA + far.log1p() / _BETA).mean()
    return loss


class SynonymTraining(nn.Module):
    """An encoder with the loss of its batches, as `learning.training.train` wants it."""

    def __init__(self, encoder: NameEncoder) -> None:
        super().__init__()
        self.names = encoder
        # Half of a small encoder is its table of words; rare ones would drift from the others.
        encoder.encoder.get_input_embeddings().requires_grad_(False)

    def forward(self, batch: NameBatch) -> Tensor:
        """The loss of a batch."""
        return multi_similarity(self.names(batch.ids, batch.mask), batch.groups, batch.texts)


def synonym_pairs(
    concepts: npt.NDArray[np.int64],
    texts: Sequence[str],
    sizes: Sequence[int],
    most: int,
    seed: int,
) -> npt.NDArray[np.int64]:
    """Pairs of names of the same concept, (P, 2), at most a given number per concept.

    Every name is in one pair before any is in a second, except one if their number is odd. Names
    with many tokens (`sizes`) are left out: they take the most time, and mentions are short.
    """
    dice = np.random.default_rng(seed)
    order = np.argsort(concepts, kind="stable")
    pairs: list[tuple[int, int]] = []
    starts = np.flatnonzero(np.diff(concepts[order], prepend=-1))
    for rows in np.split(order, starts[1:]):
        # Names that differ in case alone are one.
        own = list({texts[r].casefold(): r for r in rows.tolist() if sizes[r] <= _SHORT}.values())
        if len(own) > 1:
            mixed = dice.permutation(own).tolist()
            found = list(zip(mixed, [*mixed[1:], mixed[0]], strict=True))
            # Every second pair of the cycle has all names, but for one where their number is odd.
            found = [*found[::2], *found[1::2]]
            pairs += found[: min(most, len(found) if len(found) > 2 else 1)]
    return np.array(pairs, np.int64).reshape(-1, 2)


def near_concepts(
    encoder: NameEncoder,
    names: Sequence[str],
    *,
    device: str = "auto",
    precision: Precision = "auto",
) -> npt.NDArray[np.int64]:
    """For each concept, by its preferred name, the concepts nearest to it: (C, K)."""
    vectors = torch.from_numpy(encoder.embed(names, device=device, precision=precision))
    count = min(_RIVALS, len(names) - 1)
    found = np.zeros((len(names), count), np.int64)
    for begin in range(0, len(names), _ROWS):
        likeness = vectors[begin : begin + _ROWS] @ vectors.T
        own = torch.arange(len(likeness))
        likeness[own, own + begin] = -2.0
        found[begin : begin + _ROWS] = likeness.topk(count, dim=1).indices.numpy()
    return found


class PairBatches:
    """Makes batches of pairs of names, each pair together with a name of a similar concept.

    In a random batch, most names would be too far from each other to learn from.
    """

    def __init__(
        self,
        encoder: NameEncoder,
        texts: Sequence[str],
        groups: npt.NDArray[np.int64],
        pairs: npt.NDArray[np.int64],
        near: npt.NDArray[np.int64],
    ) -> None:
        self._tokens = encoder.tokens(texts)
        self._groups, self._pairs, self._near = groups, pairs, near
        numbers: dict[str, int] = {}
        self._texts = np.array([numbers.setdefault(t.casefold(), len(numbers)) for t in texts])
        self._rows = np.argsort(groups, kind="stable")
        self._starts = np.searchsorted(groups[self._rows], np.arange(len(near) + 1))
        self.lengths = [max(len(self._tokens[a]), len(self._tokens[b])) for a, b in pairs.tolist()]

    def __call__(self, places: Sequence[int]) -> NameBatch:
        chosen = self._pairs[list(places)]
        dice = torch.rand(2, len(chosen), dtype=torch.float64).numpy()
        near = self._near[self._groups[chosen[:, 0]]]
        rivals = near[np.arange(len(near)), (dice[0] * near.shape[1]).astype(np.int64)]
        sizes = self._starts[rivals + 1] - self._starts[rivals]
        others = self._rows[self._starts[rivals] + (dice[1] * sizes).astype(np.int64)]
        rows = np.unique(np.concatenate([chosen.ravel(), others]))
        ids, mask = padded([self._tokens[row] for row in rows.tolist()])
        return NameBatch(
            ids, mask, torch.from_numpy(self._groups[rows]), torch.from_numpy(self._texts[rows])
        )
