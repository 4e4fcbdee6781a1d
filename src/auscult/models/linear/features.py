"""Word n-grams of a chart, plain and by section, and where each stands."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse

from auscult.models.chart_text import ChartText

HEADING = re.compile(r"^[ \t]*(\w[\w /&-]{1,40}):", re.MULTILINE)
_MOST = 300_000

Occurrence = tuple[str, int, int]
"""An n-gram, and the first of its words and the one after the last."""
Places = npt.NDArray[np.int64]
Row = tuple[Places, npt.NDArray[np.float32]]
"""The n-grams of a chart, as places in the vocabulary, once each and sorted; and their weights."""


def occurrences(text: ChartText, longest: int, *, by_section: bool = True) -> Iterator[Occurrence]:
    """The n-grams of a chart; words also by the section or category of note they stand in."""
    words, note_of = text.words, text.note_of.tolist()
    section = sections(text) if by_section else None
    for at, word in enumerate(words):
        yield word, at, at + 1
        if section is not None and section[at]:
            yield f"{section[at]}|{word}", at, at + 1
    for size in range(2, longest + 1):
        for at in range(len(words) - size + 1):
            if note_of[at] == note_of[at + size - 1]:
                yield " ".join(words[at : at + size]), at, at + size


class NgramVocabulary:
    """The n-grams that are known, with how rare each is."""

    damped: ClassVar[bool] = True
    """Whether an n-gram that comes ten times counts for less than ten."""
    sectioned: ClassVar[bool] = True
    """Whether words are also known by their section."""

    def __init__(self, grams: Sequence[str], rarity: np.ndarray[tuple[int], np.dtype[np.float32]],
                 longest: int) -> None:  # fmt: skip
        self.grams = list(grams)
        self.rarity = rarity
        self.longest = longest
        self._place = {gram: at for at, gram in enumerate(self.grams)}

    @classmethod
    def occurrences(cls, text: ChartText, longest: int) -> Iterator[Occurrence]:
        """The n-grams of a chart that may be known."""
        return occurrences(text, longest)

    @classmethod
    def of(cls, texts: Iterable[ChartText], *, longest: int, least: int) -> Self:
        """Those in at least `least` charts, the most frequent first when there are too many."""
        counted: Counter[str] = Counter()
        charts, bound = 0, 20 * _MOST
        for text in texts:
            counted.update({gram for gram, _, _ in cls.occurrences(text, longest)})
            charts += 1
            if len(counted) > bound:  # rare ones will hardly come back
                counted = Counter({gram: n for gram, n in counted.items() if n > 1})
                bound = max(bound, 2 * len(counted))  # or it would be so with every chart
        kept = sorted(
            (gram for gram, count in counted.items() if count >= least),
            key=lambda gram: (-counted[gram], gram),
        )[:_MOST]
        having = np.array([counted[gram] for gram in kept], np.float64)
        rarity = (np.log((1 + charts) / (1 + having)) + 1).astype(np.float32)
        return cls(kept, rarity, longest)

    def place(self, gram: str) -> int | None:
        """Where in the vocabulary an n-gram is, if it is known."""
        return self._place.get(gram)

    def known(self, text: ChartText) -> list[tuple[int, int, int]]:
        """The known n-grams of a chart, as places in the vocabulary, and where they stand."""
        place = self._place
        return [
            (place[gram], begin, end)
            for gram, begin, end in self.occurrences(text, self.longest)
            if gram in place
        ]

    def matrix(self, texts: Iterable[ChartText]) -> sparse.csr_matrix:
        """Tf-idf with damped counts, one row a chart, of length 1."""
        rows = (self.row([place for place, _, _ in self.known(text)]) for text in texts)
        return stacked(rows, len(self.grams))

    def row(self, places: Sequence[int] | Places) -> Row:
        """The n-grams of one chart, once each, and their weights."""
        at, counts = np.unique(np.array(places, np.int64), return_counts=True)
        return at, self.weigh(at, counts)

    def weigh(self, at: Places, counts: Places) -> npt.NDArray[np.float32]:
        """The weights of n-grams that a chart has so many times, together of length 1."""
        frequency = 1 + np.log(counts) if self.damped else counts
        weights = (frequency * self.rarity[at]).astype(np.float32)
        length = float(np.sqrt((weights**2).sum()))
        return weights / length if length else weights


class PlainGrams(NgramVocabulary):
    """N-grams wherever they stand."""

    sectioned: ClassVar[bool] = False

    @classmethod
    def occurrences(cls, text: ChartText, longest: int) -> Iterator[Occurrence]:
        """The n-grams of a chart."""
        return occurrences(text, longest, by_section=False)


def stacked(rows: Iterable[Row], width: int) -> sparse.csr_matrix:
    """Rows as one table of so many columns."""
    indices, values, pointer = array("i"), array("f"), array("q", [0])
    for at, weights in rows:  # buffers that grow: pieces and the whole would be twice the memory
        indices.frombytes(at.astype(np.int32).tobytes())
        values.frombytes(weights.astype(np.float32).tobytes())
        pointer.append(len(indices))
    return sparse.csr_matrix(
        (
            np.frombuffer(values, np.float32),
            np.frombuffer(indices, np.int32),
            np.frombuffer(pointer, np.int64),
        ),
        shape=(len(pointer) - 1, width),
    )


def sections(text: ChartText) -> list[str]:
    """The heading that each word stands under, else the category of its note, else nothing."""
    found: list[str] = [""] * len(text)
    edges = np.searchsorted(text.note_of, np.arange(len(text.notes) + 1)).tolist()
    for note, (first, last) in zip(text.notes, pairwise(edges), strict=True):
        found[first:last] = [(note.category or "").lower()] * (last - first)
        headings = list(HEADING.finditer(note.text or ""))
        starts = [
            first + int(np.searchsorted(text.begins[first:last], heading.end()))
            for heading in headings
        ]
        for heading, (begin, end) in zip(headings, pairwise([*starts, last]), strict=True):
            found[begin:end] = [" ".join(heading[1].lower().split())] * (end - begin)
    return found
