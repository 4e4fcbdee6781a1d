"""What each code system's codes look like, and how to write them as published.

People write `4019`, `401.9`, `I10.` and `n44.8`; a corpus holds `401.9`, `I10` and `N44.8`.
A code that fits no pattern is kept as it came: whether that matters is for the doctor to say.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from auscult.core import Code

CUI_LESS = "CUI-less"
"""The UMLS value of a span that no concept matches."""


def is_cui_less(value: str) -> bool:
    """Whether the value of a code says that no concept fits, however it is written.

    >>> is_cui_less("cui-less"), is_cui_less("C0004096")
    (True, False)
    """
    return value.casefold() == CUI_LESS.casefold()


@dataclass(frozen=True, slots=True)
class CodeSystem:
    """A code system: its name, the shape of its codes, and how to write one as published."""

    name: str
    title: str
    shape: re.Pattern[str]
    write: Callable[[str], str]
    family: str


def _dot_after(length: int) -> Callable[[str], str]:
    def write(raw: str) -> str:
        plain = raw.replace(".", "")
        return f"{plain[:length]}.{plain[length:]}" if len(plain) > length else plain

    return write


def _icd9_diagnosis(raw: str) -> str:
    """External causes have four characters before the dot, everything else three."""
    return _dot_after(4 if raw.startswith("E") else 3)(raw)


def _as_it_is(raw: str) -> str:
    return raw


_ALL = (
    CodeSystem(
        "ICD-9-CM",
        "ICD-9-CM diagnoses",
        re.compile(r"(?:\d{3}|V\d{2})(?:\.\d{1,2})?|E\d{3}(?:\.\d)?"),
        _icd9_diagnosis,
        "ICD-9",
    ),
    CodeSystem(
        "ICD-9-PCS",
        "ICD-9-CM procedures",
        re.compile(r"\d{2}(?:\.\d{1,2})?"),
        _dot_after(2),
        "ICD-9",
    ),
    CodeSystem(
        "ICD-10-CM",
        "ICD-10-CM diagnoses",
        re.compile(r"(?:[A-Z]\d|QA)[0-9A-Z](?:\.[0-9A-Z]{1,4})?"),  # QA0 came in 2026
        _dot_after(3),
        "ICD-10",
    ),
    CodeSystem(
        "ICD-10-PCS",
        "ICD-10-PCS procedures",
        re.compile(r"[0-9A-HJ-NP-Z]{3,7}"),
        _as_it_is,
        "ICD-10",
    ),
    CodeSystem("CPT", "CPT", re.compile(r"\d{4}[0-9A-Z]"), _as_it_is, "CPT"),
    CodeSystem("UMLS", "UMLS", re.compile(r"C\d{7}|CUI-less"), _as_it_is, "UMLS"),
    CodeSystem("MeSH", "MeSH", re.compile(r"[CD]\d{6}(?:\d{3})?"), _as_it_is, "MeSH"),
    CodeSystem("OMIM", "OMIM", re.compile(r"\d{6}"), _as_it_is, "OMIM"),
    CodeSystem("outcome", "Outcomes of an admission", re.compile(r"\S.*"), _as_it_is, "outcome"),
    CodeSystem("HPO", "Human Phenotype Ontology", re.compile(r"HP:\d{7}"), _as_it_is, "HPO"),
)
SYSTEMS = {system.name: system for system in _ALL}


def normalize(system: str, raw: str) -> str:
    """A code as its system publishes it; as it came, but for outer white space, when unknown.

    >>> normalize("ICD-9-CM", "4019"), normalize("ICD-9-CM", "E8600")
    ('401.9', 'E860.0')
    >>> normalize("ICD-9-CM", "3893"), normalize("ICD-9-PCS", "3893")
    ('389.3', '38.93')
    >>> normalize("ICD-10-CM", "i10."), normalize("ICD-10-PCS", "bw03zzz")
    ('I10', 'BW03ZZZ')
    >>> normalize("ICD-9-PCS", "389.3"), normalize("ICD-10-CM", "I999.99")
    ('389.3', 'I999.99')
    >>> normalize("UMLS", "CUI-less"), normalize("ICD-9-CM", "not a code")
    ('CUI-less', 'not a code')
    """
    value = raw.strip()
    known = SYSTEMS.get(system)
    if known is None or known.shape.fullmatch(value):
        return value
    bare = value.upper().rstrip(".")
    written = known.write(bare)
    # A dot that is there says where it belongs: 389.3 is a diagnosis and no procedure 38.93.
    sound = "." not in bare or written == bare
    return written if sound and known.shape.fullmatch(written) else value


def is_well_formed(code: Code) -> bool:
    """Whether a code has its system's shape. Codes of systems not known here all do."""
    known = SYSTEMS.get(code.system)
    return known is None or known.shape.fullmatch(code.value) is not None


def family(system: str) -> str:
    """What the revisions of one classification share: `ICD-9` for its two parts, and so on."""
    known = SYSTEMS.get(system)
    return system if known is None else known.family
