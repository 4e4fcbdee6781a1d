"""Code systems: shapes, writing, tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from auscult.codes import SYSTEMS, chapter, describe, family, is_known, is_well_formed, normalize
from auscult.core import Code


@pytest.mark.parametrize(
    ("system", "raw", "written"),
    [
        ("ICD-9-CM", "4019", "401.9"),
        ("ICD-9-CM", "3893", "389.3"),
        ("ICD-9-PCS", "3893", "38.93"),
        ("ICD-9-CM", "V5867", "V58.67"),
        ("ICD-9-CM", "e8600", "E860.0"),
        ("ICD-9-CM", "0389", "038.9"),
        ("ICD-10-CM", "e1165", "E11.65"),
        ("ICD-10-CM", " I10. ", "I10"),
        ("ICD-10-CM", "s0440xa", "S04.40XA"),
        ("ICD-10-PCS", "bw03zzz", "BW03ZZZ"),
        ("CPT", "99291", "99291"),
        ("MeSH", "D003110", "D003110"),
        ("home made", " x ", "x"),
        ("ICD-10-CM", "nonsense", "nonsense"),
    ],
)
def test_codes_are_written_as_published(system: str, raw: str, written: str) -> None:
    assert normalize(system, raw) == written
    assert normalize(system, written) == written


def test_shape_and_family() -> None:
    assert is_well_formed(Code("UMLS", "CUI-less"))
    assert not is_well_formed(Code("UMLS", "C12"))
    assert is_well_formed(Code("home made", "anything"))
    newest = Code("ICD-10-CM", normalize("ICD-10-CM", "qa00101"))
    assert newest.value == "QA0.0101"
    assert is_well_formed(newest)
    assert str(chapter(newest)).endswith("(Q00–QA0)")
    assert not is_well_formed(Code("ICD-10-CM", "AB0.1"))
    assert family("ICD-9-PCS") == family("ICD-9-CM") == "ICD-9"
    assert family("home made") == "home made"


@pytest.mark.real
def test_every_official_code_is_well_formed_known_and_described(shared_data: Path) -> None:
    """The CMS files beside the checkout, an independent copy of the tables in the package."""
    for system, name in (
        ("ICD-9-CM", "CMS32_DESC_LONG_DX.txt"),
        ("ICD-9-PCS", "CMS32_DESC_LONG_SG.txt"),
    ):
        lines = (shared_data / "icd" / name).read_text(encoding="iso-8859-1").splitlines()
        for line in lines:
            raw, text = line.split(maxsplit=1)
            code = Code(system, normalize(system, raw))
            assert code.value.replace(".", "") == raw
            assert is_well_formed(code)
            assert is_known(code)
            assert describe(code) == text.strip()
    order = (shared_data / "icd" / "icd10cm_order_2018.txt").read_text().splitlines()
    for line in order:
        code = Code("ICD-10-CM", normalize("ICD-10-CM", line[6:14].strip()))
        assert is_well_formed(code)


@pytest.mark.real
def test_procedures_of_the_gems_are_well_formed(shared_data: Path) -> None:
    shape = SYSTEMS["ICD-10-PCS"].shape
    lines = (shared_data / "gems" / "gem_pcsi9.txt").read_text().splitlines()
    assert all(shape.fullmatch(line.split()[0]) for line in lines)
