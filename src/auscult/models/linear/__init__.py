"""The model `linear`: logistic regression over word n-grams."""

from __future__ import annotations

from auscult.models.linear.scorer import Linear, LinearConfiguration

__all__ = ["Linear", "LinearConfiguration"]
