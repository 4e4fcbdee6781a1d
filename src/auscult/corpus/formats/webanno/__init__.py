"""WebAnno TSV 3.3, as INCEpTION reads and writes it: a file a note, named by the note's id."""

from auscult.corpus.formats.webanno.format import HOLDS, ReadOptions, WriteOptions, read, write

EXAMPLE = "inception-export corpus --layer webanno.custom.Code"

__all__ = ["EXAMPLE", "HOLDS", "ReadOptions", "WriteOptions", "read", "write"]
