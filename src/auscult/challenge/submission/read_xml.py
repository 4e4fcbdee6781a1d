"""A submission as XML: the form of the 2007 challenge, by the schema in `submission.xsd`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element
from xml.parsers import expat

from auscult.challenge.submission.problem import ProblemKind, SubmissionProblem
from auscult.challenge.submission.submission import Submission, SubmittedCode, SubmittedDocument
from auscult.core import FormatError, xml
from auscult.core.names import shown

if TYPE_CHECKING:
    from xmlschema import XMLSchema, XMLSchemaValidationError

SCHEMA = "submission.xsd"
_JUNK = expat.errors.codes[expat.errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT]
_DEEPEST = 16
_QUOTED = re.compile(r"'([^']*)'")


def schema_text() -> str:
    """The schema, to give to those who submit."""
    return (files("auscult.challenge.submission") / SCHEMA).read_text(encoding="utf-8")


def read(raw: bytes, name: str, *, by_schema: bool = True) -> Submission:
    """The documents of an XML file, and all that the schema says against it."""
    problems: list[SubmissionProblem] = []
    root = _root(raw, Path(name), problems)
    if root is None:
        return Submission.of((), problems)
    if root.tag != "docs":
        says = f"the root element must be <docs> (see {SCHEMA}); got <{_tag(root)}>"
        return Submission.of((), [*problems, SubmissionProblem(ProblemKind.ROOT, says, root.row)])
    if _too_deep(root):
        says = (
            f"elements are nested more than {_DEEPEST} levels deep, which {SCHEMA} does not allow"
        )
        return Submission.of((), [*problems, SubmissionProblem(ProblemKind.SHAPE, says, root.row)])
    for name in [name for name in root.attrib if name.startswith(("xmlns:", "xsi:"))]:
        del root.attrib[name]  # where the schema is; it is this one, whatever the file says
    if by_schema:
        problems += _against_schema(root)
    return Submission.of(
        (_document(doc) for doc in root.iterfind("doc") if doc.get("id")), problems
    )


def _root(raw: bytes, file: Path, problems: list[SubmissionProblem]) -> xml.Node | None:
    try:
        return xml.parse_bytes(raw, file)
    except FormatError as error:
        cause = error.__cause__
        if isinstance(cause, expat.ExpatError) and cause.code == _JUNK:
            says = "a second root element, or text after the first; a submission must be one <docs>"
            problems.append(SubmissionProblem(ProblemKind.ROOTS, says, error.row))
            return _first_root(raw, file, cause)
        kind = ProblemKind.ENTITY if isinstance(error, xml.EntityError) else ProblemKind.UNREADABLE
        problems.append(SubmissionProblem(kind, error.problem, error.row))
        return None


def _first_root(raw: bytes, file: Path, junk: expat.ExpatError) -> xml.Node | None:
    """What stands before the second root, so that its problems can be listed as well."""
    lines = raw.split(b"\n")
    try:
        begun = lines[junk.lineno - 1].decode()[: junk.offset].encode()
        return xml.parse_bytes(b"\n".join([*lines[: junk.lineno - 1], begun]), file)
    except (FormatError, UnicodeDecodeError):
        return None


def _too_deep(root: Element) -> bool:
    level = [root]
    for _ in range(_DEEPEST):
        level = [child for element in level for child in element]
        if not level:
            return False
    return True


@cache
def _schema() -> XMLSchema:
    import xmlschema

    return xmlschema.XMLSchema(schema_text(), allow="none", defuse="never")


def _against_schema(root: xml.Node) -> Iterator[SubmissionProblem]:
    """What the schema says. That a document comes twice is said by the check, in every form."""
    for error in _schema().iter_errors(root):
        reason = error.reason or "is not valid against the schema"
        if not reason.startswith("duplicated value"):
            yield SubmissionProblem(ProblemKind.SHAPE, _worded(error, reason), _row(error))


def _row(error: XMLSchemaValidationError) -> int | None:
    element = getattr(error, "invalid_child", None)
    if element is None:
        element = error.elem
    return xml.row_of(element) if isinstance(element, Element) else None


def _worded(error: XMLSchemaValidationError, reason: str) -> str:
    element = error.elem
    where = f"<{_tag(element)}>: " if isinstance(element, Element) else ""
    if "length cannot be lesser" in reason:
        return f"{where}is empty"
    safe = _QUOTED.sub(lambda found: shown(found[1]), reason.rstrip("."))
    return f"{where}{safe[:1].lower()}{safe[1:]}"


def _tag(element: Element) -> str:
    return shown(element.tag).strip("'")


def _document(doc: Element) -> SubmittedDocument:
    codes = tuple(
        SubmittedCode(value, xml.row_of(code), code.get("type"), code.get("origin"))
        for code in doc.iterfind("codes/code")
        if (value := (code.text or "").strip())
    )
    return SubmittedDocument(" ".join(doc.get("id", "").split()), xml.row_of(doc), codes)
