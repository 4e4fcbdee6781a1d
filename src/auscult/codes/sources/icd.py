"""The descriptions of ICD codes as a vocabulary of their own."""

from __future__ import annotations

from collections.abc import Iterator

from auscult.codes.concept import Concept, Synonym
from auscult.codes.tables import chapter, table_of
from auscult.core import Code
from auscult.core.names import require_known

SYSTEMS = ("ICD-9-CM", "ICD-9-PCS", "ICD-10-CM", "ICD-10-PCS")


def read(system: str) -> Iterator[Concept]:
    """The codes and headings of a system that are described; the chapter is the semantic type."""
    require_known(system, SYSTEMS, "ICD system")
    table = table_of(system)
    for entry in table or ():
        if entry.description:
            code = Code(system, entry.value)
            within = chapter(code)
            above = None if table is None else table.parent(entry.value)
            yield Concept(
                code,
                entry.description,
                (Synonym(entry.description, system, "billable" if entry.billable else "heading"),),
                () if within is None else (within.title,),
                parents=() if above is None else (above,),
            )
