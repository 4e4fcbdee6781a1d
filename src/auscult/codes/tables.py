"""Which codes exist and what they are called: the table of each system that has one."""

from __future__ import annotations

from auscult.codes import icd9, icd10
from auscult.codes.chapters import Chapter, find_chapter
from auscult.codes.table import CodeTable
from auscult.core import Code

_CHAPTERS = {**icd9.CHAPTERS, **icd10.CHAPTERS}


def table_of(system: str) -> CodeTable | None:
    """The newest table that comes with the packages, read when first asked for; None without one.

    Other releases are read from the official files: `icd10.read_order_file`,
    `icd9.read_descriptions`.
    """
    if system in icd9.CHAPTERS:
        return icd9.table(system)
    if system in icd10.CHAPTERS:
        return icd10.table(system)
    return None


def describe(code: Code) -> str | None:
    """The long description of a code or heading, or None.

    >>> describe(Code("ICD-10-CM", "I10")), describe(Code("ICD-10-CM", "I50.2"))
    ('Essential (primary) hypertension', 'Systolic (congestive) heart failure')
    """
    table = table_of(code.system)
    return None if table is None else table.describe(code.value)


def is_known(code: Code) -> bool | None:
    """Whether the code, billable or a heading, is in its system's table; None without a table.

    >>> is_known(Code("ICD-10-CM", "I50")), is_known(Code("ICD-10-CM", "I50.99"))
    (True, False)
    >>> is_known(Code("CPT", "99291")) is None
    True
    """
    table = table_of(code.system)
    return None if table is None else code.value in table


def chapter(code: Code) -> Chapter | None:
    """The chapter of an ICD code; None for other systems and for what is in no chapter.

    >>> print(chapter(Code("ICD-9-CM", "401.9")))
    Diseases of the circulatory system (390–459)
    """
    return find_chapter(code.value, _CHAPTERS.get(code.system, ()))
