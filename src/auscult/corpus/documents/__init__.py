"""Notes as people keep them: text files, Word documents, PDF and RTF, alone or in folders."""

from auscult.corpus.documents.reading import (
    STANDARD_INPUT,
    ReadDocuments,
    UnreadFile,
    read_documents,
)

__all__ = ["STANDARD_INPUT", "ReadDocuments", "UnreadFile", "read_documents"]
