"""BioC, XML or JSON by its suffix: one note for each document of a collection."""

from auscult.corpus.formats.bioc.format import ReadOptions, WriteOptions, read, write

__all__ = ["ReadOptions", "WriteOptions", "read", "write"]
