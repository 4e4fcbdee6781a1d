"""The Tabular List as a table of codes, which is what other parts ask for."""

from __future__ import annotations

from collections.abc import Iterator

from auscult.codes.table import CodeEntry, CodeTable
from auscult.codes.tabular.tabular_list import TabularList


class TabularTable(CodeTable):
    """A table whose rows are those of a Tabular List, looked up there."""

    def __init__(self, listed: TabularList) -> None:
        super().__init__(listed.system, listed.release, {})
        self.listed = listed

    def __repr__(self) -> str:
        count = self.listed.billable_count
        return f"CodeTable({self.system!r}, {self.release!r}, {count} billable codes)"

    def __contains__(self, value: object) -> bool:
        return value in self.listed

    def __iter__(self) -> Iterator[CodeEntry]:
        return iter(self.listed)

    def __len__(self) -> int:
        return len(self.listed)

    def get(self, value: str) -> CodeEntry | None:
        """The row of a code or heading, or None when the table has none."""
        described = self.listed.describe(value)
        if described is None:
            return None
        written = self.listed.written(value)
        return CodeEntry(written, described, self.listed.is_billable(value))

    def describe(self, value: str) -> str | None:
        """The description of a code or heading, or None."""
        return self.listed.describe(value)

    def is_billable(self, value: str) -> bool:
        """Whether the code is specific enough to be billed in this release."""
        return self.listed.is_billable(value)

    def parent(self, value: str) -> str | None:
        """The next heading up, or None for a category."""
        return self.listed.parent(value)

    def children(self, value: str) -> tuple[str, ...]:
        """The codes and headings one step below."""
        return self.listed.children(value)

    def starting(self, beginning: str) -> tuple[CodeEntry, ...]:
        """The codes and headings that begin so, in order; none for an empty beginning."""
        return self.listed.starting(beginning)
