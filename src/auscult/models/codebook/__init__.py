"""The model `codebook`: codes any English note with ICD-10-CM by its own index, untrained."""

from __future__ import annotations

from auscult.models.codebook.scorer import Codebook

__all__ = ["Codebook"]
