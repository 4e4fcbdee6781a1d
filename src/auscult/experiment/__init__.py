"""Experiments: train, predict and evaluate as one."""

from __future__ import annotations

from auscult.experiment.assessing import Assessment, ModelFacts, assess, assess_predictions
from auscult.experiment.batch_curves import Batch, BatchCurve, batch_curve
from auscult.experiment.comparing import SystemComparison, compare
from auscult.experiment.learning_curves import learning_curve

__all__ = [
    "Assessment",
    "Batch",
    "BatchCurve",
    "ModelFacts",
    "SystemComparison",
    "assess",
    "assess_predictions",
    "batch_curve",
    "compare",
    "learning_curve",
]
