"""Coding edits: rules of the Tabular List and the Official Guidelines over the codes of a chart."""

from auscult.codes.coding_edits.check import CodeChecker, check_codes
from auscult.codes.coding_edits.finding import CodingFinding, EditSeverity
from auscult.codes.coding_edits.specificity import needs_more_characters

__all__ = ["CodeChecker", "CodingFinding", "EditSeverity", "check_codes", "needs_more_characters"]
