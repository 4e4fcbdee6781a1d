"""What a column of records, or a key of meta, holds, as far as its name tells."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from auscult.corpus.deid.found import Kind, Part
from auscult.corpus.schema import RECORD_KEY

KEYS = {
    RECORD_KEY: "record", "note_id": "note", "row_id": "note", "chart_id": "chart",
    "hadm_id": "chart", "subject_id": "patient",
}  # fmt: skip
"""Columns that say what a record belongs to, and what their ids are of."""

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
    "account", "acct", "policy", "member", "subscriber", "licence", "license", "plate", "serial",
    "insurance", "encounter", "visit", "specimen", "claim", "patient", "pat", "person",
    "medical_record", "social_security", "stay", "icustay", "case",
)  # fmt: skip
"""What has a number or an id, and is no number itself."""
_CODED = frozenset((
    "code", "codes", "concept", "snomed", "rxnorm", "loinc", "ndc", "icd", "icd9", "icd10", "cpt",
    "itemid", "cui", "drg", "hcpcs", "gsn", "version", "system",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Holds:
    """What a column holds: a kind of secret as a whole, or a day, a year, an age."""

    kind: Kind | None = None
    part: Part = Part.WHOLE
    is_age: bool = False
    is_year: bool = False
    is_day: bool = False
    is_code: bool = False


_RULES = tuple(
    (re.compile(rf"(?:.*_)?(?:{pattern})"), holds)
    for pattern, holds in (
        (r"e_?mail(?:_address)?", Holds(Kind.EMAIL)),
        (r"url|website|web_page|ip|ip_address", Holds(Kind.URL)),
        (r"(?:tele)?phone(?:_\w+)?|tel|mobile|cell_?phone|fax(?:_\w+)?|pager|beeper",
         Holds(Kind.PHONE)),
        (r"(?:first|given|middle|fore)_?names?|forename", Holds(Kind.NAME, Part.GIVEN)),
        (r"(?:last|family|maiden|birth|sur)_?name|surname", Holds(Kind.NAME, Part.SURNAME)),
        (rf"(?:{'|'.join(_PEOPLE)})_?name|next_of_kin", Holds(Kind.NAME)),
        (r"(?:hospital|facility|clinic|institution)(?:_name)?", Holds(Kind.HOSPITAL)),
        (r"(?:employer|company)(?:_name)?", Holds(Kind.LOCATION, Part.COMPANY)),
        (r"zip(?:_?code)?|post(?:al)?_?code|plz", Holds(Kind.LOCATION, Part.ZIP)),
        (r"city|town|village|municipality|county|borough|birth_?place|place_of_birth",
         Holds(Kind.LOCATION, Part.TOWN)),
        (r"(?:street|home|postal|mailing)?_?addr(?:ess)?(?:_?(?:line)?_?\d)?|street(?:_name)?",
         Holds(Kind.LOCATION, Part.STREET)),
        (rf"(?:{'|'.join(_NUMBERS)})(?:_\w+)?|(?:{'|'.join(_NUMBERED)})_?(?:id|no|num|number|nbr)",
         Holds(Kind.ID)),
        (r"state|province", Holds(Kind.LOCATION, Part.STATE)),
        (r"age(?:_(?:at_\w+|years?|yrs?|in_years|on_\w+))?", Holds(is_age=True)),
        (r"yob|(?:year|yr)(?:_of_\w+)?", Holds(is_year=True)),
        (r"dob|dod|birth_?day|\w*date(?:_of_\w+)?|(?:chart|admit|disch|store)?_?time",
         Holds(is_day=True)),
    )
)  # fmt: skip
_ALONE = re.compile(r"name|patient")


@cache
def holds(column: str) -> Holds | None:
    """What a column holds, None when its name does not tell.

    >>> holds("ZIP Code").part, holds("homePhone").kind, holds("age_days"), holds("drug_name")
    (<Part.ZIP: 'zip'>, <Kind.PHONE: 'PHONE'>, None, None)
    """
    name = plain(column)
    if _ALONE.fullmatch(name):
        return Holds(Kind.NAME)
    for pattern, told in _RULES:
        if pattern.fullmatch(name):
            return told
    return Holds(is_code=True) if _CODED & set(name.split("_")) else None


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
