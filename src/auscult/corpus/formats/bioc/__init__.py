"""BioC, XML or JSON by its suffix: one note for each document of a collection."""

from auscult.corpus.formats.bioc.format import HOLDS, ReadOptions, WriteOptions, read, write

EXAMPLE = "BC5CDR.xml bc5cdr"
TARGET = "corpus.xml"

__all__ = ["EXAMPLE", "HOLDS", "TARGET", "ReadOptions", "WriteOptions", "read", "write"]
