"""A long list of strings in two arrays: their UTF-8 bytes end to end, and where each begins."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

_REMEMBERED = 200_000


class Strings:
    """Strings by number; by their text as well, when they are in order.

    >>> words = Strings(*pack(["asthma", "fever", "vancomycin", "vascular"]))
    >>> words[1], words.find("fever"), words.find("cough"), words.starting("va")
    ('fever', 1, None, range(2, 4))
    """

    def __init__(self, blob: npt.NDArray[np.uint8], offsets: npt.NDArray[Any]) -> None:
        self._blob = blob.data
        # Numbers of a memoryview are plain ones, which are far quicker to take than an array's.
        self._offsets = np.asarray(offsets, offsets.dtype.newbyteorder("=")).data

    @classmethod
    def of(cls, arrays: Mapping[str, npt.NDArray[Any]], name: str) -> Strings:
        """What `packed` wrote under a name."""
        return cls(arrays[f"{name}_texts"], arrays[f"{name}_text_offsets"])

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, at: int) -> str:
        return str(self._raw(at), "utf-8")

    def __iter__(self) -> Iterator[str]:
        blob = bytes(self._blob)
        return (str(blob[begin:end], "utf-8") for begin, end in pairwise(self._offsets.tolist()))

    def _raw(self, at: int) -> bytes:
        return bytes(self._blob[self._offsets[at] : self._offsets[at + 1]])

    def find(self, text: str) -> int | None:
        """The number of a string of a list that is in order of code points, or None."""
        raw = text.encode("utf-8", "surrogatepass")
        at = bisect_left(range(len(self)), raw, key=self._raw)
        return at if at < len(self) and self._raw(at) == raw else None

    def numbers(self) -> Numbers:
        """The numbers by text, remembered once asked for."""
        return Numbers(self)

    def all_numbers(self) -> dict[str, int]:
        """The numbers by text: for a list that is asked so often that it pays to go through it."""
        return {text: at for at, text in enumerate(self)}

    def starting(self, beginning: str) -> range:
        """The numbers of the strings that start so, of a list in order."""
        raw = beginning.encode("utf-8", "surrogatepass")
        first = bisect_left(range(len(self)), raw, key=self._raw)
        last = bisect_left(range(len(self)), raw + b"\xff", lo=first, key=self._raw)
        return range(first, last)


class Numbers(dict[str, int]):
    """The number of each string; -1 for one that is not there."""

    def __init__(self, strings: Strings) -> None:
        super().__init__()
        self._strings = strings

    def __missing__(self, text: str) -> int:
        found = self._strings.find(text)
        if len(self) >= _REMEMBERED:
            self.clear()
        self[text] = number = -1 if found is None else found
        return number


def pack(strings: Iterable[str]) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint64]]:
    """Strings as the two arrays."""
    blob = bytearray()
    offsets = [0]
    for string in strings:
        blob += string.encode("utf-8")
        offsets.append(len(blob))
    return np.frombuffer(bytes(blob), dtype=np.uint8), np.array(offsets, dtype="<u8")


def packed(name: str, strings: Iterable[str]) -> dict[str, npt.NDArray[Any]]:
    """Strings as two arrays of a table, under a name; offsets of 32 bits."""
    blob, offsets = pack(strings)
    return {f"{name}_texts": blob, f"{name}_text_offsets": offsets.astype("<u4")}
