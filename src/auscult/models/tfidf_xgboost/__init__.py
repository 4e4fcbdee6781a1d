"""The model `tfidf-xgboost`: gradient-boosted trees over the tf-idf of single words."""

from __future__ import annotations

from auscult.models.tfidf_xgboost.scorer import TfidfXgboost, TfidfXgboostConfiguration

__all__ = ["TfidfXgboost", "TfidfXgboostConfiguration"]
