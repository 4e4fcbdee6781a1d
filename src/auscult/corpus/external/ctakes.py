"""cTAKES: UIMA CAS as XMI, a file a note, called after it.

A mention (`textsem:DiseaseDisorderMention` and the like) has `begin`, `end` and the ids of its
concepts (`refsem:UmlsConcept`); the text it was found in is the sofa. Offsets count UTF-16 units.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from auscult.core import FormatError, Offsets, OffsetUnit, SpanError
from auscult.core.xml import Node, parse, row_of
from auscult.corpus.external.row import ExternalRow

SUFFIXES = (".xmi", ".xml")
_ID = "xmi:id"


def read(file: Path) -> Iterator[ExternalRow]:
    """The concepts in one file."""
    root = parse(file)
    note_id = file.name.removesuffix(".gz")
    for suffix in (*SUFFIXES, ".txt"):
        note_id = note_id.removesuffix(suffix)
    nodes = [node for node in root.iter() if isinstance(node, Node)]
    concepts = {n.get(_ID, ""): n for n in nodes if _local(n) == "UmlsConcept"}
    sofas = [n.get("sofaString") for n in nodes if _local(n) == "Sofa"]
    text = next((sofa for sofa in sofas if sofa is not None), None)
    if text is None:
        raise FormatError("is not a CAS: it has no sofa with text", file)
    offsets = Offsets(text, OffsetUnit.UTF16)
    for node in nodes:
        ids = node.get("ontologyConceptArr")
        if ids is None:
            continue
        begin, end = _number(node, "begin", file), _number(node, "end", file)
        try:
            quote = offsets.span_to_codepoint(begin, end).of(text)
        except SpanError as error:
            raise FormatError(str(error), file, row_of(node)) from error
        seen: set[str] = set()
        for id_ in ids.split():
            concept = concepts.get(id_)
            value = None if concept is None else concept.get("cui")
            if concept is None or not value or value in seen:
                continue
            seen.add(value)
            yield ExternalRow(
                note_id,
                value,
                ((begin, end),),
                quote,
                None,
                {"type": concept.get("tui") or _local(node)},
                file,
                row_of(node),
            )


def _local(node: Node) -> str:
    return str(node.tag).rpartition(":")[2]


def _number(node: Node, name: str, file: Path) -> int:
    given = node.get(name, "")
    if not given.isdecimal():
        raise FormatError(f"{_local(node)} needs an integer {name}", file, row_of(node))
    return int(given)
