"""Code systems: the shape of their codes, the tables of those that exist, and the maps between."""

from auscult.codes.systems import (
    CUI_LESS,
    SYSTEMS,
    CodeSystem,
    family,
    is_cui_less,
    is_well_formed,
    normalise,
)
from auscult.codes.table import CodeTable, Entry
from auscult.codes.tables import chapter, describe, is_known, table_of

__all__ = [
    "CUI_LESS",
    "SYSTEMS",
    "CodeSystem",
    "CodeTable",
    "Entry",
    "chapter",
    "describe",
    "family",
    "is_cui_less",
    "is_known",
    "is_well_formed",
    "normalise",
    "table_of",
]
