"""The text of a Word document (.docx).

A .docx file is a zip with `word/document.xml` in it, of which a note needs the paragraphs: those
of the body, of tables and of text boxes, in the order of the document. Text that was deleted with
changes tracked is in elements of another name, and so is left out.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

from auscult.core import FormatError, xml

_BODY = "word/document.xml"
_LARGEST = 100_000_000
"""Bytes of the body, unpacked, beyond which the file is a trap or no note."""
_BREAKS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
# Some text is there twice, once for programs of before 2010; properties name tabs that are none.
_LEFT_OUT = ("Fallback", "pPr", "rPr")


def docx_text(raw: bytes, path: Path) -> str:
    """The paragraphs of a document, one a line."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            if archive.getinfo(_BODY).file_size > _LARGEST:
                raise FormatError("its text is too large for a note", path)
            body = archive.read(_BODY)
    except (KeyError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise FormatError("is not a Word document, or is damaged", path) from error
    except RuntimeError as error:  # so zipfile says that a file is encrypted
        raise FormatError("is protected by a password; save it without one", path) from error
    try:
        pieces = list(_pieces(xml.parse_bytes(body, path)))
    except RecursionError as error:
        raise FormatError("is nested too deeply to be a note", path) from error
    return "".join(pieces).rstrip("\n") + "\n" if pieces else ""


def _pieces(element: Element) -> Iterator[str]:
    kind = element.tag.rpartition(":")[2]
    if kind in _LEFT_OUT:
        return
    if kind == "t":
        yield element.text or ""
    elif kind in _BREAKS:
        yield _BREAKS[kind]
    for child in element:
        yield from _pieces(child)
    if kind == "p":
        yield "\n"
