"""The alphabetic volume of a release: the index and what stands beside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy.typing as npt

from auscult.codes.alphabetic.alphabetic_index import AlphabeticIndex
from auscult.codes.alphabetic.columns import Arrays
from auscult.codes.alphabetic.drugs import INTENTS
from auscult.codes.alphabetic.neoplasms import BEHAVIORS
from auscult.codes.alphabetic.reading import read_any
from auscult.codes.alphabetic.terms import SOURCES, IndexEntry, Source
from auscult.core import FormatError

_COLUMNS: dict[Source, tuple[str, ...]] = {"neoplasm": BEHAVIORS, "drug": INTENTS}


@dataclass(frozen=True, slots=True)
class IndexVolume:
    """The four parts, each None where it is not installed."""

    index: AlphabeticIndex | None = None
    external_causes: AlphabeticIndex | None = None
    neoplasms: AlphabeticIndex | None = None
    drugs: AlphabeticIndex | None = None

    @classmethod
    def of(cls, parts: Iterable[AlphabeticIndex]) -> IndexVolume:
        """The volume of some parts, in any order."""
        by_source = {part.source: part for part in parts}
        return cls(*(by_source.get(source) for source in SOURCES))

    @property
    def parts(self) -> tuple[AlphabeticIndex, ...]:
        """The parts that are there."""
        four = (self.index, self.external_causes, self.neoplasms, self.drugs)
        return tuple(part for part in four if part is not None)

    def part(self, source: Source) -> AlphabeticIndex | None:
        """One part by its name."""
        return next((part for part in self.parts if part.source == source), None)

    def __iter__(self) -> Iterator[IndexEntry]:
        return (entry for part in self.parts for entry in part)

    def entries_of(self, code: str) -> tuple[IndexEntry, ...]:
        """The entries of all parts that lead to a code."""
        return tuple(entry for part in self.parts for entry in part.entries_of(code))

    def to_arrays(self) -> Arrays:
        """The arrays of all parts, named after them."""
        return {
            f"{part.source}.{name}": array
            for part in self.parts
            for name, array in part.to_arrays().items()
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> IndexVolume:
        """The volume that `to_arrays` gave."""
        named: dict[str, Arrays] = {}
        for key, array in arrays.items():
            source, _, name = key.partition(".")
            named.setdefault(source, {})[name] = array
        return cls.of(map(AlphabeticIndex.from_arrays, named.values()))


def read_part(path: Path) -> AlphabeticIndex:
    """Any of the four files; which one it is, its heading says."""
    return read_any(path, _COLUMNS)


def read_volume(paths: Iterable[Path]) -> IndexVolume:
    """A volume from files of one release, at most one of each kind."""
    read: dict[Source, tuple[Path, AlphabeticIndex]] = {}
    for path in paths:
        part = read_part(path)
        if part.source in read:
            raise FormatError(
                f"expected one {part.source} file, got this one and {read[part.source][0]}; "
                "pass one of them",
                path,
            )
        for other, found in read.values():
            if found.release != part.release:
                raise FormatError(
                    f"expected files of one release, got release {part.release} beside "
                    f"{found.release} ({other}); pass files of the same year",
                    path,
                )
        read[part.source] = path, part
    return IndexVolume.of(part for _, part in read.values())
