"""XML read safely: no entities of its own, nothing fetched, and errors that name the line.

An entity is how a small file grows to gigabytes or pulls in another one, and no corpus needs
them beyond the five of XML itself, so a file that declares one is refused. A DOCTYPE without
declarations is fine, and is not followed.
"""

from __future__ import annotations

from pathlib import Path
from typing import cast
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from auscult.core import FormatError
from auscult.core.files import read_bytes


class Node(Element):
    """An element that knows the line it starts on."""

    __slots__ = ("row",)

    row: int


def parse(path: Path) -> Node:
    """The root element of an XML file, which may be gzipped."""
    return parse_bytes(read_bytes(path), path)


class EntityError(FormatError):
    """A file that defines entities, which may be a trap."""


def parse_bytes(raw: bytes, path: Path) -> Node:
    """The root element in the bytes of an XML file, of which `path` is the name."""
    parser = expat.ParserCreate()
    parser.buffer_text = True

    def make(tag: str, attributes: dict[str, str]) -> Node:
        node = Node(tag, attributes)
        node.row = parser.CurrentLineNumber
        return node

    def refuse(*_: object) -> None:
        raise EntityError(
            "defines an XML entity, which is not read for security reasons; replace the entity "
            "by its text",
            path,
            parser.CurrentLineNumber,
        )

    builder = TreeBuilder(element_factory=make)
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = refuse
    # After a DOCTYPE that names a DTD, an unknown entity would be dropped without a word.
    parser.SkippedEntityHandler = refuse
    try:
        parser.Parse(raw, True)
        return cast(Node, builder.close())
    except expat.ExpatError as error:
        raise FormatError(
            f"is not well-formed XML: {expat.ErrorString(error.code)} at column {error.offset + 1}",
            path,
            error.lineno,
        ) from error
    except (LookupError, ValueError) as error:
        raise FormatError(
            "is in an unsupported encoding; convert it to UTF-8 and declare that in its first line",
            path,
            1,
        ) from error
    finally:
        # They lead back to the parser: a circle that would keep the tree longer than is needed.
        parser.StartElementHandler = parser.EndElementHandler = None
        parser.CharacterDataHandler = parser.EntityDeclHandler = parser.SkippedEntityHandler = None


def row_of(element: Element) -> int | None:
    """The line an element that `parse` made starts on."""
    return element.row if isinstance(element, Node) else None
