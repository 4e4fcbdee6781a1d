"""Which diagnoses explain which symptoms, by the chapters of ICD.

The chapter of symptoms is ordered by the system of the body they belong to; a definite diagnosis of
that system explains them. Fever is explained by infections wherever they are.
"""

from __future__ import annotations

from auscult.core import Code

_Ranges = tuple[tuple[str, str], ...]
_ICD9_INFECTIONS: _Ranges = (
    ("001", "139"), ("320", "326"), ("460", "466"), ("480", "487"), ("510", "510"), ("513", "513"),
    ("540", "542"), ("567", "567"), ("590", "590"), ("595", "595"), ("599.0", "599.0"),
    ("680", "686"), ("711", "711"), ("730", "730"), ("995.91", "995.92"),
)  # fmt: skip
_ICD10_INFECTIONS: _Ranges = (
    ("A00", "B99"), ("G00", "G09"), ("J00", "J22"), ("J85", "J86"), ("K35", "K37"), ("K65", "K65"),
    ("L00", "L08"), ("M00", "M01"), ("M86", "M86"), ("N10", "N12"), ("N30", "N30"),
    ("N39.0", "N39.0"), ("R65.2", "R65.2"),
)  # fmt: skip
_EXPLAINED: dict[str, tuple[tuple[tuple[str, str], _Ranges], ...]] = {
    "ICD-9-CM": (
        (("780.6", "780.6"), _ICD9_INFECTIONS),
        (("780.0", "780.2"), (("250", "251"), ("290", "294"), ("345", "348"), ("430", "438"))),
        (("781", "781"), (("330", "359"), ("430", "438"))),
        (("784", "784"), (("346", "346"), ("430", "438"), ("460", "478"))),
        (("785", "785"), (("390", "459"),)),
        (("786", "786"), (("010", "018"), ("415", "416"), ("428", "428"), ("460", "519"))),
        (("787", "787"), (("001", "009"), ("520", "579"))),
        (("788", "788"), (("580", "599"),)),
        (("789.0", "789.0"), (("520", "579"), ("590", "592"), ("599.0", "599.0"))),
        (("791", "791"), (("580", "589"),)),
    ),
    "ICD-10-CM": (
        (("R00", "R03"), (("I00", "I99"),)),
        (("R04", "R09"), (("A15", "A19"), ("I26", "I27"), ("I50", "I50"), ("J00", "J99"))),
        (("R10", "R19"), (("A00", "A09"), ("K20", "K95"), ("N10", "N23"))),
        (("R25", "R29"), (("G10", "G99"), ("I60", "I69"))),
        (("R30", "R39"), (("N00", "N39"),)),
        (("R40", "R49"), (("E08", "E16"), ("F01", "F05"), ("G20", "G99"), ("I60", "I69"))),
        (("R50", "R50"), _ICD10_INFECTIONS),
        (("R51", "R51"), (("G43", "G44"), ("I60", "I62"))),
        (("R80", "R82"), (("N00", "N39"),)),
    ),
}  # fmt: skip


def is_symptom(code: Code) -> bool:
    """Whether a code is a symptom that some diagnosis can explain.

    >>> is_symptom(Code("ICD-10-CM", "R50.9")), is_symptom(Code("ICD-10-CM", "I10"))
    (True, False)
    """
    return any(_within(code.value, symptoms) for symptoms, _ in _EXPLAINED.get(code.system, ()))


def explains(diagnosis: Code, symptom: Code) -> bool:
    """Whether a diagnosis, being definite, explains a symptom, so that only it is coded.

    >>> pneumonia, cough = Code("ICD-9-CM", "486"), Code("ICD-9-CM", "786.2")
    >>> explains(pneumonia, cough), explains(cough, pneumonia)
    (True, False)
    """
    if diagnosis.system != symptom.system:
        return False
    return any(
        _within(symptom.value, symptoms) and any(_within(diagnosis.value, one) for one in by)
        for symptoms, by in _EXPLAINED.get(symptom.system, ())
    )


def _within(value: str, ends: tuple[str, str]) -> bool:
    """Whether a code begins with something from one beginning to another, as ICD's ranges read."""
    first, last = ends
    return first <= value[: len(first)] and value[: len(last)] <= last
