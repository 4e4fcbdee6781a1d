"""The model `lexicon`: matches terms collected from annotated evidence and code descriptions."""

from __future__ import annotations

from auscult.models.lexicon.scorer import Lexicon, LexiconConfiguration

__all__ = ["Lexicon", "LexiconConfiguration"]
