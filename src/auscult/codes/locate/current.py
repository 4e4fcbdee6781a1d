"""The locator of ICD-10-CM's terms, over all that is installed."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from auscult.codes.home import data_home
from auscult.codes.locate.locator import TermLocator
from auscult.codes.lookup.clinicians import clinician_table
from auscult.codes.lookup.current import code_search
from auscult.codes.releases import releases_changed


def term_locator() -> TermLocator:
    """The locator of the newest release. It shares the compiled tables of the search."""
    return _open(data_home(), releases_changed())


@lru_cache(maxsize=2)
def _open(home: Path, changed: int) -> TermLocator:  # noqa: ARG001 - the key of the cache
    search = code_search("ICD-10-CM")
    return TermLocator(search.arrays, search.values, search.preferences, clinician_table())
