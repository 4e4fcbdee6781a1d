"""The tagger: a trained recogniser of spans."""

from __future__ import annotations

from auscult.coders.concepts.tagger.tagger import Tagger

__all__ = ["Tagger"]
