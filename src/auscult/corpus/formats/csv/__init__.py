"""CSV, plain or gzipped: a table of notes and one of annotations."""

from auscult.corpus.formats.csv.format import HOLDS, ReadOptions, WriteOptions, read, write

EXAMPLE = "notes.csv corpus --note-id-column id --text-column narrative"
NEEDS_NOTES = False

__all__ = ["EXAMPLE", "HOLDS", "NEEDS_NOTES", "ReadOptions", "WriteOptions", "read", "write"]
