"""Filters that propose replacements for a word of interest; the contract is `ReplacementFilter`."""

from __future__ import annotations

from auscult.audit.filters.contract import ReplacementFilter, WordContext
from auscult.audit.filters.frequent import FrequentWordFilter
from auscult.audit.filters.typos import TypoFilter
from auscult.audit.filters.uniform import UniformFilter
from auscult.audit.filters.vocabulary import ChartWordCounts

__all__ = [
    "ChartWordCounts",
    "FrequentWordFilter",
    "ReplacementFilter",
    "TypoFilter",
    "UniformFilter",
    "WordContext",
]
