"""The loss of label-wise attention and its gradient in one pass, for a CPU.

The score of a code is the softmax of its query over the words, times the product of its weight with
each word: Σ softmax(H u) · (H w). So both need one row of T numbers for each code. The codes are
scored in blocks whose rows fit in the cache. The score determines the derivative of the loss, so
the gradient is computed while the rows are still in the cache. Autograd would return to them after
all codes, and compute them a second time.
"""

from __future__ import annotations

from typing import Any, cast

import torch
from torch import Tensor
from torch.autograd import Function
from torch.nn import functional

from auscult.models.neural.losses import code_loss, code_slopes, code_weights

_STEP = 64
"""Words that a chart is filled up to a multiple of."""
_BLOCK = 1 << 19
"""Elements of a block per thread: two megabytes, which fit in the cache of a core."""


def is_in_one_pass(keys: Tensor) -> bool:
    """Whether keys can be processed in one pass; on a GPU or in half precision, they are not."""
    return (
        keys.device.type == "cpu"
        and keys.dtype in (torch.float32, torch.float64)
        and not torch.is_autocast_enabled("cpu")
        and torch.is_grad_enabled()
    )


def attended_loss(
    queries: Tensor,
    weight: Tensor,
    bias: Tensor,
    keys: Tensor,
    mask: Tensor,
    gold: Tensor,
    gamma: float = 0.0,
    share: Tensor | None = None,
) -> Tensor:
    """The `code_loss` of L codes over B charts, from queries and weights (L, D) and keys (B, T, D).

    `mask`, (B, T), is true at words; a code reads nothing in a chart without any.
    """
    found = _AttendedLoss.apply(queries, weight, bias, keys, mask, gold, gamma, share)  # type: ignore[no-untyped-call]  # torch publishes no type of it
    return cast(Tensor, found)


class _AttendedLoss(Function):
    @staticmethod
    def forward(
        ctx: Any,
        queries: Tensor,
        weight: Tensor,
        bias: Tensor,
        keys: Tensor,
        mask: Tensor,
        gold: Tensor,
        gamma: float,
        share: Tensor | None,
    ) -> Tensor:
        slopes = [torch.zeros_like(each) for each in (queries, weight, bias, keys)]
        logits = bias.repeat(len(keys), 1)  # (B, L)
        for row in range(len(keys)):
            own = keys[row][mask[row]]
            # A length that came before costs less: oneDNN prepares for each anew, and keeps that.
            words = functional.pad(own, (0, 0, 0, -len(own) % _STEP))  # (T, D)
            by_dimension = words.T.contiguous()
            to_words = torch.zeros_like(by_dimension)  # (D, T)
            size = max(1, _BLOCK * torch.get_num_threads() // (2 * max(1, len(words))))
            for begin in range(0, len(bias), size):
                some = slice(begin, begin + size)
                asked, weighed = queries[some], weight[some]  # (N, D)
                both = _products(torch.cat([asked, weighed]), words)  # (2 N, T)
                attention, value = both[: len(asked)], both[len(asked) :]
                attention[:, len(own) :] = -torch.inf
                torch.softmax(attention, 1, out=attention)
                read = torch.linalg.vecdot(attention, value)  # (N,)
                logits[row, some] += read
                slope = code_slopes(logits[row, some], gold[row, some], gamma)
                if share is not None:
                    slope *= code_weights(gold[row, some], share[some])
                slopes[2][some] += slope
                # In place: the slopes of the values, and of what the softmax was taken of.
                attention *= slope[:, None]
                value -= read[:, None]
                value *= attention
                to_codes = _products(both, by_dimension)  # (2 N, D)
                slopes[1][some] += to_codes[: len(asked)]
                slopes[0][some] += to_codes[len(asked) :]
                to_words += _products(torch.cat([weighed, asked]).T, both.T)
            slopes[3][row, mask[row]] = to_words[:, : len(own)].T
        whole = gold.numel() if share is None else code_weights(gold, share).sum()
        ctx.save_for_backward(*(each.div_(whole) for each in slopes))
        return code_loss(logits, gold, gamma, share)

    @staticmethod
    def backward(ctx: Any, *slope: Tensor) -> Any:
        return (*(each * slope[0] for each in ctx.saved_tensors), None, None, None, None)


def _products(given: Tensor, matrix: Tensor) -> Tensor:
    """(M, D) and (N, D) → (M, N): the inner products of all pairs of rows.

    The library that torch uses for matrix products does not use the widest instructions of every
    CPU; oneDNN does. The operator is the one that torch's compiler uses for it: the public way
    through `to_mkldnn` copies the matrices, which takes longer than to multiply them.
    """
    if _ONEDNN is None or given.dtype != torch.float32 or not given.numel() or not matrix.numel():
        return given @ matrix.T
    found: Tensor = _ONEDNN(given, matrix, None, "none", [], "")
    return found


def _onednn() -> Any:
    """The operator, where this build of torch has it."""
    is_there: bool = torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]  # torch publishes no type of it
    return getattr(torch.ops.mkldnn, "_linear_pointwise", None) if is_there else None


_ONEDNN = _onednn()
