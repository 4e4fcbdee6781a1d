"""Boosted trees over the tf-idf of single words."""

from __future__ import annotations

from auscult.coders.boosted.scorer import Boosted, BoostedConfiguration

__all__ = ["Boosted", "BoostedConfiguration"]
