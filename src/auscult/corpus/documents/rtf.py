"""The text of an RTF document, which many record systems export."""

from __future__ import annotations

from pathlib import Path

from auscult.core import FormatError, MissingExtraError


def rtf_text(raw: bytes, path: Path) -> str:
    """Its text, without formatting."""
    try:
        from striprtf.striprtf import rtf_to_text
    except ImportError as error:
        raise MissingExtraError("RTF", "documents") from error
    try:
        # RTF is ASCII; what is not stands in escapes, or as bytes of Windows-1252.
        return str(rtf_to_text(raw.decode("latin-1"), encoding="cp1252", errors="replace"))
    # A damaged file can fail anywhere in the library, and is one of many.
    except Exception as error:
        raise FormatError("is a damaged RTF document; save it again", path) from error
