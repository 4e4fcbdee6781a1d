"""MDACE: the evidence for billing codes in MIMIC-III charts, one JSON file a chart."""

from auscult.corpus.formats.mdace.reading import ReadOptions, read
from auscult.corpus.formats.mdace.writing import WriteOptions, write

__all__ = ["ReadOptions", "WriteOptions", "read", "write"]
