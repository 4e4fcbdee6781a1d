"""A coder for short reports: parts and senses of words, concepts, and codes that stand together."""

from __future__ import annotations

from auscult.coders.report.scorer import Report, ReportConfiguration

__all__ = ["Report", "ReportConfiguration"]
