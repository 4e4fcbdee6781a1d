"""The search of a code system, over all that is installed, from its compiled form."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from auscult.codes.alphabetic.current import alphabetic_parts, alphabetic_volume
from auscult.codes.alphabetic.references import References
from auscult.codes.alphabetic.volume import IndexVolume
from auscult.codes.compiled import Arrays, compiled
from auscult.codes.home import data_home
from auscult.codes.index.strings import Strings
from auscult.codes.locate.bags import general_file
from auscult.codes.lookup.building import LAYOUT, build_arrays
from auscult.codes.lookup.clinicians import clinician_table, wording_files
from auscult.codes.lookup.code_search import CodeSearch
from auscult.codes.lookup.descent import descent_arrays
from auscult.codes.lookup.index_terms import index_aliases, index_terms
from auscult.codes.lookup.tabular_terms import table_terms, tabular_terms
from auscult.codes.lookup.terms import SearchTerm
from auscult.codes.releases import PartKind, newest, releases_changed
from auscult.codes.table import CodeTable
from auscult.codes.tables import table_of
from auscult.codes.tabular.current import tabular_list
from auscult.codes.tabular.tabular_list import TabularList
from auscult.core import OptionError

_BOOK = "ICD-10-CM"


def code_search(system: str) -> CodeSearch:
    """The search of a system. The first for a release compiles it, which takes some seconds."""
    return _open(system, data_home(), releases_changed())


def table_search(table: CodeTable) -> CodeSearch:
    """A search over the descriptions of one table alone, such as another release's."""
    return CodeSearch(table.system, table, build_arrays(table_terms(table)), clinician_table())


@lru_cache(maxsize=8)
def _open(system: str, home: Path, changed: int) -> CodeSearch:  # noqa: ARG001 - the key of the cache
    if system == _BOOK:
        listed, volume = tabular_list(), alphabetic_volume()

        arrays = compiled(f"search-{_BOOK}-{book_digest()}", lambda: _book_arrays(listed, volume))
        return CodeSearch(system, listed, arrays, clinician_table())
    table = table_of(system)
    if table is None:
        raise OptionError(f"There is no table of {system} to search.")
    key = f"search-{system}-{LAYOUT}-{hashlib.sha256(table.release.encode()).hexdigest()[:16]}"
    arrays = compiled(key, lambda: build_arrays(table_terms(table)))
    return CodeSearch(system, table, arrays, clinician_table())


def _book_arrays(listed: TabularList, volume: IndexVolume) -> Arrays:
    references = References(volume)

    def terms() -> Iterator[SearchTerm]:
        yield from tabular_terms(listed)
        yield from index_terms(volume, listed, references)
        yield from clinician_table().terms(listed)

    arrays = build_arrays(terms(), index_aliases(volume, references))
    return {**arrays, **descent_arrays(listed, list(Strings.of(arrays, "code")))}


def book_digest() -> str:
    """A digest of all that the search of the code book is made from."""
    tabular = newest(PartKind.TABULAR)
    digest = hashlib.sha256(str(LAYOUT).encode())
    for part in (tabular, *alphabetic_parts()):
        digest.update((part.digest if part is not None else "").encode())
    for file in (*wording_files(), general_file()):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:32]
