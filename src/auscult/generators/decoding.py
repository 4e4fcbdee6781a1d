"""Decoding: greedy search, beam search or sampling, for many records at once.

A network is asked for the next word only, and returns a state that holds everything before it. The
words chosen for a record do not depend on the other records of the batch: everything is computed in
double precision, where the order of additions, which the batch size may change, does not decide
between two words; and each record has random numbers of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from auscult.generators.contract import TextDecoding

_START, _FACTOR, _WRAP = -3750763034362895579, 1099511628211, 2**64

State = tuple[Tensor, ...]
"""Tensors whose rows are hypotheses."""


class DecodableNetwork(Protocol):
    """What decoding needs of a network. Rows are hypotheses."""

    begin: int
    end: int
    never: tuple[int, ...]
    """Words that must not be chosen: padding, unknown words, the beginning."""

    def step(self, words: Tensor, state: State) -> tuple[Tensor, State]:
        """From the last word of each row, (N,), to the logits of the next, (N, V)."""
        ...


@dataclass(frozen=True, slots=True)
class DecodingTask:
    """A network, the initial state of B records, and the maximum length."""

    network: DecodableNetwork
    state: State
    longest: int
    guarded: Tensor = field(default_factory=lambda: torch.zeros(0, dtype=torch.int64))
    """Hashes of texts that must not be generated; see `mark`."""

    @property
    def records(self) -> int:
        """How many there are."""
        return len(self.state[0])


def decode(
    task: DecodingTask, how: TextDecoding,
    dice: np.ndarray[tuple[int, int], np.dtype[np.float64]],
           ) -> list[list[int]]:  # fmt: skip
    """The words generated for each record, without the end. `dice` has random numbers for each."""
    with torch.inference_mode():
        if how.strategy == "beam":
            return beam(task, how.num_beams, how.length_penalty)
        return draw(task, how, torch.from_numpy(dice))


def mark(text: Iterable[int]) -> int:
    """A hash of a text, by which it can be recognized but not read."""
    made = _START
    for word in text:
        made = (made ^ word) * _FACTOR % _WRAP
        made -= _WRAP if made >= _WRAP // 2 else 0
    return made


def _marked(marks: Tensor, words: Tensor) -> Tensor:
    """The hashes of texts with one more word: FNV-1a, in integers that wrap around."""
    return (marks ^ words) * _FACTOR


def draw(task: DecodingTask, how: TextDecoding, dice: Tensor) -> list[list[int]]:
    """Greedy search or sampling, word by word; `dice` is (B, longest)."""
    network = task.network
    state, rows = task.state, torch.arange(task.records)
    last = torch.full((task.records,), network.begin)
    marks = torch.full((task.records,), _START)
    texts: list[list[int]] = [[] for _ in range(task.records)]
    for at in range(task.longest):
        likely, state = _next(task, last, state, marks, at)
        is_greedy = how.strategy == "greedy"
        chosen = likely.argmax(1) if is_greedy else sample(likely, how, dice[rows, at])
        going = chosen != network.end
        rows, last = rows[going], chosen[going]
        marks = _marked(marks[going], last)
        state = _take(state, going.nonzero()[:, 0])
        for row, word in zip(rows.tolist(), last.tolist(), strict=True):
            texts[row].append(word)
        if not len(rows):
            break
    return texts


def sample(likely: Tensor, how: TextDecoding, dice: Tensor) -> Tensor:
    """A word for each row of log-probabilities (N, V), by random numbers (N,) from 0 to 1."""
    scores, words = (likely / how.temperature).sort(dim=1, descending=True, stable=True)
    if how.top_k is not None:
        scores[:, how.top_k :] = -torch.inf
    shares = scores.softmax(1)
    if how.top_p is not None:
        before = shares.cumsum(1) - shares  # so that the word that reaches the share is kept
        shares = shares.masked_fill(before >= how.top_p, 0.0)
    reached = shares.cumsum(1)
    place = torch.searchsorted(reached, (dice * reached[:, -1])[:, None], right=True)
    last = (shares > 0).sum(1, keepdim=True) - 1
    return words.gather(1, torch.minimum(place, last))[:, 0]


def beam(task: DecodingTask, width: int, length_penalty: float) -> list[list[int]]:
    """Beam search with `width` hypotheses for each record.

    A hypothesis that ends makes room for another. Those that have not ended at the maximum length
    are kept, and compete with the others. What a hypothesis can still reach is its log-probability
    now, which more words only lower, divided by the maximum length, at which a log-probability
    counts least. One that would not be better than the best finished one then is dropped, as all
    that comes of it would be; the search for a record ends when none is left.
    """
    network, longest = task.network, task.longest
    rows = torch.arange(task.records)  # (R,) records not done yet
    scores = torch.full((task.records, width), -torch.inf, dtype=torch.float64)
    scores[:, 0] = 0.0  # all start alike, so only one counts
    is_open = scores > -torch.inf  # (R, W); only these, H altogether, have a state
    state, marks = task.state, torch.full((task.records,), _START)  # (H, …), (H,)
    words = torch.full((task.records, width, 1), network.begin)  # (R, W, T)
    best = _Best.none(task.records)
    for at in range(longest):
        likely, state = _next(task, words[is_open][:, -1], state, marks, at)  # (H, V)
        size = likely.shape[1]
        total = likely.new_full((len(rows), width, size), -torch.inf)
        total[is_open] = scores[is_open][:, None] + likely
        best.keep(rows, total[:, :, network.end] / (at + 1) ** length_penalty, words)
        total[:, :, network.end] = -torch.inf
        scores, places = total.flatten(1).topk(width)  # (R, W)
        parents = places // size
        words = torch.cat(
            [words.gather(1, parents[:, :, None].expand(-1, -1, at + 1)),
             (places % size)[:, :, None]], 2,
        )  # fmt: skip
        reachable = scores / longest**length_penalty
        if at + 1 == longest:
            best.keep(rows, reachable, words)
            break
        number = (is_open.flatten().cumsum(0) - 1).view_as(is_open).gather(1, parents)
        is_open = reachable > best.scores[rows, None]
        kept = is_open.any(1)
        if not kept.any():
            break
        chosen = number[is_open]
        state, marks = _take(state, chosen), _marked(marks[chosen], words[is_open][:, -1])
        rows, scores, words, is_open = rows[kept], scores[kept], words[kept], is_open[kept]
    return best.texts


@dataclass(frozen=True, slots=True)
class _Best:
    """The best finished hypothesis of each record."""

    scores: Tensor
    texts: list[list[int]]

    @classmethod
    def none(cls, records: int) -> _Best:
        """Before any has finished."""
        scores = torch.full((records,), -torch.inf, dtype=torch.float64)
        return cls(scores, [[] for _ in range(records)])

    def keep(self, rows: Tensor, scores: Tensor, words: Tensor) -> None:
        """Take the finished hypotheses that are better: (R,), (R, W), (R, W, T)."""
        top, which = scores.max(1)
        better = top > self.scores[rows]
        rows, which, words = rows[better], which[better], words[better]
        self.scores[rows] = top[better]
        chosen = words[torch.arange(len(rows)), which, 1:]
        for row, text in zip(rows.tolist(), chosen.tolist(), strict=True):
            self.texts[row] = text


def _next(
    task: DecodingTask, last: Tensor, state: State, marks: Tensor, at: int
) -> tuple[Tensor, State]:  # fmt: skip
    """The log-probabilities of the words allowed at a position, and the next state."""
    logits, state = task.network.step(last, state)
    logits[:, list(task.network.never)] = -torch.inf
    if at == 0:  # a text has at least one word
        logits[:, task.network.end] = -torch.inf
    elif len(task.guarded):  # and is not one of those that must go on
        logits[torch.isin(marks, task.guarded), task.network.end] = -torch.inf
    if at + 1 == task.longest and len(task.guarded):  # nor cut where it would be one
        cut = _marked(marks[:, None], torch.arange(logits.shape[1]))  # (N, V)
        logits = logits.masked_fill(torch.isin(cut, task.guarded), -torch.inf)
    return logits.log_softmax(1), state


def _take(state: State, rows: Tensor) -> State:
    return tuple(each.index_select(0, rows) for each in state)
