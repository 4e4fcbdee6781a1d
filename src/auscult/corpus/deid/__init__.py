"""De-identification: what may identify someone is found, replaced by like values, and reviewed."""

from auscult.corpus.deid.detect import detect
from auscult.corpus.deid.found import SYSTEM, Found, Kind, Part
from auscult.corpus.deid.options import Doubtful, Options
from auscult.corpus.deid.recognisers import Recogniser, Sight, builtin
from auscult.corpus.deid.review import Choice, Decision, Item
from auscult.corpus.deid.run import Summary, deidentify, review_items
from auscult.corpus.deid.status import Status, status_of
from auscult.corpus.deid.surrogates import Style

__all__ = [
    "SYSTEM",
    "Choice",
    "Decision",
    "Doubtful",
    "Found",
    "Item",
    "Kind",
    "Options",
    "Part",
    "Recogniser",
    "Sight",
    "Status",
    "Style",
    "Summary",
    "builtin",
    "deidentify",
    "detect",
    "review_items",
    "status_of",
]
