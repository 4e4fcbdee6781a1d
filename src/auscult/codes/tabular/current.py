"""The Tabular List that everything uses: of the newest release, from its compiled form."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from auscult.codes.compiled import compiled
from auscult.codes.home import data_home
from auscult.codes.releases import PartKind, ReleasePart, newest, releases_changed
from auscult.codes.tabular.reading import read_tabular
from auscult.codes.tabular.table import TabularTable
from auscult.codes.tabular.tabular_list import LAYOUT, TabularList
from auscult.core import OptionError


def tabular_list() -> TabularList:
    """The Tabular List of the newest release that is installed or comes with a package."""
    return tabular_table().listed


def tabular_table() -> TabularTable:
    """The same as a table of codes, such as other systems have."""
    return _open_newest(data_home(), releases_changed())


def open_tabular(part: ReleasePart) -> TabularList:
    """The Tabular List of one release, read from XML the first time only."""
    key = f"tabular-{LAYOUT}-{part.digest[:32]}"
    return TabularList.from_arrays(compiled(key, lambda: read_tabular(part.path).to_arrays()))


@lru_cache(maxsize=2)
def _open_newest(home: Path, changed: int) -> TabularTable:  # noqa: ARG001 - the cache's key
    part = newest(PartKind.TABULAR)
    if part is None:
        raise OptionError(
            "There is no ICD-10-CM Tabular List: install the package simple-icd-10-cm, or add a "
            "release with auscult codes add."
        )
    return TabularTable(open_tabular(part))
