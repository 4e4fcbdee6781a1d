"""Code systems: the shape of their codes, and the tables of those that exist."""

from auscult.codes.systems import CUI_LESS, SYSTEMS, CodeSystem, family, is_well_formed, normalise
from auscult.codes.tables import describe, is_known

__all__ = [
    "CUI_LESS",
    "SYSTEMS",
    "CodeSystem",
    "describe",
    "family",
    "is_known",
    "is_well_formed",
    "normalise",
]
