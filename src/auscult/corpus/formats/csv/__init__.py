"""CSV, plain or gzipped: a table of notes and one of annotations."""

from auscult.corpus.formats.csv.format import ReadOptions, WriteOptions, read, write

__all__ = ["ReadOptions", "WriteOptions", "read", "write"]
