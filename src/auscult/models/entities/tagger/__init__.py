"""The model `tagger`: named entity recognition by conditional random fields."""

from __future__ import annotations

from auscult.models.entities.tagger.tagger import CrfTagger

__all__ = ["CrfTagger"]
