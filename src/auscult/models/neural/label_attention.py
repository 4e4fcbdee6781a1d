"""Label-wise attention: each code attends to a chart with its own query.

With keys H of T words and an embedding u of each code, a code's attention is softmax(H u) and
what it reads is the sum of the keys so weighted. For all codes at once that is softmax(U Hᵀ) H,
whose L × T weights would fill the memory: 8,921 codes × 3,500 words × 8 charts is a gigabyte a
copy, and training keeps several. Nobody looks at them, so they are never there: torch's fused
attention goes over them in blocks and computes them again on the way back. The weights
themselves are made for the few pairs of chart and code whose evidence is wanted.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

_MULTIPLE = 8
"""The dimensions must be a multiple of this: 16 bytes in bf16."""


def attend(queries: Tensor, keys: Tensor, mask: Tensor, values: Tensor | None = None) -> Tensor:
    """The attended vectors of L codes over B charts: (L, D), (B, T, D), (B, T) → (B, L, D).

    `mask` is true where there is a word; padding has no weight. With `values`, (B, T, D), those
    are what is read, and the keys only say where.
    """
    size = keys.shape[2] if values is None else values.shape[2]
    every = _fit(queries.to(keys.dtype)).expand(len(keys), 1, -1, -1)  # (B, 1, L, D)
    heads = _fit(keys)[:, None]  # (B, 1, T, D)
    given = heads if values is None else _fit(values)[:, None]
    read = functional.scaled_dot_product_attention(
        every, heads, given, attn_mask=mask[:, None, None], scale=1.0
    )
    return read[:, 0, :, :size]


def _fit(vectors: Tensor) -> Tensor:
    """The same vectors as fused kernels take them, or torch falls back to making all weights.

    They are in one piece and, for a GPU, of a multiple of eight dimensions; zeros add nothing to a
    product.
    """
    missing = -vectors.shape[-1] % _MULTIPLE
    return functional.pad(vectors, (0, missing)) if missing else vectors.contiguous()


def log_attention(
    queries: Tensor, keys: Tensor, mask: Tensor, rows: Tensor, codes: Tensor
) -> Tensor:
    """The logarithm of the attention of P pairs of chart (sorted) and code: (P, T).

    It is −∞ at padding.
    """
    counts = torch.bincount(rows, minlength=len(keys)).tolist()
    queried = torch.split_with_sizes(queries.to(keys.dtype)[codes], counts)  # B × (P_b, D)
    # Chart by chart: gathering the keys of each pair would copy them P times.
    logits = torch.cat([some @ key.T for some, key in zip(queried, keys, strict=True)])  # (P, T)
    return logits.float().masked_fill(~mask[rows], -torch.inf).log_softmax(1)
