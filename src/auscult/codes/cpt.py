"""CPT numbers. Their descriptions are licensed by the AMA and are not here."""

from __future__ import annotations

_SECTIONS = (
    (100, 1_999, "Anesthesia"),
    (10_004, 69_990, "Surgery"),
    (70_010, 79_999, "Radiology"),
    (80_047, 89_398, "Pathology and laboratory"),
    (90_281, 99_199, "Medicine"),
    (99_500, 99_607, "Medicine"),
)


def is_evaluation_and_management(value: str) -> bool:
    """Whether the number is one of 99201–99499.

    These depend on a calculation of the decisions made, not on the text alone, so MDACE's models
    left them out, and comparisons with MDACE must too.

    >>> is_evaluation_and_management("99291"), is_evaluation_and_management("71045")
    (True, False)
    """
    return value.isdigit() and 99_201 <= int(value) <= 99_499


def section(value: str) -> str | None:
    """The section of CPT that a number lies in; None for numbers of other categories.

    >>> section("71045"), section("99291"), section("00100"), section("0001F")
    ('Radiology', 'Evaluation and management', 'Anesthesia', None)
    """
    if is_evaluation_and_management(value):
        return "Evaluation and management"
    if not (value.isdigit() and len(value) == 5):
        return None
    return next((name for first, last, name in _SECTIONS if first <= int(value) <= last), None)
