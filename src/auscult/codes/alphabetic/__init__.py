"""The Alphabetic Index, the Neoplasm Table, the Table of Drugs and the External Cause Index."""

from auscult.codes.alphabetic.alphabetic_index import AlphabeticIndex
from auscult.codes.alphabetic.drugs import read_drugs
from auscult.codes.alphabetic.neoplasms import read_neoplasms
from auscult.codes.alphabetic.reading import read_index
from auscult.codes.alphabetic.terms import Cell, IndexEntry, IndexPhrase

__all__ = [
    "AlphabeticIndex",
    "Cell",
    "IndexEntry",
    "IndexPhrase",
    "read_drugs",
    "read_index",
    "read_neoplasms",
]
