"""CSV, plain or gzipped: a table of notes and one of annotations."""

from auscult.corpus.formats.csv.format import HOLDS, ReadOptions, WriteOptions, read, write

__all__ = ["HOLDS", "ReadOptions", "WriteOptions", "read", "write"]
