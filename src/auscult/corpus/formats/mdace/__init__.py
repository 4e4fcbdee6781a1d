"""MDACE: the evidence for billing codes in MIMIC-III charts, one JSON file a chart."""

from auscult.corpus.formats.mdace.reading import ReadOptions, read
from auscult.corpus.formats.mdace.writing import WriteOptions, write

HOLDS = frozenset({"notes.read_by"})

__all__ = ["HOLDS", "ReadOptions", "WriteOptions", "read", "write"]
