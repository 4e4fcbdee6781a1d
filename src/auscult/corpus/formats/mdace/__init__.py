"""MDACE: the evidence for billing codes in MIMIC-III charts, one JSON file a chart."""

from auscult.corpus.formats.mdace.reading import ReadOptions, read
from auscult.corpus.formats.mdace.writing import WriteOptions, write

HOLDS = frozenset({"notes.read_by"})
EXAMPLE = (
    "hospital/mdace/data/Inpatient/ICD-10 evidence --noteevents hospital/mimic3/NOTEEVENTS.csv"
)
IS_ONE_CORPUS = True

__all__ = ["EXAMPLE", "HOLDS", "IS_ONE_CORPUS", "ReadOptions", "WriteOptions", "read", "write"]
