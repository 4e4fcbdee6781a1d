"""Strings as numbers: what the lexicon compares, counts and looks up is done on arrays of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b
from threading import RLock
from typing import Any

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int32]
Hashes = npt.NDArray[np.uint64]


class NumberedStrings:
    """Gives every string a number, in the order in which they are met."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.lock = RLock()
        self._ids: dict[str, int] = {}
        self.hashes = Column(self, digest, np.uint64)
        self.lengths = Column(self, len, np.int32)

    def __len__(self) -> int:
        return len(self.names)

    def number(self, name: str) -> int:
        """The number of a string, a new one if need be."""
        found = self._ids.get(name)
        if found is None:
            with self.lock:  # several threads may meet the same string
                found = self._ids.get(name)
                if found is None:
                    found = len(self.names)
                    self.names.append(name)
                    self._ids[name] = found
        return found

    def numbers(self, names: Sequence[str]) -> Ids:
        """The number of every string."""
        found = list(map(self._ids.get, names))
        if None in found:
            return np.array([self.number(name) for name in names], np.int32)
        return np.array(found, np.int32)


class Column:
    """A value, or a row of values, for every string; computed when it is first asked for."""

    def __init__(
        self,
        strings: NumberedStrings,
        compute: Callable[[str], Any],
        kind: Any,
        width: int | None = None,
    ) -> None:
        self._strings = strings
        self._compute = compute
        self._values: npt.NDArray[Any] = np.zeros((0,) if width is None else (0, width), kind)
        self._is_known = np.zeros(0, bool)

    def __getitem__(self, ids: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Those of some strings, by number."""
        if len(self._strings) > len(self._is_known):
            with self._strings.lock:
                self._grow(len(self._strings))
        is_new = ~self._is_known[ids]
        if is_new.any():
            with self._strings.lock:
                new = np.unique(ids[is_new])
                names = self._strings.names
                self._values[new] = [self._compute(names[at]) for at in new.tolist()]
                self._is_known[new] = True
        found: npt.NDArray[Any] = self._values[ids]
        return found

    def _grow(self, needed: int) -> None:
        size = max(1_024, 2 * needed)
        values = np.zeros((size, *self._values.shape[1:]), self._values.dtype)
        is_known = np.zeros(size, bool)
        values[: len(self._values)] = self._values
        is_known[: len(self._is_known)] = self._is_known
        self._values, self._is_known = values, is_known


def digest(name: str) -> int:
    """64 bits of a string, the same in every process.

    >>> digest("fever") == digest("fever") != digest("fevers")
    True
    """
    data = name.encode(errors="surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "little")


_STEP = np.uint64(0x9E3779B97F4A7C15)


def mixed(hashes: Hashes, *others: npt.NDArray[Any] | int) -> Hashes:
    """A hash of a hash together with whole numbers."""
    found = hashes
    for other in others:
        given = np.asarray(other).astype(np.uint64) + np.uint64(1)
        found = scrambled(found ^ (given * _STEP))
    return found


def scrambled(hashes: Hashes) -> Hashes:
    """Every bit of a hash depends on all of them (the finalizer of splitmix64)."""
    found = hashes ^ (hashes >> np.uint64(30))
    found = found * np.uint64(0xBF58476D1CE4E5B9)
    found ^= found >> np.uint64(27)
    found = found * np.uint64(0x94D049BB133111EB)
    found ^= found >> np.uint64(31)
    return found


def sequences(
    hashes: Hashes, begins: npt.NDArray[Any], lengths: npt.NDArray[Any], salt: Hashes
) -> Hashes:
    """A hash for every run of words: `lengths[k]` of them from word `begins[k]`, in order."""
    found = salt.copy()
    for at in range(int(lengths.max(initial=0))):
        here = np.flatnonzero(lengths > at)
        found[here] = scrambled(found[here] * _STEP + hashes[begins[here] + at])
    return found


def hashed_rows(hashes: Hashes, lengths: npt.NDArray[Any], salt: Hashes) -> Hashes:
    """A hash for every row, of its first `lengths[k]` columns in order."""
    found = salt.copy()
    for at in range(int(lengths.max(initial=0))):
        here = np.flatnonzero(lengths > at)
        found[here] = scrambled(found[here] * _STEP + hashes[here, at])
    return found
