"""Audit: whether a coder listens to the words a clinician would.

A word of a chart is replaced, and the coder's score of a code is asked for again. Words whose
replacement moves the score are those the coder goes by.

Cao et al. 2022, "Language Model Classifier Aligns Better with Physician Word Sensitivity than
XGBoost on Readmission Prediction".
"""

from __future__ import annotations

from auscult.audit.alignment import Alignment, align
from auscult.audit.ratings import Ratings, read_ratings
from auscult.audit.sensitivity import Sensitivity, sensitivity

__all__ = ["Alignment", "Ratings", "Sensitivity", "align", "read_ratings", "sensitivity"]
