"""JSON Lines, one object a line: a folder with notes.jsonl, annotations.jsonl or both."""

from auscult.corpus.formats.jsonl.format import (
    HOLDS,
    ReadOptions,
    WriteOptions,
    read,
    write,
    write_annotations,
)

EXAMPLE = "hospital/phi names"
NEEDS_NOTES = False

__all__ = [
    "EXAMPLE",
    "HOLDS",
    "NEEDS_NOTES",
    "ReadOptions",
    "WriteOptions",
    "read",
    "write",
    "write_annotations",
]
