"""The XML of an index file, read safely.

This is the only place of the package that opens XML. An entity is how a small file grows to
gigabytes or pulls in another one; the official files declare none, so one that does is refused.
"""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from auscult.core import FormatError
from auscult.core.files import read_bytes

_ROOT = "ICD10CM.index"


def open_xml(path: Path) -> Element:
    """The root element of an index file, which may be gzipped."""
    root = _parse(read_bytes(path), path)
    if root.tag != _ROOT:
        raise FormatError(
            f"expected an ICD-10-CM index with the root element {_ROOT}, got {root.tag}; "
            "pass CDC's icd10cm-index, -eindex, -neoplasm or -drug XML file",
            path,
        )
    if root.find("letter/mainTerm") is None:
        raise FormatError("the index has no main terms; download the file again", path)
    return root


def _parse(raw: bytes, path: Path) -> Element:
    parser = expat.ParserCreate()
    parser.buffer_text = True

    def refuse(*_: object) -> None:
        raise FormatError(
            "defines an XML entity, which is not read for security reasons; download the official "
            "file again",
            path,
            parser.CurrentLineNumber,
        )

    builder = TreeBuilder()
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = refuse
    parser.SkippedEntityHandler = refuse
    try:
        parser.Parse(raw, True)
        return builder.close()
    except expat.ExpatError as error:
        raise FormatError(
            f"is not well-formed XML ({expat.ErrorString(error.code)}); the file is damaged or "
            "incomplete, download it again",
            path,
            error.lineno,
        ) from error
    except (LookupError, ValueError) as error:
        raise FormatError("is in an unsupported encoding; convert it to UTF-8", path, 1) from error
