"""Audit: how sensitive a model is to single words, and whether clinicians agree with it.

A word of a chart is replaced, and the code is scored again. The more a replacement changes the
score, the more sensitive the model is to the word.

Cao et al. 2022, "Language Model Classifier Aligns Better with Physician Word Sensitivity than
XGBoost on Readmission Prediction".
"""

from __future__ import annotations

from auscult.audit.alignment import Alignment, align
from auscult.audit.ratings import ClinicianRatings, read_ratings
from auscult.audit.sensitivity import Sensitivity, sensitivity
from auscult.core.callable_module import make_callable

__all__ = ["Alignment", "ClinicianRatings", "Sensitivity", "align", "read_ratings", "sensitivity"]

make_callable(__name__)
