"""BioC, XML or JSON by its suffix: one note for each document of a collection."""

from auscult.corpus.formats.bioc.format import HOLDS, ReadOptions, WriteOptions, read, write

__all__ = ["HOLDS", "ReadOptions", "WriteOptions", "read", "write"]
