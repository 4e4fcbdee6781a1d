"""The model `linker`: ranks the concepts of given spans (entity linking)."""

from __future__ import annotations

from auscult.models.entities.linker.linker import Linker

__all__ = ["Linker"]
