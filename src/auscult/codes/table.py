"""A table of codes: one release of one code system, with its hierarchy."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from auscult.codes.systems import normalize


@dataclass(frozen=True, slots=True)
class CodeEntry:
    """A row of a table: a billable code, or a heading over several."""

    value: str
    description: str | None
    billable: bool


class CodeTable:
    """The codes of a system in one release.

    Codes are looked up however they are written. Of a table that lists billable codes only, the
    headings are the beginnings its codes share, without a description.

    >>> table = CodeTable("ICD-10-CM", "mine", {"I501": "Left ventricular failure", "I502": "x"})
    >>> "i50.1" in table, table.parent("I50.1"), table.children("I50")
    (True, 'I50', ('I50.1', 'I50.2'))
    """

    def __init__(
        self,
        system: str,
        release: str,
        billable: Mapping[str, str],
        headings: Mapping[str, str] | None = None,
    ) -> None:
        self.system = system
        self.release = release
        self._billable = billable
        self._named = headings or {}

    def __repr__(self) -> str:
        return f"CodeTable({self.system!r}, {self.release!r}, {len(self._billable)} billable codes)"

    def __contains__(self, value: object) -> bool:
        plain = _plain(str(value))
        return plain in self._billable or plain in self._headings

    def __iter__(self) -> Iterator[CodeEntry]:
        for plain in self._sorted:
            yield self._entry(plain)

    def __len__(self) -> int:
        return len(self._sorted)

    def get(self, value: str) -> CodeEntry | None:
        """The row of a code or heading, or None when the table has none."""
        return self._entry(_plain(value)) if value in self else None

    def describe(self, value: str) -> str | None:
        """The description of a code or heading, or None."""
        plain = _plain(value)
        return self._billable.get(plain) or self._named.get(plain)

    def is_billable(self, value: str) -> bool:
        """Whether the code is specific enough to be billed in this release."""
        return _plain(value) in self._billable

    def parent(self, value: str) -> str | None:
        """The next heading up, or None for a category (and for what is no beginning of a code).

        A code that the table does not have still has a parent, when its beginning is there.
        """
        plain = _plain(value)
        for length in range(len(plain) - 1, self._category(plain) - 1, -1):
            if plain[:length] in self._headings or plain[:length] in self._billable:
                return self._written(plain[:length])
        return None

    def children(self, value: str) -> tuple[str, ...]:
        """The codes and headings one step below."""
        plain = _plain(value)
        below = []
        at = bisect_left(self._sorted, plain + "\0")
        while at < len(self._sorted) and self._sorted[at].startswith(plain):
            child = self._sorted[at]
            below.append(child)
            # Whatever begins with the child is further down.
            at = bisect_left(self._sorted, child + "\uffff")
        return tuple(map(self._written, below))

    def starting(self, beginning: str) -> tuple[CodeEntry, ...]:
        """The codes and headings that begin so, in order; none for an empty beginning.

        >>> table = CodeTable("ICD-10-CM", "mine", {"I501": "Left ventricular failure", "I51": "x"})
        >>> [entry.value for entry in table.starting("i50.")]
        ['I50', 'I50.1']
        """
        plain = _plain(beginning)
        if not plain:
            return ()
        first = bisect_left(self._sorted, plain)
        last = bisect_left(self._sorted, plain + "\uffff", lo=first)
        return tuple(map(self._entry, self._sorted[first:last]))

    @cached_property
    def _headings(self) -> frozenset[str]:
        if self._named:
            return frozenset(self._named) - self._billable.keys()
        return (
            frozenset(
                code[:length]
                for code in self._billable
                for length in range(self._category(code), len(code))
            )
            - self._billable.keys()
        )

    @cached_property
    def _sorted(self) -> list[str]:
        return sorted({*self._billable, *self._headings})

    def _category(self, plain: str) -> int:
        """How many characters a category has, above which there is no heading."""
        if self.system == "ICD-9-CM" and plain.startswith("E"):
            return 4
        return 2 if self.system == "ICD-9-PCS" else 3

    def _entry(self, plain: str) -> CodeEntry:
        return CodeEntry(self._written(plain), self.describe(plain), plain in self._billable)

    def _written(self, plain: str) -> str:
        return normalize(self.system, plain)


def _plain(value: str) -> str:
    return value.strip().upper().replace(".", "")
