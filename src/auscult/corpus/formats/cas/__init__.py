"""UIMA CAS, as XMI with its TypeSystem.xml or as JSON: a file a note (needs auscult[cas])."""

from auscult.corpus.formats.cas.format import ReadOptions, WriteOptions, read, write

__all__ = ["ReadOptions", "WriteOptions", "read", "write"]
