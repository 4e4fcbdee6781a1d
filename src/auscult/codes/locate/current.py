"""The locator of ICD-10-CM's terms, over all that is installed."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from auscult.codes.home import data_home
from auscult.codes.index.strings import Strings
from auscult.codes.locate.locator import TermLocator
from auscult.codes.locate.note_words import NoteReader
from auscult.codes.lookup.aliases import read_aliases
from auscult.codes.lookup.clinicians import clinician_table
from auscult.codes.lookup.current import code_search
from auscult.codes.releases import releases_changed


def term_locator() -> TermLocator:
    """The locator of the newest release. It shares the compiled tables of the search."""
    return _open(data_home(), releases_changed())


@lru_cache(maxsize=2)
def _open(home: Path, changed: int) -> TermLocator:  # noqa: ARG001 - the key of the cache
    search = code_search("ICD-10-CM")
    reader = NoteReader(
        Strings.of(search.arrays, "bag_key"),
        search.arrays["bag_key_rank"],
        clinician_table(),
        read_aliases(search.arrays),
    )
    return TermLocator(search.arrays, search.values, search.preferences, reader)
