"""Read the Table of Drugs and Chemicals: substances by intent of the poisoning."""

from __future__ import annotations

from pathlib import Path

from auscult.codes.alphabetic.alphabetic_index import AlphabeticIndex
from auscult.codes.alphabetic.reading import read_table

INTENTS = (
    "accidental",
    "self-harm",
    "assault",
    "undetermined",
    "adverse-effect",
    "underdosing",
)
"""The columns of the table, from left to right."""


def read_drugs(path: Path) -> AlphabeticIndex:
    """The substances as entries, each with a cell for every intent that has a code."""
    return read_table(path, "drug", INTENTS)
