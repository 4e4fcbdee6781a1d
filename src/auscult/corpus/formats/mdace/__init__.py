"""MDACE: the evidence for billing codes in MIMIC-III charts, one JSON file a chart."""

from auscult.corpus.formats.mdace.format import ReadOptions, WriteOptions, read, write

__all__ = ["ReadOptions", "WriteOptions", "read", "write"]
