"""The text in a file's bytes, by what they are rather than by what the file is called.

Record systems export RTF and PDF under names that end in .txt or .doc.
"""

from __future__ import annotations

from pathlib import Path

from auscult.core import FormatError
from auscult.core.encodings import decoded
from auscult.corpus.documents.docx import docx_text
from auscult.corpus.documents.pdf import pdf_text
from auscult.corpus.documents.rtf import rtf_text

_READERS = (
    (b"%PDF-", "PDF", pdf_text),
    (rb"{\rtf", "RTF", rtf_text),
    (b"PK\x03\x04", "Word", docx_text),
)
_OLD_WORD = b"\xd0\xcf\x11\xe0"
_ENDINGS = {".pdf": "PDF", ".docx": "Word document"}


def text_in(raw: bytes, path: Path) -> tuple[str, str]:
    """The text, and what it was in: the name of an encoding, or PDF, RTF or Word."""
    text, kind = _read(raw, path)
    if not text.strip():
        raise FormatError("is empty", path)
    return text, kind


def _read(raw: bytes, path: Path) -> tuple[str, str]:
    for begin, kind, read in _READERS:
        if raw.startswith(begin):
            return read(raw, path), kind
    if raw.startswith(_OLD_WORD):
        raise FormatError("is in the old format of Word (.doc); save it as .docx or .txt", path)
    if raw and (claimed := _ENDINGS.get(path.suffix.lower())) is not None:
        raise FormatError(f"is not a {claimed}, whatever its name; export it again", path)
    found = decoded(raw)
    if found is None:
        raise FormatError("is not text", path)
    return found
