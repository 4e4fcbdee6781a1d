"""Tables of codes and their hierarchy, against the official order file."""

from __future__ import annotations

from pathlib import Path

import pytest

from auscult.codes import chapter, icd9, icd10, table_of
from auscult.codes.cpt import is_evaluation_and_management
from auscult.core import Code, FormatError
from auscult.core.files import read_lines


def test_hierarchy_of_a_seventh_character() -> None:
    table = table_of("ICD-10-CM")
    assert table is not None
    assert table.parent("S04.40XA") == "S04.40"
    assert table.parent("S04.40") == "S04.4"
    assert table.parent("I10") is None
    assert "S04.40XA" in table.children("S04.40")
    assert table.describe("i50.2") == "Systolic (congestive) heart failure"
    assert table.is_billable("I50.21")
    assert not table.is_billable("I50.2")
    assert table.get("I50.99") is None


def test_external_causes_have_categories_of_four_characters() -> None:
    table = table_of("ICD-9-CM")
    assert table is not None
    assert "E90" not in table
    assert (table.parent("E906.3"), table.parent("E906"), table.parent("E903")) == (
        "E906",
        None,
        None,
    )
    assert (table.parent("V58.67"), table.parent("V58.6")) == ("V58.6", "V58")
    assert all(len(e.value) >= 4 for e in table if e.value.startswith("E"))


def test_systems_without_a_table() -> None:
    assert table_of("CPT") is None
    assert table_of("home made") is None


@pytest.mark.parametrize(
    ("system", "value", "title"),
    [
        ("ICD-9-CM", "V58.67", "Factors influencing health status"),
        ("ICD-9-CM", "E860.0", "External causes of injury and poisoning"),
        ("ICD-9-CM", "038.9", "Infectious and parasitic diseases"),
        ("ICD-9-PCS", "38.93", "Operations on the cardiovascular system"),
        ("ICD-10-CM", "D50.9", "Diseases of the blood and certain immune disorders"),
        ("ICD-10-CM", "D49.9", "Neoplasms"),
        ("ICD-10-CM", "H60.9", "Diseases of the ear and mastoid process"),
        ("ICD-10-PCS", "BW03ZZZ", "Imaging"),
    ],
)
def test_chapters(system: str, value: str, title: str) -> None:
    found = chapter(Code(system, value))
    assert found is not None
    assert found.title == title


def test_every_code_of_the_tables_has_a_chapter() -> None:
    for system in ("ICD-9-CM", "ICD-9-PCS", "ICD-10-CM", "ICD-10-PCS"):
        table = table_of(system)
        assert table is not None
        lost = [e.value for e in table if e.billable and chapter(Code(system, e.value)) is None]
        assert lost == []


def test_evaluation_and_management() -> None:
    inside = [
        is_evaluation_and_management(n) for n in ("99200", "99201", "99499", "99500", "0042T")
    ]
    assert inside == [False, True, True, False, False]


@pytest.mark.real
def test_the_order_file_is_its_own_hierarchy(shared_data: Path) -> None:
    table = icd10.read_order_file(shared_data / "icd" / "icd10cm_order_2018.txt")
    assert len(table) == 94_127
    assert sum(entry.billable for entry in table) == 71_704
    # Each row but a category hangs below another row, and is among that one's children.
    for entry in table:
        parent = table.parent(entry.value)
        if parent is None:
            assert len(entry.value) == 3
        else:
            assert parent in table
    assert table.children("I50") == ("I50.1", "I50.2", "I50.3", "I50.4", "I50.8", "I50.9")
    below = {child for entry in table for child in table.children(entry.value)}
    assert len(below) == sum(1 for entry in table if table.parent(entry.value) is not None)


@pytest.mark.real
def test_release_years_differ(shared_data: Path) -> None:
    older = icd10.read_order_file(shared_data / "icd" / "icd10cm_order_2018.txt")
    newer = icd10.table("ICD-10-CM")
    assert older.is_billable("N18.3")
    assert not newer.is_billable("N18.3")
    assert "F32.A" in newer
    assert "F32.A" not in older


@pytest.mark.real
def test_official_descriptions_read_from_a_file(shared_data: Path) -> None:
    table = icd9.read_descriptions(shared_data / "icd" / "CMS32_DESC_LONG_DX.txt", "ICD-9-CM")
    assert sum(entry.billable for entry in table) == 14_567
    assert table.describe("386.00") == "Ménière's disease, unspecified"
    procedures = icd9.read_descriptions(shared_data / "icd" / "CMS32_DESC_LONG_SG.txt", "ICD-9-PCS")
    assert sum(entry.billable for entry in procedures) == 3_882
    with pytest.raises(FormatError, match="0xe4 is not UTF-8"):
        list(read_lines(shared_data / "icd" / "CMS32_DESC_LONG_DX.txt"))


def test_files_that_are_no_tables(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.txt"
    wrong.write_text("00001 A00     0 Cholera\nA000 1 Cholera\n")
    with pytest.raises(FormatError, match=r"wrong\.txt row 2"):
        icd10.read_order_file(wrong)
    wrong.write_text("")
    with pytest.raises(FormatError, match="no codes"):
        icd10.read_order_file(wrong)
    with pytest.raises(FormatError, match="no codes"):
        icd9.read_descriptions(wrong, "ICD-9-CM")
    wrong.write_text("0010  Cholera\n0011\n")
    with pytest.raises(FormatError, match=r"wrong\.txt row 2"):
        icd9.read_descriptions(wrong, "ICD-9-CM")


@pytest.mark.real
def test_a_file_of_another_system_is_refused(shared_data: Path) -> None:
    icd = shared_data / "icd"
    diagnoses, procedures, order = (
        icd / name
        for name in ("CMS32_DESC_LONG_DX.txt", "CMS32_DESC_LONG_SG.txt", "icd10cm_order_2018.txt")
    )
    for file, system in ((order, "ICD-9-CM"), (procedures, "ICD-9-CM"), (diagnoses, "ICD-9-PCS")):
        with pytest.raises(
            FormatError, match=f"is not a code of {system}: this is a different file"
        ):
            icd9.read_descriptions(file, system)
    with pytest.raises(FormatError, match="is not a code of ICD-10-PCS"):
        icd10.read_order_file(order, "ICD-10-PCS")
    with pytest.raises(
        FormatError, match=r"CMS32_DESC_LONG_DX\.txt row 1: expected an order number"
    ):
        icd10.read_order_file(diagnoses)
    assert "38.93" in icd9.read_descriptions(procedures, "ICD-9-PCS")


def test_codes_by_their_beginning() -> None:
    for system, given, first in (("ICD-10-CM", "i50.2", "I50.2"), ("ICD-9-CM", "428.", "428")):
        table = table_of(system)
        assert table is not None
        found = table.starting(given)
        beginning = given.upper().rstrip(".")
        assert found[0].value == first
        assert found == tuple(row for row in table if row.value.startswith(beginning))
        assert table.starting("") == table.starting("I50.2ZZZZ") == ()
