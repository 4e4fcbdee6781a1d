"""Notes as tokens in a memory-mapped file, cut into chunks.

A chunk never has text of two charts. The notes of a chart follow each other with a separator
between, and are cut between words, so that each chunk but a chart's last is as long as can be.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tokenizers import Encoding, Tokenizer

from auscult.core.progress import track
from auscult.core.storage import drafted
from auscult.models.neural.chunks import cut

TOKENS, EDGES, CHARTS = "tokens.u32", "edges.i64", "charts.i64"
_STARTS = np.uint32(1 << 31)
"""The bit that marks a token at the beginning of a word."""
_LETTERS = 500_000
"""Number of characters tokenized in one batch."""
_SURROGATE = re.compile("[\ud800-\udfff]")

Ids = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class TokenStore:
    """The chunks of a file of tokens: chunk i is tokens `edges[i]` up to `edges[i + 1]`."""

    tokens: npt.NDArray[np.uint32]
    edges: Ids
    charts: int

    @classmethod
    def open(cls, directory: Path) -> TokenStore:
        """What `write_tokens` wrote, mapped into memory."""
        edges = np.fromfile(directory / EDGES, np.int64)
        charts = int(np.fromfile(directory / CHARTS, np.int64)[0])
        if len(edges) == 1:  # an empty file cannot be mapped
            return cls(np.zeros(0, np.uint32), edges, charts)
        return cls(np.memmap(directory / TOKENS, np.uint32, mode="r"), edges, charts)

    def __len__(self) -> int:
        return len(self.edges) - 1

    @property
    def lengths(self) -> Ids:
        """The number of tokens of each chunk."""
        return np.diff(self.edges)

    def chunk(self, at: int) -> tuple[Ids, Flags]:
        """The tokens of a chunk, and which of them begin a word."""
        some = np.asarray(self.tokens[self.edges[at] : self.edges[at + 1]])
        return (some & ~_STARTS).astype(np.int64), (some & _STARTS) != 0


def write_tokens(
    charts: Iterable[Sequence[str]],
    tokenizer: Tokenizer,
    directory: Path,
    *,
    room: int,
    separator: int | None,
    special: Ids,
) -> None:
    """Write the texts of charts as tokens, in chunks of at most `room`.

    Chunks of nothing but `special` tokens, which are never predicted, are left out.
    """
    edges, count = [0], 0
    with drafted(directory) as draft:
        draft.mkdir()
        with (draft / TOKENS).open("wb") as handle:
            for notes in _tokenized(charts, tokenizer):
                count += 1
                for chunk in _chunks(notes, room, separator, special):
                    chunk.tofile(handle)
                    edges.append(edges[-1] + len(chunk))
        np.array(edges, np.int64).tofile(draft / EDGES)
        np.array([count], np.int64).tofile(draft / CHARTS)


def tokens_in_memory(
    charts: Sequence[Sequence[str]],
    tokenizer: Tokenizer,
    *,
    room: int,
    separator: int | None,
    special: Ids,
) -> TokenStore:
    """What `write_tokens` would write for a few charts, without a file."""
    chunks = [
        chunk
        for notes in _tokenized(charts, tokenizer)
        for chunk in _chunks(notes, room, separator, special)
    ]
    edges = np.cumsum([0, *map(len, chunks)], dtype=np.int64)
    return TokenStore(np.concatenate([np.zeros(0, np.uint32), *chunks]), edges, len(charts))


def _chunks(
    notes: Sequence[tuple[Ids, Flags]], room: int, separator: int | None, special: Ids
) -> Iterator[npt.NDArray[np.uint32]]:
    """A chart's tokens, each with its bit, chunk by chunk."""
    ids, starts = _joined(notes, separator)
    for piece in cut(starts, room, 0):
        some = ids[piece.first : piece.last]
        if np.isin(some, special).all():
            continue
        begins = starts[piece.first : piece.last].copy()
        begins[0] = True
        yield some.astype(np.uint32) | np.where(begins, _STARTS, np.uint32(0))


def _tokenized(
    charts: Iterable[Sequence[str]], tokenizer: Tokenizer
) -> Iterator[list[tuple[Ids, Flags]]]:
    """The notes of each chart as tokens, tokenized in large batches to use all cores."""
    for some in track(_batches(charts), "tokenizing"):
        every = [_SURROGATE.sub("\ufffd", text) for notes in some for text in notes]
        made = iter(tokenizer.encode_batch(every, add_special_tokens=False))
        for notes in some:
            yield [_pieces(next(made)) for _ in notes]


def _batches(charts: Iterable[Sequence[str]]) -> Iterator[list[Sequence[str]]]:
    some: list[Sequence[str]] = []
    letters = 0
    for notes in charts:
        some.append(notes)
        letters += sum(map(len, notes))
        if letters >= _LETTERS:
            yield some
            some, letters = [], 0
    if some:
        yield some


def _pieces(encoded: Encoding) -> tuple[Ids, Flags]:
    """The tokens of a note, and which begin a word according to the tokenizer."""
    words = np.array([-1 if word is None else word for word in encoded.word_ids], np.int64)
    starts = np.ones(len(words), bool)
    starts[1:] = (words[1:] != words[:-1]) | (words[1:] < 0)
    return np.array(encoded.ids, np.int64), starts


def _joined(notes: Sequence[tuple[Ids, Flags]], separator: int | None) -> tuple[Ids, Flags]:
    """The notes of a chart one after another."""
    full = [note for note in notes if len(note[0])]
    between = [] if separator is None else [separator]
    ids: list[Ids] = [np.zeros(0, np.int64)]
    starts: list[Flags] = [np.zeros(0, bool)]
    for at, (some, begins) in enumerate(full):
        if at:
            ids.append(np.array(between, np.int64))
            starts.append(np.ones(len(between), bool))
        ids.append(some)
        starts.append(begins)
    return np.concatenate(ids), np.concatenate(starts)
