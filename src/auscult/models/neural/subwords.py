"""Subword tokens of a chart, as a pretrained encoder reads them, and their words.

The encoder reads the notes as they are written: with their capitals, punctuation and numbers.
Characters tell which word of the chart each piece is of. A piece that is of no word (a comma, a
number that is left out) is context: it is attended to, but no evidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from auscult.core import AuscultError, storage
from auscult.models.chart_text import ChartText
from auscult.models.neural.chunks import Chunk, cut

FILE = "tokenizer.json"
_SURROGATE = re.compile("[\ud800-\udfff]")

Indices = npt.NDArray[np.int32]
_Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class ChartPieces:
    """A chart in pieces: `ids[i]` is piece i, and the chunks say how they are encoded.

    Link k says that piece `piece_of[k]` is of word `word_of[k]` of the chart. A piece can be of
    two words ("1.5"); `share[k]` is then a half.
    """

    ids: Indices
    chunks: tuple[Chunk, ...]
    piece_of: Indices
    word_of: Indices
    share: npt.NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.ids)

    def of_words(self, begin: int, end: int) -> Indices:
        """The pieces of words `begin` up to `end`."""
        return np.unique(self.piece_of[(self.word_of >= begin) & (self.word_of < end)])

    def summed(self, weights: npt.NDArray[np.float32], words: int) -> npt.NDArray[np.float32]:
        """A weight for each word: the sum over its pieces, a piece of two words halved."""
        given = weights[self.piece_of] * self.share
        return np.bincount(self.word_of, given, words).astype(np.float32)

    def largest(self, weights: npt.NDArray[np.float32], words: int) -> npt.NDArray[np.float32]:
        """A weight for each word: the largest of its pieces."""
        made = np.zeros(words, np.float32)
        np.maximum.at(made, self.word_of, weights[self.piece_of])
        return made


@dataclass(frozen=True, slots=True, eq=False)
class Subwords:
    """A tokenizer and the size of the chunks its pieces are cut into.

    Every chunk stands between `before` and `after`: the ids of [CLS] and [SEP], or whatever the
    encoder was trained with. `room` is what is left for pieces.
    """

    tokenizer: Tokenizer
    before: tuple[int, ...]
    after: tuple[int, ...]
    room: int
    overlap: int

    @classmethod
    def of(cls, tokenizer: Tokenizer, chunk: int, overlap: int | None) -> Subwords:
        """Chunks of `chunk` pieces that share `overlap` of them, an eighth by default."""
        tokenizer.no_truncation()
        tokenizer.no_padding()
        sample = tokenizer.encode("a")
        inside = np.flatnonzero(np.array(sample.special_tokens_mask) == 0)
        edge = (int(inside[0]), int(inside[-1]) + 1) if len(inside) else (len(sample.ids),) * 2
        before, after = tuple(sample.ids[: edge[0]]), tuple(sample.ids[edge[1] :])
        room = chunk - len(before) - len(after)
        shared = chunk // 8 if overlap is None else overlap
        if not 0 <= shared < room:
            raise AuscultError(
                f"A chunk of {chunk} tokens has room for {max(room, 0)} tokens of a note, which "
                f"is not more than the overlap of {shared}. Raise chunk_size or lower "
                "chunk_overlap."
            )
        return cls(tokenizer, before, after, room, shared)

    def pieces(self, text: ChartText) -> ChartPieces:
        """A chart in pieces. Where the chart was cut, the text behind its last word is not read."""
        ids: list[Indices] = []
        links: list[tuple[_Places, _Places]] = []
        chunks: list[Chunk] = []
        done = 0
        for written, first, last in _notes(text):
            found = self.tokenizer.encode(written, add_special_tokens=False)
            # Offsets are of code points, in the text as it was given.
            offsets = np.array(found.offsets, np.int64).reshape(-1, 2)
            some = _links(offsets, text.begins[first:last], text.ends[first:last])
            links.append((some[0] + done, some[1] + first))
            chunks += [
                Chunk(c.begin + done, c.end + done, c.first + done, c.last + done)
                for c in cut(_starts(some, offsets), self.room, self.overlap)
            ]
            ids.append(np.array(found.ids, np.int32))
            done += len(found.ids)
        # In half of the usual bytes: those of all training charts are held.
        nothing = np.zeros(0, np.int32)
        piece_of = np.concatenate([nothing, *(piece.astype(np.int32) for piece, _ in links)])
        word_of = np.concatenate([nothing, *(word.astype(np.int32) for _, word in links)])
        share = 1 / np.bincount(piece_of, minlength=done)[piece_of]
        return ChartPieces(
            np.concatenate([nothing, *ids]),
            tuple(chunks),
            piece_of,
            word_of,
            share.astype(np.float32),
        )

    def write(self, directory: Path) -> None:
        """Write the tokenizer into a directory."""
        self.tokenizer.save(str(directory / FILE))


def whole_words(pieces: Sequence[str]) -> list[str]:
    """For each piece of a vocabulary the word that it is; empty for parts, marks and punctuation.

    >>> whole_words(["[CLS]", "the", "##rapy", "%", "heart"])
    ['', 'the', '', '', 'heart']
    >>> whole_words(["<s>", "Ġheart", "rapy", "▁"])
    ['', 'heart', '', '']
    """
    marks = tuple(mark for mark in ("Ġ", "▁") if any(one.startswith(mark) for one in pieces))

    def word(piece: str) -> str:
        if marks and not piece.startswith(marks):
            return ""
        bare = piece[1:] if marks else piece
        return bare if len(bare) > 1 and bare.isalpha() else ""

    return [word(piece) for piece in pieces]


def read_tokenizer(directory: Path) -> Tokenizer:
    """What `write` wrote."""
    file = storage.locate(directory, FILE)
    try:
        return Tokenizer.from_file(str(file))
    except Exception as error:  # the library raises no narrower kind
        raise AuscultError(f"{file} is missing or damaged; train the model again.") from error


def _notes(text: ChartText) -> Iterator[tuple[str, int, int]]:
    """What is read of each note that has words, and its first word and the one after its last."""
    edges = np.searchsorted(text.note_of, np.arange(len(text.notes) + 1))
    for note, first, last in zip(text.notes, edges[:-1], edges[1:], strict=True):
        if first < last:
            written = note.text or ""
            if text.cut and last == len(text):
                written = written[: text.ends[last - 1]]
            # A lone surrogate is a character like any other to us, and an error to tokenizers.
            yield _SURROGATE.sub("\ufffd", written), int(first), int(last)


def _links(
    offsets: _Places, begins: npt.NDArray[np.int32], ends: npt.NDArray[np.int32]
) -> tuple[_Places, _Places]:
    """Pairs of a piece and a word that share a character, sorted by piece."""
    first = np.searchsorted(ends, offsets[:, 0], side="right")
    last = np.searchsorted(begins, offsets[:, 1], side="left")
    counts = np.where(offsets[:, 0] < offsets[:, 1], np.maximum(last - first, 0), 0)
    piece_of = np.repeat(np.arange(len(offsets)), counts)
    within = np.arange(len(piece_of)) - np.repeat(np.cumsum(counts) - counts, counts)
    return piece_of, first[piece_of] + within


def _starts(links: tuple[_Places, _Places], offsets: _Places) -> npt.NDArray[np.bool_]:
    """Where a chunk may begin: at any piece that shares no word with the piece before it.

    Nor a character: byte-level pieces of one character have the same offsets.
    """
    starts = np.ones(len(offsets), bool)
    starts[1:] = offsets[1:, 0] >= offsets[:-1, 1]
    piece_of, word_of = links
    same = word_of[1:] == word_of[:-1]
    starts[piece_of[1:][same]] = False
    return starts
