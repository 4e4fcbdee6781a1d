"""CPT numbers. Their descriptions are licensed by the AMA and are not here."""

from __future__ import annotations


def is_evaluation_and_management(value: str) -> bool:
    """Whether the number is one of 99201–99499.

    These depend on a calculation of the decisions made, not on the text alone, so MDACE's coders
    left them out, and comparisons with MDACE must too.

    >>> is_evaluation_and_management("99291"), is_evaluation_and_management("71045")
    (True, False)
    """
    return value.isdigit() and 99_201 <= int(value) <= 99_499
