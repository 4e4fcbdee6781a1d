"""The mappings: CMS's files line by line, and MDACE's two versions of the same annotations."""

from __future__ import annotations

from pathlib import Path

import pytest

from auscult.codes.gems import DIRECTIONS, find_gems, packaged_gems, read_gems
from auscult.codes.mapping import Absence, MappingStep, map_code
from auscult.codes.systems import normalize
from auscult.core import Code, FormatError, OptionError

_FILES = {
    "ICD-10-CM": "2018_I10gem.txt",
    "ICD-9-CM": "2018_I9gem.txt",
    "ICD-10-PCS": "gem_pcsi9.txt",
    "ICD-9-PCS": "gem_i9pcs.txt",
}
_ROWS = {"ICD-10-CM": 81_593, "ICD-9-CM": 24_860, "ICD-10-PCS": 101_025, "ICD-9-PCS": 73_593}


@pytest.mark.real
@pytest.mark.parametrize(("source", "target"), DIRECTIONS)
def test_every_line_is_read_and_printed_again(shared_data: Path, source: str, target: str) -> None:
    gems = find_gems(shared_data / "gems", source, target)
    printed = list(gems.lines())
    assert printed == (shared_data / "gems" / _FILES[source]).read_text().splitlines()
    assert len(printed) == _ROWS[source]
    ends_in_crlf = b"\r\n" in (shared_data / "gems" / _FILES[source]).read_bytes()
    assert ends_in_crlf == source.endswith("PCS")


@pytest.mark.real
def test_scenarios_and_choice_lists(shared_data: Path) -> None:
    back = find_gems(shared_data / "gems", "ICD-10-CM", "ICD-9-CM")
    # A021    0031  10111 / A021    99591 10112: sepsis with salmonella is two codes in ICD-9.
    assert back.scenarios("A02.1") == (("003.1", "995.91"),)
    found = map_code(Code("ICD-10-CM", "A02.1"), back)
    assert found.code == Code("ICD-9-CM", "003.1")
    assert found.step is MappingStep.MULTIPLE
    assert found.scenarios == (("003.1", "995.91"),)
    assert back.targets("R29.700") == ()


@pytest.mark.real
@pytest.mark.parametrize(("source", "target"), DIRECTIONS)
def test_what_has_no_equivalent_has_at_most_its_parents(
    shared_data: Path, source: str, target: str
) -> None:
    """Appendix B of MDACE goes from ICD-10 to ICD-9; the other way there is no such step."""
    gems = find_gems(shared_data / "gems", source, target)
    file = shared_data / "gems" / _FILES[source]
    rows = [line.split() for line in file.read_text().splitlines()]
    without = {code for code, _, flags in rows if flags[1] == "1"}
    assert (
        len(without)
        == {"ICD-10-CM": 731, "ICD-9-CM": 422, "ICD-10-PCS": 2, "ICD-9-PCS": 210}[source]
    )
    given = {line[0]: line[1] for line in rows if line[2][1] == "0" and line[2][2] == "0"}
    mapped = 0
    for plain in without:
        found = map_code(Code(source, normalize(source, plain)), gems)
        if found.code is None:
            assert (found.step, found.via) == (MappingStep.NONE, None), plain
            continue
        mapped += 1
        assert found.step is MappingStep.PARENT
        assert found.via is not None
        # The parent's other children have the mapping; no code further up was asked.
        above = found.via.replace(".", "")
        others = {to for code, to in given.items() if code.startswith(above)}
        assert found.code.value.replace(".", "") in others, plain
        assert len(plain) - len(above) == 1
    assert mapped == {"ICD-10-CM": 1, "ICD-9-CM": 0, "ICD-10-PCS": 0, "ICD-9-PCS": 0}[source]


def test_a_code_without_an_equivalent_takes_its_parents(tmp_path: Path) -> None:
    """Appendix B of MDACE, step 3, for both ways in which no mapping exists."""
    gems = read_gems(
        gem_file(
            tmp_path,
            "Z5331   V6441 00000",
            "Z5332   V6442 10000",
            "Z5339   NoDx  11000",
            "Z6710   NoDx  11000",
            "Z6711   NoDx  11000",
            "Z8741   V131  10000",
        ),
        "ICD-10-CM",
        "ICD-9-CM",
    )
    found = map_code(Code("ICD-10-CM", "Z53.39"), gems, among=[("chart", {"V64.42"})])
    assert (found.code, found.step, found.via, found.absent) == (
        Code("ICD-9-CM", "V64.42"),
        MappingStep.PARENT,
        "Z53.3",
        None,
    )
    # Its parent has no mapping either.
    nowhere = map_code(Code("ICD-10-CM", "Z67.10"), gems)
    assert (nowhere.code, nowhere.step, nowhere.via) == (None, MappingStep.NONE, None)


def test_parents_are_headings_and_not_mere_beginnings() -> None:
    forth = packaged_gems("ICD-9-CM", "ICD-10-CM")
    # Travel and motion has no equivalent; E906, other injury by animals, is no relative of it.
    assert map_code(Code("ICD-9-CM", "E903"), forth).code is None
    # E906.7 was never given out: its category is E906, which has four characters.
    found = map_code(Code("ICD-9-CM", "E906.7"), forth)
    assert (found.step, found.via, found.absent) == (MappingStep.PARENT, "E906", Absence.UNKNOWN)
    assert map_code(Code("ICD-9-CM", "E909.9"), forth).via is None


