"""A linear-chain conditional random field over sparse features, trained by L-BFGS.

Lafferty, McCallum & Pereira 2001. Forward and backward passes run over all sequences at once, the
longest first, so that at each step the unfinished sequences are the first rows of an array.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.optimize import minimize

from auscult.core.threads import one_blas_thread
from auscult.learning.arrays import stored_arrays

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
_NEVER = -1e4


@dataclass(frozen=True, eq=False)
class SequenceSteps:
    """Positions of the tokens when all sequences are processed step by step."""

    order: Integers
    """The rows of tokens, step by step: all first tokens, all second ones …"""
    sizes: Integers
    """The number of unfinished sequences at each step."""

    @classmethod
    def of(cls, lengths: Integers) -> SequenceSteps:
        """The steps of sequences whose tokens lie end to end."""
        begins = np.cumsum(lengths) - lengths
        longest = np.argsort(-lengths, kind="stable")
        begins, lengths = begins[longest], lengths[longest]
        top = int(lengths[0]) if len(lengths) else 0
        sizes = np.array([int((lengths > at).sum()) for at in range(top)], np.int64)
        order = [begins[:size] + at for at, size in enumerate(sizes.tolist())]
        return cls(np.concatenate(order) if order else np.zeros(0, np.int64), sizes)

    def split(self, by_step: Floats) -> list[Floats]:
        """An array in step order, as one array a step."""
        return np.split(by_step, np.cumsum(self.sizes)[:-1]) if len(self.sizes) else []


@dataclass(frozen=True, eq=False)
class Crf:
    """Weights of the features for each tag, and of the transitions between tags."""

    weights: npt.NDArray[np.float32]  # (features, tags)
    follows: npt.NDArray[np.float32]  # (tags, tags)
    begins: npt.NDArray[np.float32]  # (tags,)
    ends: npt.NDArray[np.float32]  # (tags,)

    @classmethod
    @one_blas_thread()
    def fit(
        cls,
        table: sparse.csr_matrix,
        lengths: Integers,
        tags: Integers,
        allowed: tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_], npt.NDArray[np.bool_]],
        *,
        c2: float,
        max_iterations: int,
    ) -> Crf:
        """Train on the features and tags of tokens; sequences are concatenated.

        `allowed` says which tag may follow which, begin and end; `c2` is the
        coefficient of the L2 regularization.
        """
        may_follow, may_begin, may_end = allowed
        count, width = len(may_begin), table.shape[1]
        steps = SequenceSteps.of(lengths)
        table = table[steps.order]  # in step order from here on
        tags = tags[steps.order]
        across = table.T.tocsr()
        # Features that no token has stay at nothing.
        used = np.flatnonzero(np.diff(across.indptr))
        table, across = table[:, used], across[used]
        gold = np.zeros((len(tags), count))
        gold[np.arange(len(tags)), tags] = 1
        observed = across @ gold
        gold_steps = steps.split(gold)
        pairs = np.zeros((count, count))
        first, last = gold_steps[0].sum(axis=0), np.zeros(count)
        for at in range(len(gold_steps)):
            here = gold_steps[at]
            going = len(gold_steps[at + 1]) if at + 1 < len(gold_steps) else 0
            last += here[going:].sum(axis=0)
            if going:
                pairs += here[:going].T @ gold_steps[at + 1]
        shape = (len(used), count)
        cut = np.cumsum([shape[0] * count, count * count, count])

        def loss(flat: Floats) -> tuple[float, Floats]:
            weights, follows, begins, ends = np.split(flat, cut)
            weights, follows = weights.reshape(shape), follows.reshape(count, count)
            scores = np.asarray(table @ weights)
            walked = _walk(
                steps,
                scores,
                np.where(may_follow, follows, _NEVER),
                np.where(may_begin, begins, _NEVER),
                np.where(may_end, ends, _NEVER),
            )
            score = (
                (weights * observed).sum() + (follows * pairs).sum() + begins @ first + ends @ last
            )
            value = walked.total - score + c2 * float(flat @ flat)
            slope = np.concatenate(
                [
                    (across @ walked.shares - observed).ravel(),
                    ((walked.pairs - pairs) * may_follow).ravel(),
                    (walked.first - first) * may_begin,
                    (walked.last - last) * may_end,
                ]
            )
            return value, slope + 2 * c2 * flat

        start = np.zeros(int(cut[-1]) + count)
        options = {"maxiter": max_iterations}
        found = minimize(loss, start, jac=True, method="L-BFGS-B", options=options).x
        weights, follows, begins, ends = np.split(found, cut)
        whole = np.zeros((width, count), np.float32)
        whole[used] = weights.reshape(shape)
        return cls(
            whole,
            np.where(may_follow, follows.reshape(count, count), _NEVER).astype(np.float32),
            np.where(may_begin, begins, _NEVER).astype(np.float32),
            np.where(may_end, ends, _NEVER).astype(np.float32),
        )

    def tag(self, table: sparse.csr_matrix, lengths: Integers) -> tuple[Integers, Floats]:
        """The most likely tags of tokens, and the marginal probability of each."""
        steps = SequenceSteps.of(lengths)
        if not len(steps.order):
            return np.zeros(0, np.int64), np.zeros(0)
        scores = np.asarray(table[steps.order] @ self.weights, float)
        follows, begins, ends = (
            part.astype(float) for part in (self.follows, self.begins, self.ends)
        )
        shares = _walk(steps, scores, follows, begins, ends).shares
        best = _best(steps, scores, follows, begins, ends)
        tags = np.zeros(len(best), np.int64)
        sure = np.zeros(len(best))
        tags[steps.order] = best
        sure[steps.order] = shares[np.arange(len(best)), best]
        return tags, sure

    def save(self, file: Path) -> None:
        """Write the weights."""
        arrays: dict[str, Any] = {one.name: getattr(self, one.name) for one in fields(self)}
        np.savez_compressed(file, **arrays)

    @classmethod
    def load(cls, file: Path) -> Crf:
        """What `save` wrote."""
        with stored_arrays(file) as held:
            return cls(*(held[one.name] for one in fields(cls)))


@dataclass(frozen=True, slots=True, eq=False)
class _Walked:
    """What forward and backward give: the log-sum over all taggings, and expected counts."""

    total: float
    shares: Floats  # (tokens, tags), in step order
    pairs: Floats  # (tags, tags)
    first: Floats  # (tags,)
    last: Floats  # (tags,)


def _log_sum(scores: Floats, axis: int) -> Floats:
    top = scores.max(axis=axis, keepdims=True)
    summed: Floats = np.log(np.exp(scores - top).sum(axis=axis)) + top.squeeze(axis)
    return summed


def _walk(
    steps: SequenceSteps, scores: Floats, follows: Floats, begins: Floats, ends: Floats
) -> _Walked:
    per_step = steps.split(scores)
    forward = [per_step[0] + begins]
    for here in per_step[1:]:
        before = forward[-1][: len(here)]  # (S, T)
        forward.append(_log_sum(before[:, :, None] + follows, axis=1) + here)
    backward: list[Floats] = [np.zeros(0)] * len(per_step)
    after: Floats | None = None
    for at in range(len(per_step) - 1, -1, -1):
        size, count = per_step[at].shape
        here = np.broadcast_to(ends, (size, count)).copy()
        if after is not None:
            coming = per_step[at + 1] + after  # (S', T)
            here[: len(coming)] = _log_sum(follows + coming[:, None, :], axis=2)
        backward[at] = after = here
    totals = _log_sum(forward[0] + backward[0], axis=1)  # (S,)
    pairs = np.zeros_like(follows)
    shares = []
    last = np.zeros(len(ends))
    for at, (left, right) in enumerate(zip(forward, backward, strict=True)):
        share = np.exp(left + right - totals[: len(left), None])
        shares.append(share)
        going = len(forward[at + 1]) if at + 1 < len(forward) else 0
        last += share[going:].sum(axis=0)
        if going:
            coming = per_step[at + 1] + backward[at + 1]
            joint = left[:going, :, None] + follows + coming[:, None, :]
            pairs += np.exp(joint - totals[:going, None, None]).sum(axis=0)
    return _Walked(float(totals.sum()), np.concatenate(shares), pairs, shares[0].sum(axis=0), last)


def _best(
    steps: SequenceSteps, scores: Floats, follows: Floats, begins: Floats, ends: Floats
) -> Integers:
    """The likeliest tagging of every sequence (Viterbi), in step order."""
    per_step = steps.split(scores)
    best = [per_step[0] + begins]
    origins: list[Integers] = []
    for here in per_step[1:]:
        ways = best[-1][: len(here), :, None] + follows  # (S, from, to)
        origins.append(ways.argmax(axis=1))
        best.append(ways.max(axis=1) + here)
    chosen: list[Integers] = [np.zeros(0, np.int64)] * len(per_step)
    for at in range(len(per_step) - 1, -1, -1):
        tags = (best[at] + ends).argmax(axis=1)
        if at + 1 < len(per_step):
            going = len(per_step[at + 1])
            rows = np.arange(going)
            tags[:going] = origins[at][rows, chosen[at + 1]]
        chosen[at] = tags
    return np.concatenate(chosen)
