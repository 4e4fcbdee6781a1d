"""A linear coder over word n-grams: quick to learn, and plain about why."""

from __future__ import annotations

from auscult.coders.linear.scorer import Linear, LinearConfiguration

__all__ = ["Linear", "LinearConfiguration"]
