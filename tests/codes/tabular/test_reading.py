"""The Tabular List: a small one by hand, and what files are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.codes.tabular.handmade import TABULAR, index

from auscult.codes.tabular import InstructionKind, TabularList, read_tabular
from auscult.core import FormatError


@pytest.fixture
def listed(tmp_path: Path) -> TabularList:
    file = tmp_path / "tabular.xml"
    file.write_text(TABULAR)
    return read_tabular(file)


def test_hierarchy(listed: TabularList) -> None:
    assert listed.release == "2031"
    assert listed.parent("e1165") == "E11.6"
    assert listed.ancestors("E11.65") == ("E11", "E11.6")
    assert listed.children("E11") == ("E11.6", "E11.9")
    assert listed.siblings("E11.6") == ("E11.9",)
    assert listed.siblings("E11") == ("E13",)
    assert (listed.parent("E11"), listed.children("E11.9")) == (None, ())
    assert listed.parent("E11.99") == "E11.9"  # not there, but its beginning is
    block, chapter = listed.block("E11.65"), listed.chapter("E11.65")
    assert block is not None
    assert chapter is not None
    assert (block.value, block.title, block.first, block.last) == (
        "E08-E13",
        "Diabetes mellitus",
        "E08",
        "E13",
    )
    assert str(chapter) == "Endocrine diseases (E08–E13)"
    assert [chapter.number for chapter in listed.chapters] == ["4", "19"]


def test_what_is_not_there(listed: TabularList) -> None:
    assert listed.get("I10") is None
    assert listed.describe("I10") is None
    assert not listed.is_billable("I10")
    assert "I10" not in listed
    assert (listed.children("I10"), listed.siblings("I10"), listed.ancestors("I10")) == ((), (), ())
    assert (listed.instructions_of("I10"), listed.seventh_characters("I10")) == ((), None)
    assert (listed.chapter("I10"), listed.block("I10"), listed.parent("I10")) == (None, None, None)


def test_instructions_come_down_to_the_code(listed: TabularList) -> None:
    found = [(line.at, line.kind.value, line.text) for line in listed.instructions_of("E11.65")]
    assert found == [
        ("chapter 4", "excludes1", "disorders of newborn (P70-P74)"),
        ("block E08-E13", "code-also", "anything of use"),
        ("block E08-E13", "includes", "a term over the block"),
        ("E11", "includes", "diabetes NOS"),
        ("E11", "use-additional", "insulin (Z79.4)"),
    ]
    entry = listed.get("E11.65")
    assert entry is not None
    assert entry.instructions == ()
    assert entry.inclusion_terms == ("Sweet blood", "Diabetes out of control")
    assert len([*listed.instructions()]) == 6
    assert [*listed.terms()] == [
        ("E11.65", "Sweet blood"),
        ("E11.65", "Diabetes out of control"),
    ]
    above = listed.instructions_of("E13.1") or listed.instructions_of("E13")
    assert {line.at for line in above} == {"chapter 4", "block E08-E13"}
    assert all(isinstance(line.kind, InstructionKind) for line in above)


def test_seventh_characters_and_placeholders(listed: TabularList) -> None:
    assert listed.children("S06.0") == ("S06.0XXA", "S06.0XXD", "S06.0XXS")
    assert listed.describe("S060XXA") == "Concussion, initial encounter"
    assert listed.is_billable("S06.0XXA")
    assert not listed.is_billable("S06.0")
    assert not listed.is_billable("S06.0XX")
    # The exception that the note states, and only that one.
    assert listed.children("S06.1X7") == ("S06.1X7A",)
    assert listed.children("S06.1X9") == ("S06.1X9A", "S06.1X9D", "S06.1X9S")
    assert listed.children("S06.9") == ("S06.9XXB",)
    applies = {
        value: (found.at, "".join(found.meanings))
        for value in ("S06", "S06.0", "S06.1X7A", "S06.1X9", "S06.9XXB")
        if (found := listed.seventh_characters(value)) is not None
    }
    assert applies == {
        "S06": ("S06", "ADS"),
        "S06.0": ("S06", "ADS"),
        "S06.1X7A": ("S06", "A"),
        "S06.1X9": ("S06", "ADS"),
        "S06.9XXB": ("S06.9", "B"),
    }
    assert listed.seventh_characters("E11.9") is None
    found = listed.seventh_characters("S06.0")
    assert found is not None
    assert [str(codes) for codes in found.extent] == ["S06"]


def test_all_rows_in_order(listed: TabularList) -> None:
    values = [entry.value for entry in listed]
    assert values == sorted(values)
    assert len(values) == len(listed) == 20
    assert sum(entry.billable for entry in listed) == listed.billable_count == 11


def test_arrays_are_the_whole_list(listed: TabularList) -> None:
    again = TabularList.from_arrays(listed.to_arrays())
    assert [*again] == [*listed]
    assert [again.get(entry.value) for entry in again] == [
        listed.get(entry.value) for entry in listed
    ]
    assert again.instructions_of("S06.1X7A") == listed.instructions_of("S06.1X7A")


_BOMB = '<!DOCTYPE x [<!ENTITY a "b"><!ENTITY c "&a;&a;">]><ICD10CM.tabular>&c;</ICD10CM.tabular>'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (index(), "expected the XML of the ICD-10-CM Tabular List"),
        ("<ClaML version='2.0.0'/>", "got <ClaML>"),
        (TABULAR[: len(TABULAR) // 2], "is not well-formed XML"),
        (_BOMB, "defines an XML entity"),
        (TABULAR.replace("2031", ""), "expected the fiscal year"),
        (TABULAR.replace("2031", "4 May"), "expected the fiscal year"),
        ("<ICD10CM.tabular><version>2031</version></ICD10CM.tabular>", "got none"),
        (TABULAR.replace("E11.65", "E12.65"), r"expected an ICD-10-CM code below E116, got 'E12"),
        (TABULAR.replace("E11.65", "E11.6"), "below E116"),
        (TABULAR.replace("<name>E13<", "<name>13<"), "expected an ICD-10-CM code, got '13'"),
        (TABULAR.replace("<name>E13<", "<name>E11<"), "is in the file twice"),
        (TABULAR.replace("<desc>Concussion</desc>", ""), "expected <desc> with text"),
        (TABULAR.replace('char="B"', 'char="BB"'), "one letter or digit"),
        (TABULAR.replace('char="B"', ""), "one letter or digit"),
        (TABULAR.replace('id="S00-S09"', ""), "range of a section"),
    ],
)
def test_other_files_are_refused_in_a_sentence(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "some.xml"
    file.write_text(text)
    with pytest.raises(FormatError, match=said) as caught:
        read_tabular(file)
    assert "some.xml" in str(caught.value)
    assert "\n" not in str(caught.value)
