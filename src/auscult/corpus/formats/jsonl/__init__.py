"""JSON Lines, one object a line: a folder with notes.jsonl, annotations.jsonl or both."""

from auscult.corpus.formats.jsonl.format import (
    ReadOptions,
    WriteOptions,
    read,
    write,
    write_annotations,
)

__all__ = ["ReadOptions", "WriteOptions", "read", "write", "write_annotations"]
