"""UIMA CAS, as XMI with its TypeSystem.xml or as JSON: a file a note (needs auscult[cas])."""

from auscult.corpus.formats.cas.format import HOLDS, ReadOptions, WriteOptions, read, write

EXAMPLE = "inception-export corpus --type webanno.custom.Code"

__all__ = ["EXAMPLE", "HOLDS", "ReadOptions", "WriteOptions", "read", "write"]
