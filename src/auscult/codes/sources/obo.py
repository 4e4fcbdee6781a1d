"""Ontologies in OBO format (1.2 and 1.4): terms, synonyms, cross-references and the hierarchy.

A concept's semantic types are the branches it is on: the names of its ancestors right below a root,
or further down where one branch holds most of the ontology. Obsolete terms are left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from auscult.codes.concept import Concept, Synonym
from auscult.codes.exclusions import Exclusions
from auscult.codes.sources.xrefs import read_xref
from auscult.core import Code, FormatError
from auscult.core.files import read_lines

_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(.*)')
_ESCAPE = re.compile(r"\\(.)")
_ESCAPES = {"n": " ", "W": " ", "t": " "}
_SYSTEMS = {"HP": "HPO", "MESH": "MeSH"}


@dataclass(slots=True)
class _Term:
    row: int
    id: str = ""
    name: str = ""
    synonyms: list[tuple[str, str]] = field(default_factory=list)
    xrefs: list[Code] = field(default_factory=list)
    parents: list[str] = field(default_factory=list)
    obsolete: bool = False


def read(path: Path, exclusions: Exclusions, *, system: str | None = None) -> Iterator[Concept]:
    """The concepts of an ontology, of a system that the ids' prefix names unless it is given."""
    terms: dict[str, _Term] = {}
    for term in _terms(path):
        place = f"{path.name} row {term.row}"
        if not term.id:
            exclusions.add("terms without an id", place)
        elif term.obsolete:
            exclusions.add("obsolete terms", term.id)
        elif not term.name:
            exclusions.add("terms without a name", place)
        elif term.id in terms:
            raise FormatError(f"duplicate id {term.id}", path, term.row)
        else:
            terms[term.id] = term
    if not terms:
        raise FormatError("there is no [Term] with an id and a name in the file", path)
    branches = _branches(terms, path, exclusions)
    for term in terms.values():
        prefix = term.id.partition(":")[0] if ":" in term.id else path.name.split(".")[0]
        source = system or _SYSTEMS.get(prefix, prefix)
        yield Concept(
            Code(source, term.id),
            term.name,
            (
                Synonym(term.name, source, "name"),
                *(Synonym(text, source, kind) for text, kind in term.synonyms),
            ),
            tuple(sorted(terms[branch].name for branch in branches[term.id])),
            tuple(term.xrefs),
            tuple(parent for parent in term.parents if parent in terms),
        )


def _terms(path: Path) -> Iterator[_Term]:
    term: _Term | None = None
    for row, line in read_lines(path):
        text = line.strip()
        if text.startswith("["):
            if term is not None:
                yield term
            term = _Term(row) if text.lower() == "[term]" else None
        elif term is not None and text and not text.startswith("!"):
            tag, colon, value = text.partition(":")
            if not colon:
                raise FormatError("expected a tag, a colon and a value", path, row)
            _take(term, tag.strip(), value.strip(), path, row)
    if term is not None:
        yield term


def _take(term: _Term, tag: str, value: str, path: Path, row: int) -> None:
    if tag == "id":
        term.id = _plain(value)
    elif tag == "name":
        term.name = _unescape(_plain(value))
    elif tag == "synonym":
        match = _QUOTED.match(value)
        if match is None:
            raise FormatError("a synonym must be in double quotes", path, row)
        scope = match[2].partition("[")[0].split()
        term.synonyms.append((_unescape(match[1]), " ".join(scope)))
    elif tag in ("exact_synonym", "related_synonym", "broad_synonym", "narrow_synonym"):
        match = _QUOTED.match(value)
        if match is not None:
            term.synonyms.append((_unescape(match[1]), tag.partition("_")[0].upper()))
    elif tag in ("xref", "xref_analog", "xref_unk"):
        code = read_xref(value)
        if code is not None and code not in term.xrefs:
            term.xrefs.append(code)
    elif tag == "is_a":
        parent = _plain(value).split()
        if parent and parent[0] not in term.parents:
            term.parents.append(parent[0])
    elif tag == "is_obsolete":
        term.obsolete = _plain(value).lower() == "true"


def _plain(value: str) -> str:
    """A value without its trailing modifiers and remark."""
    return re.split(r"(?<!\\)\s[{!](?=\s|[^}]*}\s*(?:!|$))", f" {value}", maxsplit=1)[0].strip()


def _unescape(text: str) -> str:
    return _ESCAPE.sub(lambda match: _ESCAPES.get(match[1], match[1]), text)


def _branches(
    terms: dict[str, _Term], path: Path, exclusions: Exclusions
) -> dict[str, frozenset[str]]:
    """For each term the ancestors, itself included, at which the ontology branches."""
    graph: dict[str, list[str]] = {}
    for term in terms.values():
        unknown = [parent for parent in term.parents if parent not in terms]
        if unknown:
            exclusions.add("parents that are not in the file", f"{term.id} is_a {unknown[0]}")
        graph[term.id] = [parent for parent in term.parents if parent in terms]
    try:
        order = list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        circle: list[str] = error.args[1]
        shown = " is_a ".join(reversed(circle[:20]))
        raise FormatError(
            f"the hierarchy contains a cycle: {shown}. Correct the ontology, or use another "
            "release",
            path,
            terms[circle[0]].row,
        ) from error
    above = {id_ for id_, parents in graph.items() if not parents}
    while True:
        tops = {id_ for id_, parents in graph.items() if above.intersection(parents)} - above
        found: dict[str, frozenset[str]] = {}
        for id_ in order:
            own = [id_] if id_ in tops else []
            found[id_] = frozenset(own).union(*(found[parent] for parent in graph[id_]))
        sizes = Counter(top for branches in found.values() for top in branches)
        widest = max(sizes, key=lambda top: (sizes[top], top), default=None)
        if widest is None or sizes[widest] <= len(terms) / 2 or sizes[widest] == 1:
            return found
        above.add(widest)
