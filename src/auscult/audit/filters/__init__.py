"""Filters: what a word of interest is replaced by. Any object that is a `Filter` will do."""

from __future__ import annotations

from auscult.audit.filters.contract import Context, Filter
from auscult.audit.filters.frequent import Frequent
from auscult.audit.filters.typos import Typos
from auscult.audit.filters.uniform import Uniform
from auscult.audit.filters.vocabulary import Counted

__all__ = ["Context", "Counted", "Filter", "Frequent", "Typos", "Uniform"]
