"""HCUP's groupings: the file as published against the listing in the package."""

from __future__ import annotations

from pathlib import Path

import pytest

from auscult.codes.ccs import ccs9, ccsr, read_ccs, read_ccsr
from auscult.core import Code, FormatError


@pytest.mark.real
def test_the_file_and_the_package_agree(shared_data: Path) -> None:
    published = read_ccs(shared_data / "hcup_ccs" / "dxref_2015.csv", "ICD-9-CM")
    assert len(published.categories) == 15_072
    assert published.categories == ccs9().categories
    procedures = read_ccs(shared_data / "hcup_ccs" / "prref_2015.csv", "ICD-9-PCS")
    assert procedures.of(Code("ICD-9-PCS", "36.10")) == "44"
    assert len(procedures.titles) == 232
    assert len(published.titles) == 284


def test_grouping() -> None:
    assert ccs9().of(Code("ICD-9-CM", "428.0")) == "108"
    assert ccs9().title("108") == "Congestive heart failure; nonhypertensive"
    assert ccsr().of(Code("ICD-10-CM", "I50.9")) == "CIR019"
    assert ccsr().of(Code("ICD-9-CM", "428.0")) is None
    assert ccs9().of(Code("ICD-9-CM", "000.0")) is None


def test_a_file_that_is_no_grouping(tmp_path: Path) -> None:
    file = tmp_path / "ccs.csv"
    file.write_text("a,b,c\n1,2,3\n")
    with pytest.raises(FormatError, match="no header row"):
        read_ccs(file, "ICD-9-CM")
    file.write_text("'ICD-9-CM CODE','CCS CATEGORY','CCS CATEGORY DESCRIPTION'\n'01000','1'\n")
    with pytest.raises(FormatError, match=r"ccs\.csv row 2"):
        read_ccs(file, "ICD-9-CM")
    with pytest.raises(FormatError, match="'ICD-10-CM CODE': this is a different file"):
        read_ccsr(file)
    file.write_text("'ICD-10-CM CODE','NAME'\n'I10','x'\n")
    with pytest.raises(FormatError, match="no column 'CCS CATEGORY'"):
        read_ccs(file, "ICD-10-CM")
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FormatError, match="UTF-16"):
        read_ccs(file, "ICD-10-CM")


def test_the_beta_for_icd_10_has_the_titles_in_another_column(tmp_path: Path) -> None:
    file = tmp_path / "ccs_dx_icd10cm_2019_1.csv"
    file.write_text(
        "'ICD-10-CM CODE','CCS CATEGORY','ICD-10-CM CODE DESCRIPTION',"
        "'CCS CATEGORY DESCRIPTION','MULTI CCS LVL 1'\n"
        "'I509','108','Heart failure, NOS','Congestive heart failure; nonhypertensive','7'\n"
        "'K5000','144','Crohn's disease of small intestine','Regional enteritis','9'\n"
        "'F0390','653',\"Dementia, so-called 'senile', not agitated\",'Delirium dementia','5'\n"
    )
    grouper = read_ccs(file, "ICD-10-CM")
    assert grouper.categories == {"I509": "108", "K5000": "144", "F0390": "653"}
    assert grouper.title("108") == "Congestive heart failure; nonhypertensive"
    assert grouper.title("653") == "Delirium dementia"
    with pytest.raises(FormatError, match="'ICD-10-PCS CODE': this is a different file"):
        read_ccs(file, "ICD-10-PCS")


def test_the_default_category_is_not_always_the_first(tmp_path: Path) -> None:
    file = tmp_path / "DXCCSR_v2024-1.csv"
    names = ["ICD-10-CM CODE", "ICD-10-CM CODE DESCRIPTION"]
    for part in ("IP", "OP"):
        names += [f"Default CCSR CATEGORY {part}", f"Default CCSR CATEGORY DESCRIPTION {part}"]
    for number in (1, 2):
        names += [f"CCSR CATEGORY {number}", f"CCSR CATEGORY {number} DESCRIPTION"]
    rows = [
        "'E1121',\"Diabetes, with nephropathy\",'END003',\"Diabetes, complicated\",'END003',"
        '"Diabetes, complicated",\'GEN003\',"Kidney disease",\'END003\',"Diabetes, complicated"',
        "'B950',\"Streptococcus\",'XXX000',\"No principal diagnosis\",'XXX111',"
        '"Not first-listed",\'INF003\',"Bacteria",\' \'," "',
    ]
    file.write_text("\n".join([",".join(f"'{name}'" for name in names), *rows]))
    grouper = read_ccsr(file)
    assert grouper.of(Code("ICD-10-CM", "E11.21")) == "END003"
    assert grouper.title("END003") == "Diabetes, complicated"
    assert grouper.of(Code("ICD-10-CM", "B95.0")) == "INF003"
    assert (grouper.title("INF003"), grouper.about) == (
        "Bacteria",
        "CCSR default from DXCCSR_v2024-1.csv",
    )
