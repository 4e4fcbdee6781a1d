"""Releases of ICD-10-CM: what comes with packages, and what the user has installed."""

from auscult.codes.releases.parts import PartKind, ReleasePart
from auscult.codes.releases.store import add_release, installed, newest, packaged, releases_changed

__all__ = [
    "PartKind",
    "ReleasePart",
    "add_release",
    "installed",
    "newest",
    "packaged",
    "releases_changed",
]
