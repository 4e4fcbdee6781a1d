"""The parts of an ICD-10-CM release, told apart by what is in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from xml.etree.ElementTree import Element

from auscult.codes.tabular.reading import ROOT as TABULAR_ROOT
from auscult.codes.tabular.reading import release_year, tabular_from
from auscult.codes.tabular.tabular_list import TabularList
from auscult.core import FormatError, xml

_INDEX_ROOT = "ICD10CM.index"


class PartKind(StrEnum):
    """The files that a release consists of."""

    TABULAR = "tabular"
    INDEX = "index"
    NEOPLASM = "neoplasm"
    DRUG = "drug"
    EXTERNAL = "eindex"

    @property
    def heading(self) -> str:
        """What the book calls it."""
        return _HEADINGS[self]


_HEADINGS = {
    PartKind.TABULAR: "Tabular List",
    PartKind.INDEX: "Alphabetic Index",
    PartKind.NEOPLASM: "Neoplasm Table",
    PartKind.DRUG: "Table of Drugs and Chemicals",
    PartKind.EXTERNAL: "External Cause Index",
}


@dataclass(frozen=True, slots=True)
class ReleasePart:
    """One file of a release: what it is, of which year, and where it is."""

    kind: PartKind
    year: str
    digest: str
    file_name: str
    path: Path
    origin: str
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Examined:
    """A file that was found to be a part of a release."""

    kind: PartKind
    year: str
    counts: Mapping[str, int]


def is_part(root: Element) -> bool:
    """Whether a file is of a release at all."""
    return root.tag in (TABULAR_ROOT, _INDEX_ROOT)


def examine(root: Element, path: Path) -> Examined:
    """Check a file of a release and say what it is; an error when it is none."""
    if not is_part(root):
        raise FormatError(
            f"expected a file of an ICD-10-CM release (<{TABULAR_ROOT}> or <{_INDEX_ROOT}>), got "
            f"<{root.tag}>; pass the XML files as CDC publishes them",
            path,
            xml.row_of(root),
        )
    year = release_year(root, path)
    if root.tag == TABULAR_ROOT:
        return Examined(PartKind.TABULAR, year, counts_of_tabular(tabular_from(root, path)))
    main = sum(1 for _ in root.iter("mainTerm"))
    if not main:
        raise FormatError(
            "expected an index with main terms (<mainTerm>), got none; download the file again",
            path,
        )
    counts = {"main_terms": main, "subterms": sum(1 for _ in root.iter("term"))}
    return Examined(_index_kind(root), year, counts)


def counts_of_tabular(listed: TabularList) -> dict[str, int]:
    """How much is in a Tabular List."""
    return {
        "codes": listed.billable_count,
        "headings": len(listed) - listed.billable_count,
        "inclusion_terms": sum(1 for _ in listed.terms()),
        "instructions": sum(1 for _ in listed.instructions()),
    }


def _index_kind(root: Element) -> PartKind:
    """Tables have columns, of which the first says of what; the two indexes differ in the title."""
    columns = [(head.text or "").strip().lower() for head in root.iter("head")]
    if columns:
        return PartKind.NEOPLASM if columns[0].startswith("neoplasm") else PartKind.DRUG
    title = (root.findtext("title") or "").lower()
    return PartKind.EXTERNAL if "external" in title else PartKind.INDEX
