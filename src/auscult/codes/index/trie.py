"""Every term as a path of words from a root, in sorted arrays that many walk at once.

Nodes are numbered level by level and, within a level, by parent and word. So the array of
`parent << 32 | word`, one entry a node, is in order, and a step from any number of nodes at once
is one binary search. A bitmap first sorts out most steps that lead nowhere, which most do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from auscult.codes.index.table import build_sieve, may_have

ROOT = 0
Numbers = npt.NDArray[np.int64]


class Trie:
    """Walks the paths. Words, nodes and terms are numbers."""

    def __init__(self, arrays: dict[str, npt.NDArray[Any]]) -> None:
        self._edges = arrays["trie_edges"]
        self._sieve = arrays["trie_sieve"]
        self._first = arrays["trie_first"]
        self._ends = arrays["trie_ends"]
        self._terms = arrays["trie_terms"]

    def find(self, words: Sequence[int]) -> int:
        """The node of a whole sequence of words, or ROOT."""
        node = ROOT
        for word in words:
            wanted = node << 32 | word
            at = int(np.searchsorted(self._edges, np.uint64(wanted)))
            if at == len(self._edges) or int(self._edges[at]) != wanted:
                return ROOT
            node = at + 1
        return node

    def terms(self, node: int) -> npt.NDArray[np.uint32]:
        """The terms that end at a node, in order."""
        return self._terms[self._ends[node] : self._ends[node + 1]]

    def walk(self, words: Numbers, paragraphs: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """First word, last word and node of every term in a text, of words or -1 for others.

        No term reaches from one paragraph into the next.
        """
        goes_on = np.zeros(len(words), dtype=bool)
        goes_on[:-1] = (words[1:] >= 0) & (paragraphs[1:] == paragraphs[:-1])
        first = last = np.flatnonzero(words >= 0)
        nodes = self._first[words[first]].astype(np.int64)
        found = []
        while len(first):
            there = np.flatnonzero(nodes)
            first, last, nodes = first[there], last[there], nodes[there]
            ended = np.flatnonzero(self._ends[nodes] != self._ends[nodes + 1])
            found.append((first[ended], last[ended], nodes[ended]))
            on = np.flatnonzero(goes_on[last])
            first, last = first[on], last[on] + 1
            wanted = ((nodes[on] << 32) | words[last]).astype(np.uint64)
            may = np.flatnonzero(may_have(wanted, self._sieve))
            first, last, wanted = first[may], last[may], wanted[may]
            at = np.searchsorted(self._edges, wanted)
            there = self._edges[np.minimum(at, len(self._edges) - 1)] == wanted
            nodes = np.where(there, at + 1, ROOT)
        if not found:
            return first, last, nodes
        firsts, lasts, ends = (np.concatenate(part) for part in zip(*found, strict=True))
        return firsts, lasts, ends


def build_paths(
    words: npt.NDArray[np.uint32], offsets: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32]]:
    """The edges, and the node each term ends at, of terms that are sequences of words."""
    lengths = np.diff(offsets)
    nodes = np.zeros(len(lengths), dtype=np.uint64)
    levels = [np.zeros(0, dtype=np.uint64)]
    made = 0
    active = np.flatnonzero(lengths > 0)
    depth = 0
    while len(active):
        keys = (nodes[active] << np.uint64(32)) | words[offsets[active] + depth]
        level, child = np.unique(keys, return_inverse=True)
        nodes[active] = (child + made + 1).astype(np.uint64)
        levels.append(level)
        made += len(level)
        depth += 1
        active = active[lengths[active] > depth]
    return np.concatenate(levels), nodes.astype(np.uint32)


def build_arrays(
    edges: npt.NDArray[np.uint64], nodes: npt.NDArray[np.uint32], words: int
) -> dict[str, npt.NDArray[Any]]:
    """The arrays of a trie from its edges and the node of each term, in order of terms."""
    counts = np.bincount(nodes, minlength=len(edges) + 1)
    entries = edges[edges < np.uint64(1 << 32)]
    first = np.zeros(words, dtype="<u4")
    first[entries.astype(np.int64)] = np.arange(1, len(entries) + 1)
    return {
        "trie_edges": edges.astype("<u8"),
        "trie_sieve": build_sieve(edges[len(entries) :]),
        "trie_first": first,
        "trie_ends": np.concatenate([[0], np.cumsum(counts)]).astype("<u4"),
        "trie_terms": np.argsort(nodes, kind="stable").astype("<u4"),
    }
