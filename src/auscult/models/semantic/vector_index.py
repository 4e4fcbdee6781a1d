"""Nearest-neighbor search among vectors: exact for few, approximate (HNSW) for many."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from auscult.core import AuscultError, MissingExtraError
from auscult.core.progress import track
from auscult.core.storage import locate

FILE = "graph.usearch"
EXACT = 20_000
"""Maximum number of vectors for exact search, which takes a millisecond per query."""
_LINKS, _BUILD, _SEARCH = 16, 64, 96
_ROWS = 4_096

Halves = npt.NDArray[np.float16]
Floats = npt.NDArray[np.float32]
Found = tuple[npt.NDArray[np.int64], Floats]


class VectorIndex(Protocol):
    """Finds the nearest rows of a table of vectors of length 1."""

    def nearest(self, queries: Floats, most: int) -> Found:
        """The rows nearest to each query, (Q, K), the nearest first, and their cosines."""
        ...


@dataclass(frozen=True, eq=False)
class ExactIndex:
    """Exact search."""

    vectors: Floats

    def nearest(self, queries: Floats, most: int) -> Found:
        """See `VectorIndex`; ties are in row order."""
        cosines = queries @ self.vectors.T
        most = min(most, len(self.vectors))
        rows = np.argpartition(-cosines, most - 1, axis=1)[:, :most]
        near = np.take_along_axis(cosines, rows, 1)
        order = np.lexsort((rows, -near))
        return np.take_along_axis(rows, order, 1), np.take_along_axis(near, order, 1)


@dataclass(frozen=True, eq=False)
class GraphIndex:
    """Approximate search in a graph of neighbors, which can miss a few of the nearest."""

    graph: Any

    def nearest(self, queries: Floats, most: int) -> Found:
        """See `VectorIndex`."""
        found = self.graph.search(queries, min(most, len(self.graph)), threads=1)
        shape = (len(queries), -1)
        cosines = 1 - found.distances.reshape(shape)
        return found.keys.reshape(shape).astype(np.int64), cosines.astype(np.float32)


def write_graph(vectors: Halves, file: Path) -> None:
    """Build the graph if there are many vectors, in one thread, so that it is reproducible."""
    if len(vectors) <= EXACT:
        return
    graph = _graph(vectors.shape[1])
    for rows in track(_parts(len(vectors)), "indexing names", -(-len(vectors) // _ROWS)):
        graph.add(rows.astype(np.uint64), vectors[rows], threads=1)
    graph.save(str(file))


def open_index(vectors: Halves, directory: Path) -> VectorIndex:
    """The index of vectors; their graph, if they are many, is in a directory."""
    if len(vectors) <= EXACT:
        return ExactIndex(vectors.astype(np.float32))
    graph, file = _graph(vectors.shape[1]), locate(directory, FILE)
    try:
        graph.load(str(file))
    except (RuntimeError, OSError, ValueError) as error:
        raise _damaged(file) from error
    if len(graph) != len(vectors):
        raise _damaged(file)
    return GraphIndex(graph)


def _graph(width: int) -> Any:
    try:
        from usearch.index import Index
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            f"Searching embeddings of more than {EXACT:,} names", "semantic"
        ) from error
    return Index(
        ndim=width, metric="cos", dtype="bf16",
        connectivity=_LINKS, expansion_add=_BUILD, expansion_search=_SEARCH,
    )  # fmt: skip


def _parts(count: int) -> Iterator[npt.NDArray[np.int64]]:
    for begin in range(0, count, _ROWS):
        yield np.arange(begin, min(begin + _ROWS, count))


def _damaged(file: Path) -> AuscultError:
    return AuscultError(
        f"{file} is missing or damaged. Make the embeddings again: auscult vocab embed VOCABULARY "
        "--overwrite"
    )
