"""Evaluation of synthetic texts: similarity, diversity, memorization, epidemiology."""

from auscult.evaluate.text.epidemiology import Association, associations, common_complaints
from auscult.evaluate.text.memorization import Memorization, memorization
from auscult.evaluate.text.result import TextResult, evaluate_texts
from auscult.evaluate.text.synthetic import SyntheticResult, evaluate_synthetic
from auscult.evaluate.text.vectors import WordVectors

__all__ = [
    "Association",
    "Memorization",
    "SyntheticResult",
    "TextResult",
    "WordVectors",
    "associations",
    "common_complaints",
    "evaluate_synthetic",
    "evaluate_texts",
    "memorization",
]
