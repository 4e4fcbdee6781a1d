"""Experiments: train, predict and evaluate as one."""

from __future__ import annotations

from auscult.experiment.assessing import Assessment, ModelFacts, assess, assess_predictions
from auscult.experiment.comparing import SystemComparison, compare

__all__ = [
    "Assessment",
    "ModelFacts",
    "SystemComparison",
    "assess",
    "assess_predictions",
    "compare",
]
