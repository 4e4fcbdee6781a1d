"""How right a coder is: measures of codes and of their evidence."""

from auscult.evaluate.codes import CodesResult, compare_codes, evaluate_codes
from auscult.evaluate.evidence import EvidenceResult, compare_evidence, evaluate_evidence
from auscult.evaluate.faithfulness import Faithfulness, faithfulness
from auscult.evaluate.outcomes import codes_of
from auscult.evaluate.sides import Charts, Sides, open_side, pair

__all__ = [
    "Charts",
    "CodesResult",
    "EvidenceResult",
    "Faithfulness",
    "Sides",
    "codes_of",
    "compare_codes",
    "compare_evidence",
    "evaluate_codes",
    "evaluate_evidence",
    "faithfulness",
    "open_side",
    "pair",
]
