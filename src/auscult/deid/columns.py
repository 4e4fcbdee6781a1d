"""Infer the content of a record column or meta key from its name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from auscult.corpus.schema import RECORD_KEY
from auscult.deid.phi_span import PhiKind, PhiPart

KEYS = {
    RECORD_KEY: "record", "note_id": "note", "row_id": "note", "chart_id": "chart",
    "hadm_id": "chart", "subject_id": "patient",
}  # fmt: skip
"""Columns with ids, and what each id identifies."""

_PEOPLE = (
    "patient", "pat", "pt", "full", "person", "physician", "provider", "attending", "doctor",
    "nurse", "surgeon", "author", "mother", "father", "spouse", "wife", "husband", "contact",
    "guarantor", "guardian", "nok", "kin", "pcp", "caregiver", "staff", "user",
)  # fmt: skip
_NUMBERS = (
    "mrn", "ssn", "nhs", "npi", "dea", "csn", "fin", "har", "vin", "passport", "accession",
    "barcode", "empi", "medrec", "nhc", "dni",
)  # fmt: skip
_NUMBERED = (
    "account", "acct", "policy", "member", "subscriber", "license", "license", "plate", "serial",
    "insurance", "encounter", "visit", "specimen", "claim", "patient", "pat", "person",
    "medical_record", "social_security", "stay", "icustay", "case",
)  # fmt: skip
"""Words that name something with a number or an id, but are not numbers themselves."""
_CODED = frozenset((
    "code", "codes", "concept", "snomed", "rxnorm", "loinc", "ndc", "icd", "icd9", "icd10", "cpt",
    "itemid", "cui", "drg", "hcpcs", "gsn", "version", "system",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class ColumnContent:
    """The content of a column: a kind of PHI, a date, a year, an age or a code."""

    kind: PhiKind | None = None
    part: PhiPart = PhiPart.WHOLE
    is_age: bool = False
    is_year: bool = False
    is_day: bool = False
    is_code: bool = False


_RULES = tuple(
    (re.compile(rf"(?:.*_)?(?:{pattern})"), content)
    for pattern, content in (
        (r"e_?mail(?:_address)?", ColumnContent(PhiKind.EMAIL)),
        (r"url|website|web_page|ip|ip_address", ColumnContent(PhiKind.URL)),
        (r"(?:tele)?phone(?:_\w+)?|tel|mobile|cell_?phone|fax(?:_\w+)?|pager|beeper",
         ColumnContent(PhiKind.PHONE)),
        (r"(?:first|given|middle|fore)_?names?|forename",
         ColumnContent(PhiKind.NAME, PhiPart.GIVEN)),
        (r"(?:last|family|maiden|birth|sur)_?name|surname",
         ColumnContent(PhiKind.NAME, PhiPart.SURNAME)),
        (rf"(?:{'|'.join(_PEOPLE)})_?name|next_of_kin", ColumnContent(PhiKind.NAME)),
        (r"(?:hospital|facility|clinic|institution)(?:_name)?", ColumnContent(PhiKind.HOSPITAL)),
        (r"(?:employer|company)(?:_name)?", ColumnContent(PhiKind.LOCATION, PhiPart.COMPANY)),
        (r"zip(?:_?code)?|post(?:al)?_?code|plz", ColumnContent(PhiKind.LOCATION, PhiPart.ZIP)),
        (r"city|town|village|municipality|county|borough|birth_?place|place_of_birth",
         ColumnContent(PhiKind.LOCATION, PhiPart.TOWN)),
        (r"(?:street|home|postal|mailing)?_?addr(?:ess)?(?:_?(?:line)?_?\d)?|street(?:_name)?",
         ColumnContent(PhiKind.LOCATION, PhiPart.STREET)),
        (rf"(?:{'|'.join(_NUMBERS)})(?:_\w+)?|(?:{'|'.join(_NUMBERED)})_?(?:id|no|num|number|nbr)",
         ColumnContent(PhiKind.ID)),
        (r"state|province", ColumnContent(PhiKind.LOCATION, PhiPart.STATE)),
        (r"age(?:_(?:at_\w+|years?|yrs?|in_years|on_\w+))?", ColumnContent(is_age=True)),
        (r"yob|(?:year|yr)(?:_of_\w+)?", ColumnContent(is_year=True)),
        (r"dob|dod|birth_?day|\w*date(?:_of_\w+)?|(?:chart|admit|disch|store)?_?time",
         ColumnContent(is_day=True)),
    )
)  # fmt: skip
_ALONE = re.compile(r"name|patient")


@cache
def column_content(column: str) -> ColumnContent | None:
    """The content of a column judging by its name; None if unknown.

    >>> column_content("ZIP Code").part, column_content("homePhone").kind
    (<PhiPart.ZIP: 'zip'>, <PhiKind.PHONE: 'PHONE'>)
    >>> column_content("age_days"), column_content("drug_name")
    (None, None)
    """
    name = plain(column)
    if _ALONE.fullmatch(name):
        return ColumnContent(PhiKind.NAME)
    for pattern, content in _RULES:
        if pattern.fullmatch(name):
            return content
    return ColumnContent(is_code=True) if _CODED & set(name.split("_")) else None


@cache
def plain(column: str) -> str:
    """A column's name in small letters, with underscores between its words.

    >>> plain("HADM_ID"), plain("dateOfBirth"), plain("Zip-Code")
    ('hadm_id', 'date_of_birth', 'zip_code')
    """
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", column.strip())
    return re.sub(r"[^a-z0-9]+", "_", spaced.lower()).strip("_")


def key_of(column: str) -> str | None:
    """What the ids of a column are of: a note, a chart, a patient; None for other columns."""
    return KEYS.get(plain(column))
