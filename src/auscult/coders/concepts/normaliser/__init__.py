"""The normaliser: given spans, ranks concepts."""

from __future__ import annotations

from auscult.coders.concepts.normaliser.normaliser import Normaliser

__all__ = ["Normaliser"]
