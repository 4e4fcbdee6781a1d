"""A lexicon learnt from evidence: simple, quick, and hard to beat where evidence is given."""

from __future__ import annotations

from auscult.coders.lexicon.scorer import Lexicon, LexiconConfiguration

__all__ = ["Lexicon", "LexiconConfiguration"]
