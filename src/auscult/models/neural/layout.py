"""The positions of a batch's tokens in the chunks that go through the encoder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields

import numpy as np
import torch
from torch import Tensor

from auscult.models.neural.batching import ChartBatch, EncodedChart, collate
from auscult.models.neural.subwords import ChartPieces, Subwords


@dataclass(frozen=True, slots=True, eq=False)
class PieceItem(EncodedChart):
    """A chart as numbers: `words` are its pieces, and evidence is of pieces too."""

    pieces: ChartPieces = field(kw_only=True)


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """K chunks padded to the longest of them, that the encoder takes at once.

    `source` says what stands where: the special pieces come first, then the batch's T pieces a
    chart, chart after chart.
    """

    source: Tensor  # (K, C)
    mask: Tensor  # (K, C), true where there is a piece


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """The chunks of B charts of T tokens, and where the encoding of each token is found."""

    groups: tuple[Group, ...]
    places: Tensor  # (B, T): in the outputs of all groups, one after another
    firsts: Tensor  # (N,): of the first token of every chunk, in the same outputs
    charts: Tensor  # (N,): the chart of every chunk

    def to(self, device: torch.device, *, non_blocking: bool = False) -> Layout:
        """The same on another device."""
        return self._each(lambda part: part.to(device, non_blocking=non_blocking))

    def pin_memory(self) -> Layout:
        """A copy in pinned memory."""
        return self._each(lambda part: part.pin_memory())

    def _each(self, change: Callable[[Tensor], Tensor]) -> Layout:
        groups = tuple(Group(change(one.source), change(one.mask)) for one in self.groups)
        return Layout(groups, change(self.places), change(self.firsts), change(self.charts))


@dataclass(frozen=True, slots=True, eq=False)
class PieceBatch(ChartBatch):
    """Charts in pieces, padded to the longest of them."""

    layout: Layout


def collate_pieces(
    items: Sequence[PieceItem], labels: int, subwords: Subwords, at_once: int
) -> PieceBatch:
    """Items as one batch whose chunks go through the encoder `at_once`."""
    batch = collate(items, labels)
    parts = {part.name: getattr(batch, part.name) for part in fields(ChartBatch)}
    layout = lay_out([one.pieces for one in items], batch.words.shape[1], subwords, at_once)
    return PieceBatch(**parts, layout=layout)


def lay_out(
    charts: Sequence[ChartPieces], longest: int, subwords: Subwords, at_once: int
) -> Layout:
    """The layout of charts padded to `longest` pieces; chunks of similar length go together."""
    before, after = len(subwords.before), len(subwords.after)
    specials = np.arange(before + after)
    chunks = [(row, chunk) for row, one in enumerate(charts) for chunk in one.chunks]
    chunks.sort(key=lambda pair: pair[1].begin - pair[1].end)
    places = np.zeros((len(charts), longest), np.int64)
    groups: list[Group] = []
    firsts: list[int] = []
    done = 0
    for begin in range(0, len(chunks), at_once):
        some = chunks[begin : begin + at_once]
        width = before + some[0][1].end - some[0][1].begin + after
        source = np.zeros((len(some), width), np.int64)
        mask = np.zeros((len(some), width), bool)
        for at, (row, chunk) in enumerate(some):
            shift = len(specials) + row * longest
            inside = np.arange(chunk.begin, chunk.end) + shift
            line = np.concatenate([specials[:before], inside, specials[before:]])
            source[at, : len(line)] = line
            mask[at, : len(line)] = True
            firsts.append(done + at * width)
            start = done + at * width + before - chunk.begin
            places[row, chunk.first : chunk.last] = start + np.arange(chunk.first, chunk.last)
        groups.append(Group(torch.from_numpy(source), torch.from_numpy(mask)))
        done += source.size
    return Layout(
        tuple(groups),
        torch.from_numpy(places),
        torch.tensor(firsts, dtype=torch.int64),
        torch.tensor([row for row, _ in chunks], dtype=torch.int64),
    )
