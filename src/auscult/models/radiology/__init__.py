"""The model `radiology`: codes short radiology reports by concepts, assertion and code sets."""

from __future__ import annotations

from auscult.models.radiology.scorer import RadiologyConfiguration, RadiologyModel

__all__ = ["RadiologyConfiguration", "RadiologyModel"]
