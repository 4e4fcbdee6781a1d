"""HCUP's groupings: the file as published against the listing in the package."""

from __future__ import annotations

from pathlib import Path

import pytest

from auscult.codes.ccs import ccs9, ccsr, read_ccs
from auscult.core import Code, FormatError


@pytest.mark.real
def test_the_file_and_the_package_agree(shared_data: Path) -> None:
    published = read_ccs(shared_data / "hcup_ccs" / "dxref_2015.csv", "ICD-9-CM")
    assert len(published.categories) == 15_072
    assert published.categories == ccs9().categories
    procedures = read_ccs(shared_data / "hcup_ccs" / "prref_2015.csv", "ICD-9-PCS")
    assert procedures.of(Code("ICD-9-PCS", "36.10")) == "44"


def test_grouping() -> None:
    assert ccs9().of(Code("ICD-9-CM", "428.0")) == "108"
    assert ccs9().title("108") == "Congestive heart failure; nonhypertensive"
    assert ccsr().of(Code("ICD-10-CM", "I50.9")) == "CIR019"
    assert ccsr().of(Code("ICD-9-CM", "428.0")) is None
    assert ccs9().of(Code("ICD-9-CM", "000.0")) is None


def test_a_file_that_is_no_grouping(tmp_path: Path) -> None:
    file = tmp_path / "ccs.csv"
    file.write_text("a,b,c\n1,2,3\n")
    with pytest.raises(FormatError, match="no row of column names"):
        read_ccs(file, "ICD-9-CM")
    file.write_text("'ICD-9-CM CODE','CCS CATEGORY','NAME'\n'01000','1'\n")
    with pytest.raises(FormatError, match=r"ccs\.csv row 2"):
        read_ccs(file, "ICD-9-CM")
