"""Every bag of words that a text has, found for all its words at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from auscult.codes.index.table import may_have

WINDOW = 8
"""How many places away from its rarest word another word of a term may stand."""
Numbers = npt.NDArray[np.int64]


class PlacedKeys(NamedTuple):
    """The keys of a text in order of the place where each stands; several may stand at one place.

    Terms do not reach across a gap of more than `WINDOW` places. `costs` says how far a key is from
    the word that is written there.
    """

    places: Numbers
    ranks: Numbers
    costs: Numbers


class FoundBags(NamedTuple):
    """The bags of a text: the node that each ends at, and where it stands.

    `bits` has a bit for each place of a bag, the lowest being `firsts`. `costs` are those of its
    keys together.
    """

    nodes: Numbers
    firsts: Numbers
    bits: Numbers
    costs: Numbers


class BagTrie:
    """Walks the trie of `bags.BagBuilder`."""

    def __init__(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self._edges = arrays["bag_trie_edges"]
        self._sieve = arrays["bag_trie_sieve"]
        self._first = arrays["bag_trie_first"]
        self._ends = arrays["bag_trie_ends"]
        self._terms = arrays["bag_trie_terms"]

    def terms(self, node: int) -> npt.NDArray[np.uint32]:
        """The terms that a node stands for."""
        return self._terms[self._ends[node] : self._ends[node + 1]]

    def walk(self, keys: PlacedKeys) -> FoundBags:
        """All bags of a text, in no order."""
        line, ranks, costs = keys
        begins = np.searchsorted(line, line - WINDOW, side="left")
        ends = np.searchsorted(line, line + WINDOW, side="right")
        anchor = np.arange(len(ranks))
        node = self._first[ranks].astype(np.int64)
        bits = np.full(len(ranks), 1 << WINDOW, np.int64)
        last, cost = ranks, costs
        found: list[tuple[Numbers, Numbers, Numbers, Numbers]] = []
        while len(anchor):
            there = np.flatnonzero(node)
            anchor, node, bits = anchor[there], node[there], bits[there]
            last, cost = last[there], cost[there]
            ended = np.flatnonzero(self._ends[node] != self._ends[node + 1])
            found.append((node[ended], line[anchor[ended]], bits[ended], cost[ended]))
            # Each state with each word of its window.
            counts = ends[anchor] - begins[anchor]
            state = np.repeat(np.arange(len(anchor)), counts)
            word = np.arange(len(state)) - np.repeat(np.cumsum(counts) - counts, counts)
            word += begins[anchor[state]]
            on = np.flatnonzero(ranks[word] > last[state])
            state, word = state[on], word[on]
            bit = np.left_shift(1, line[word] - line[anchor[state]] + WINDOW)
            wanted = ((node[state] << 32) | ranks[word]).astype(np.uint64)
            on = np.flatnonzero(((bits[state] & bit) == 0) & may_have(wanted, self._sieve))
            state, word, bit, wanted = state[on], word[on], bit[on], wanted[on]
            at = np.searchsorted(self._edges, wanted)
            is_there = self._edges[np.minimum(at, len(self._edges) - 1)] == wanted
            node = np.where(is_there, at + 1, 0)
            anchor, bits = anchor[state], bits[state] | bit
            last, cost = ranks[word], cost[state] + costs[word]
        if not found:
            return FoundBags(anchor, anchor, anchor, anchor)
        nodes, anchors, bits, cost = (np.concatenate(part) for part in zip(*found, strict=True))
        low = np.bitwise_count((bits & -bits) - 1).astype(np.int64)
        return FoundBags(nodes, anchors - WINDOW + low, bits >> low, cost)
