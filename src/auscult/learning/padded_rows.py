"""Rows of tokens of different lengths as one array."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def padded(rows: Sequence[Sequence[int]], padding: int = 0) -> tuple[Tensor, Tensor]:
    """Rows of tokens padded into one array, (N, T), and its mask: true where there is a token.

    >>> ids, mask = padded([[5, 6], [7]])
    >>> ids.tolist(), mask.tolist()
    ([[5, 6], [7, 0]], [[True, True], [True, False]])
    """
    ids = nn.utils.rnn.pad_sequence(
        [torch.tensor(row, dtype=torch.int64) for row in rows],
        batch_first=True,
        padding_value=padding,
    )
    sizes = torch.tensor([len(row) for row in rows])
    return ids, torch.arange(ids.shape[1]) < sizes[:, None]