def test_a_heading_is_mapped_by_the_codes_below_it() -> None:
    back = packaged_gems("ICD-10-CM", "ICD-9-CM")
    found = map_code(Code("ICD-10-CM", "I50"), back)
    assert (found.step, found.via, found.absent) == (MappingStep.PARENT, "I50", Absence.HEADING)
    assert found.code is not None
    below = {target for child in back.below("I50") for target in back.targets(child)}
    assert {found.code.value, *found.alternatives} == below
    assert map_code(Code("ICD-10-CM", "I50"), back, among=[("set", {"428.1"})]).code == Code(
        "ICD-9-CM", "428.1"
    )


def gem_file(tmp_path: Path, *lines: str) -> Path:
    file = tmp_path / "2018_I10gem.txt"
    file.write_text("".join(f"{line}\n" for line in lines))
    return file


def test_each_step_decides_in_its_turn(tmp_path: Path) -> None:
    gems = read_gems(
        gem_file(
            tmp_path,
            "A000    0010  00000",
            "A0100   0020  10000",
            "I10     4010  10000",
            "I10     4011  10000",
            "I10     4019  10000",
            "R29700  NoDx  11000",
            "F320    29621 10000",
            "F329    29620 10000",
        ),
        "ICD-10-CM",
        "ICD-9-CM",
    )

    def found(value: str, **prefer: set[str]) -> tuple[str | None, str, str | None]:
        mapped = map_code(Code("ICD-10-CM", value), gems, among=list(prefer.items()))
        value_of = None if mapped.code is None else mapped.code.value
        return value_of, mapped.step.value, mapped.by

    assert found("A00.0") == ("001.0", "identical", None)
    assert found("A01.00") == ("002.0", "approximate", None)
    assert found("I10") == ("401.9", "multiple", "description")
    assert found("I10", set={"401.1"}) == ("401.1", "multiple", "set")
    assert found("I10", chart={"401.0"}, set={"401.1"}) == ("401.0", "multiple", "chart")
    assert found("I10", set={"401.0", "401.9"}) == ("401.9", "multiple", "description")
    assert found("R29.700") == (None, "none", None)
    newer = map_code(Code("ICD-10-CM", "F32.A"), gems)
    assert (newer.step, newer.via, newer.newer) == (MappingStep.PARENT, "F32", True)
    assert newer.code is not None
    assert {newer.code.value, *newer.alternatives} == {"296.20", "296.21"}
    nowhere = map_code(Code("ICD-10-CM", "Z99.9"), gems)
    assert (nowhere.code, nowhere.absent) == (None, Absence.UNKNOWN)


@pytest.mark.parametrize(
    "line",
    [
        "A000  0010  00000",
        "A000    0010  0000",
        "A000    0010  00x00",
        "A000    0010  20000",
        "A000",
    ],
)
def test_a_line_of_the_wrong_width_is_named(tmp_path: Path, line: str) -> None:
    file = gem_file(tmp_path, "A000    0010  00000", line)
    with pytest.raises(FormatError, match=r"2018_I10gem\.txt row 2"):
        read_gems(file, "ICD-10-CM", "ICD-9-CM")


def test_a_code_of_another_system_and_an_unknown_direction(tmp_path: Path) -> None:
    gems = read_gems(gem_file(tmp_path, "A000    0010  00000"), "ICD-10-CM", "ICD-9-CM")
    with pytest.raises(OptionError, match="of another code system"):
        map_code(Code("ICD-9-CM", "001.0"), gems)
    with pytest.raises(OptionError, match="no mapping from CPT"):
        packaged_gems("CPT", "ICD-9-CM")
    with pytest.raises(OptionError, match="--gems"):
        packaged_gems("ICD-10-PCS", "ICD-9-PCS")
    with pytest.raises(OptionError, match="has no file"):
        find_gems(tmp_path, "ICD-9-PCS", "ICD-10-PCS")
    (tmp_path / "empty_I9gem.txt").write_text("")
    with pytest.raises(FormatError, match="no mappings"):
        find_gems(tmp_path, "ICD-9-CM", "ICD-10-CM")


@pytest.mark.real
def test_an_examination_goes_by_both_its_names(shared_data: Path) -> None:
    back = find_gems(shared_data / "gems", "ICD-10-PCS", "ICD-9-PCS")
    chest = map_code(Code("ICD-10-PCS", "BW03ZZZ"), back)
    assert chest.code == Code("ICD-9-PCS", "87.44")
    assert "87.42" not in chest.close


def test_a_choice_that_is_nearly_arbitrary_says_so() -> None:
    back = packaged_gems("ICD-10-CM", "ICD-9-CM")
    found = map_code(Code("ICD-10-CM", "I10"), back)
    assert (found.by, found.close) == ("description", ("401.0", "401.1"))
    assert map_code(Code("ICD-10-CM", "I10"), back, among=[("set", {"401.1"})]).close == ()


def test_why_a_code_is_not_in_the_mappings() -> None:
    back = packaged_gems("ICD-10-CM", "ICD-9-CM")
    forth = packaged_gems("ICD-9-CM", "ICD-10-CM")
    for gems, value, why in (
        (back, "ZZZ", Absence.MALFORMED),
        (back, "I50", Absence.HEADING),
        (back, "I50.99", Absence.UNKNOWN),
        (back, "F32.A", Absence.NEWER),
        (back, "I10", None),
        (forth, "428", Absence.HEADING),
        (forth, "428.8", Absence.UNKNOWN),
    ):
        found = map_code(Code(gems.source, value), gems)
        assert found.absent is why, value
        assert found.to_dict()["newer"] is (why is Absence.NEWER)
    assert map_code(Code("ICD-10-CM", "I10-"), back).code is None
