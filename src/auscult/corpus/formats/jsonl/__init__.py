"""JSON Lines, one object a line: a folder with notes.jsonl, annotations.jsonl or both."""

from auscult.corpus.formats.jsonl.format import (
    HOLDS,
    ReadOptions,
    WriteOptions,
    read,
    write,
    write_annotations,
)

__all__ = ["HOLDS", "ReadOptions", "WriteOptions", "read", "write", "write_annotations"]
