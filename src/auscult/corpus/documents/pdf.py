"""The text of a PDF, where it has some: a scan has pictures only."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from auscult.core import FormatError, MissingExtraError


def pdf_text(raw: bytes, path: Path) -> str:
    """The text of its pages, a blank line between them."""
    try:
        from pypdf import PdfReader
        from pypdf.errors import DependencyError, FileNotDecryptedError
    except ImportError as error:
        raise MissingExtraError("A PDF", "documents") from error
    try:
        with _quiet():
            pages = [page.extract_text() for page in PdfReader(io.BytesIO(raw)).pages]
    except (FileNotDecryptedError, DependencyError) as error:
        raise FormatError("is protected by a password; save it without one", path) from error
    # A damaged file can fail anywhere in the library, and is one of many.
    except Exception as error:
        raise FormatError("is a damaged PDF; export it again", path) from error
    text = "\n\n".join(page.strip("\n") for page in pages).strip("\n")
    if not text.strip():
        raise FormatError(
            "is a PDF without text, probably a scan; run text recognition (OCR) on it first", path
        )
    return f"{text}\n"


@contextmanager
def _quiet() -> Iterator[None]:
    """The library logs what it repairs, which may quote the file."""
    logger = logging.getLogger("pypdf")
    before = logger.level
    logger.setLevel(logging.CRITICAL + 1)  # which the loggers of its modules inherit
    try:
        yield
    finally:
        logger.setLevel(before)
