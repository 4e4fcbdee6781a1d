"""brat stand-off: a folder tree of .txt files, each with its .ann beside it."""

from auscult.corpus.formats.brat.format import HOLDS, ReadOptions, WriteOptions, read, write

EXAMPLE = "meddocan/dev phi"

__all__ = ["EXAMPLE", "HOLDS", "ReadOptions", "WriteOptions", "read", "write"]
