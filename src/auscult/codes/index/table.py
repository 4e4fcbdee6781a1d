"""A hash table in two arrays, in which any number of keys are looked up at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Keys = npt.NDArray[np.uint64]
_MIX = np.uint64(0xD6E8FEB86659FD93)
_LOAD = 0.6


def _home(keys: Keys, bits: int) -> npt.NDArray[np.int64]:
    mixed = (keys ^ (keys >> np.uint64(32))) * _MIX
    return (mixed >> np.uint64(64 - bits)).astype(np.int64)


def _bits(count: int, per_key: float) -> int:
    return max(4, int(np.ceil(np.log2(max(1, count) * per_key))))


def build_table(keys: Keys) -> tuple[Keys, npt.NDArray[np.uint32]]:
    """A table from each key to its place in `keys`. Keys are distinct, and none is zero."""
    bits = _bits(len(keys), 1 / _LOAD)
    mask = (1 << bits) - 1
    slots = np.zeros(1 << bits, dtype="<u8")
    values = np.zeros(1 << bits, dtype="<u4")
    waiting = np.arange(len(keys))
    wanted = _home(keys, bits)
    while len(waiting):
        free = slots[wanted] == 0
        _, first = np.unique(wanted, return_index=True)
        wins = np.zeros(len(waiting), dtype=bool)
        wins[first] = True
        wins &= free
        slots[wanted[wins]] = keys[waiting[wins]]
        values[wanted[wins]] = waiting[wins]
        waiting, wanted = waiting[~wins], (wanted[~wins] + 1) & mask
    return slots, values


def look_up(
    keys: Keys, slots: npt.NDArray[np.uint64], values: npt.NDArray[np.uint32]
) -> npt.NDArray[np.int64]:
    """The value of each key, -1 for those that are not there."""
    at = _home(keys, (len(slots) - 1).bit_length())
    there = slots[at]
    found = np.where(there == keys, values[at].astype(np.int64), -1)
    waiting = np.flatnonzero((there != keys) & (there != 0))
    at = at[waiting]
    while len(waiting):
        at = (at + 1) & (len(slots) - 1)
        there, wanted = slots[at], keys[waiting]
        hit = there == wanted
        found[waiting[hit]] = values[at[hit]]
        on = ~hit & (there != 0)
        waiting, at = waiting[on], at[on]
    return found


def build_sieve(keys: Keys) -> npt.NDArray[np.uint8]:
    """A bitmap that tells most keys that are not there from those that may be."""
    bits = _bits(len(keys), 12)
    sieve = np.zeros(1 << max(0, bits - 3), dtype=np.uint8)
    at = _home(keys, bits)
    np.bitwise_or.at(sieve, at >> 3, (1 << (at & 7)).astype(np.uint8))
    return sieve


def may_have(keys: Keys, sieve: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
    """Whether each key may be among those the sieve was built of."""
    at = _home(keys, (len(sieve) - 1).bit_length() + 3)
    found: npt.NDArray[np.bool_] = (sieve[at >> 3] >> (at & 7).astype(np.uint8)) & 1 != 0
    return found
