"""The XML of an index file, checked to be one."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element

from auscult.core import FormatError, xml

_ROOT = "ICD10CM.index"


def open_xml(path: Path) -> Element:
    """The root element of an index file, which may be gzipped."""
    root = xml.parse(path)
    if root.tag != _ROOT:
        raise FormatError(
            f"expected an ICD-10-CM index with the root element {_ROOT}, got {root.tag}; "
            "pass CDC's icd10cm-index, -eindex, -neoplasm or -drug XML file",
            path,
        )
    if root.find("letter/mainTerm") is None:
        raise FormatError("the index has no main terms; download the file again", path)
    return root
