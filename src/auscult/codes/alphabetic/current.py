"""The Alphabetic Index that everything uses: of the newest release that is installed."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from auscult.codes.alphabetic.volume import IndexVolume, read_volume
from auscult.codes.compiled import compiled
from auscult.codes.home import data_home
from auscult.codes.releases import PartKind, ReleasePart, installed, newest, releases_changed

LAYOUT = 1
"""The number of the arrays' layout: to be raised when what they hold changes."""
_KINDS = (PartKind.INDEX, PartKind.EXTERNAL, PartKind.NEOPLASM, PartKind.DRUG)


def alphabetic_volume() -> IndexVolume:
    """The index and its tables, each of the newest release that has an index; maybe none."""
    return _open(data_home(), releases_changed())


def alphabetic_parts() -> tuple[ReleasePart, ...]:
    """The files of the volume: those of the newest year that has any of them."""
    parts = [part for part in installed() if part.kind in _KINDS]
    year = max((part.year for part in parts), default=None)
    of_year = [part for part in parts if part.year == year]
    found = (newest(kind, of_year) for kind in _KINDS)
    return tuple(part for part in found if part is not None)


@lru_cache(maxsize=2)
def _open(home: Path, changed: int) -> IndexVolume:  # noqa: ARG001 - the key of the cache
    parts = alphabetic_parts()
    if not parts:
        return IndexVolume()
    digests = " ".join(part.digest for part in parts)
    key = f"alphabetic-{LAYOUT}-{hashlib.sha256(digests.encode()).hexdigest()[:32]}"
    read = lambda: read_volume([part.path for part in parts]).to_arrays()  # noqa: E731 - used once
    return IndexVolume.from_arrays(compiled(key, read))
