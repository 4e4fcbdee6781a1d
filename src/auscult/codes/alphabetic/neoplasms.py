"""Read the Neoplasm Table: anatomical sites by behavior of the neoplasm."""

from __future__ import annotations

from pathlib import Path

from auscult.codes.alphabetic.alphabetic_index import AlphabeticIndex
from auscult.codes.alphabetic.reading import read_table

BEHAVIORS = (
    "malignant-primary",
    "malignant-secondary",
    "in-situ",
    "benign",
    "uncertain",
    "unspecified",
)
"""The columns of the table, from left to right."""


def read_neoplasms(path: Path) -> AlphabeticIndex:
    """The sites as entries, each with a cell for every behavior that has a code."""
    return read_table(path, "neoplasm", BEHAVIORS)
