"""Records: the discrete variables of visits, as vectors, and the texts that go with them."""

from auscult.corpus.records.cleaning import Cleaning
from auscult.corpus.records.encoder import RecordEncoder, Variable
from auscult.corpus.records.pairs import RecordTexts, pairs_of

__all__ = ["Cleaning", "RecordEncoder", "RecordTexts", "Variable", "pairs_of"]
