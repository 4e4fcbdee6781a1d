"""Evaluation: metrics of codes, evidence, entities, de-identification and texts."""

from auscult.evaluate.codes import CodesResult, code_metrics, compare_codes
from auscult.evaluate.evidence import EvidenceResult, compare_evidence, evidence_metrics
from auscult.evaluate.faithfulness import Faithfulness, faithfulness
from auscult.evaluate.outcomes import codes_of
from auscult.evaluate.sides import CountedCharts, Sides, open_side, pair

__all__ = [
    "CodesResult",
    "CountedCharts",
    "EvidenceResult",
    "Faithfulness",
    "Sides",
    "code_metrics",
    "codes_of",
    "compare_codes",
    "compare_evidence",
    "evidence_metrics",
    "faithfulness",
    "open_side",
    "pair",
]
