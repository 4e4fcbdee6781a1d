"""Code systems: the shape of their codes, the tables of those that exist, and the maps between."""

from auscult.codes.systems import (
    CUI_LESS,
    SYSTEMS,
    CodeSystem,
    family,
    is_cui_less,
    is_well_formed,
    normalize,
)
from auscult.codes.table import CodeEntry, CodeTable
from auscult.codes.tables import chapter, describe, is_known, table_of

__all__ = [
    "CUI_LESS",
    "SYSTEMS",
    "CodeEntry",
    "CodeSystem",
    "CodeTable",
    "chapter",
    "describe",
    "family",
    "is_cui_less",
    "is_known",
    "is_well_formed",
    "normalize",
    "table_of",
]
