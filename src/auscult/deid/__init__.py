"""De-identification: find PHI, replace it by surrogates, and review the result."""

from auscult.deid.detect import detect
from auscult.deid.options import DeidOptions, DoubtfulChoice
from auscult.deid.phi_span import SYSTEM, PhiKind, PhiPart, PhiSpan
from auscult.deid.recognizers import NoteView, Recognizer, builtin
from auscult.deid.review import ReviewChoice, ReviewDecision, ReviewItem
from auscult.deid.run import DeidSummary, deidentify, review_items
from auscult.deid.status import ReviewStatus, status_of
from auscult.deid.surrogates import ReplacementStyle

__all__ = [
    "SYSTEM",
    "DeidOptions",
    "DeidSummary",
    "DoubtfulChoice",
    "NoteView",
    "PhiKind",
    "PhiPart",
    "PhiSpan",
    "Recognizer",
    "ReplacementStyle",
    "ReviewChoice",
    "ReviewDecision",
    "ReviewItem",
    "ReviewStatus",
    "builtin",
    "deidentify",
    "detect",
    "review_items",
    "status_of",
]
