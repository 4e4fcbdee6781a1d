"""How good synthetic texts are: likeness, variety, memory, and what they keep of who has what."""

from auscult.evaluate.text.epidemiology import Association, associations, common_complaints
from auscult.evaluate.text.memorisation import Memorisation, memorisation
from auscult.evaluate.text.result import TextResult, evaluate_texts
from auscult.evaluate.text.synthetic import SyntheticResult, evaluate_synthetic
from auscult.evaluate.text.vectors import WordVectors

__all__ = [
    "Association",
    "Memorisation",
    "SyntheticResult",
    "TextResult",
    "WordVectors",
    "associations",
    "common_complaints",
    "evaluate_synthetic",
    "evaluate_texts",
    "memorisation",
]
