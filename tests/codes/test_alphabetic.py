"""The Alphabetic Index and its tables: titles, reading, looking up, and the official files."""

from __future__ import annotations

import random
import time
from pathlib import Path

import numpy as np
import pytest

from auscult.codes.alphabetic import AlphabeticIndex, read_drugs, read_index, read_neoplasms
from auscult.codes.alphabetic.terms import Cell
from auscult.codes.alphabetic.titles import parse_title
from auscult.codes.alphabetic.volume import IndexVolume, read_part, read_volume
from auscult.core import FormatError

INDEX = """
<mainTerm><title>Abduction contracture, hip or other joint</title>
  <see>Contraction, joint</see></mainTerm>
<mainTerm><title>Amyloid heart<nemod>(disease)</nemod></title>
  <code>E85.4</code><manif>I43</manif></mainTerm>
<mainTerm><title>Contraction<nemod>(s)</nemod>, contracture, contracted</title>
  <term level="1"><title>joint<nemod>(abduction) (acquired)</nemod></title>
    <code>M24.50</code></term></mainTerm>
<mainTerm><title>Failure, failed</title>
  <term level="1"><title>heart<nemod>(acute) (senile) (sudden)</nemod></title><code>I50.9</code>
    <term level="2"><title>with</title>
      <term level="3"><title>decompensation</title><code>I50.9</code></term></term>
    <term level="2"><title>without hypertension</title><code>I50.8-</code></term>
    <term level="2"><title>specified NEC</title><code>I50.89</code></term></term></mainTerm>
<mainTerm><title>Fracture, traumatic<nemod>(abduction)</nemod></title><code>T14.8</code>
  <term level="1"><title>femur, femoral</title><code>S72.9-</code>
    <term level="2"><title>neck</title><code>S72.00-</code></term></term></mainTerm>
<mainTerm><title>Hypertension, hypertensive<nemod>(benign) (essential)</nemod></title>
  <code>I10</code><warning>Not in pregnancy.</warning></mainTerm>
<mainTerm><title>Hypertelorism</title><code>Q75.2</code></mainTerm>
<mainTerm><title>Neuropathy NEC</title><code>E11.40 [G99.0]</code></mainTerm>
"""


def write_index(
    path: Path, body: str = INDEX, head: str = "<title>ICD-10-CM INDEX TO DISEASES</title>"
) -> Path:
    path.write_text(
        f"<ICD10CM.index><version>2025</version>{head}<letter><title>A</title>{body}</letter>"
        "</ICD10CM.index>",
        encoding="utf-8",
    )
    return path


@pytest.fixture
def book(tmp_path: Path) -> AlphabeticIndex:
    return read_index(write_index(tmp_path / "index.xml"))


def found(book: AlphabeticIndex, words: str) -> list[str]:
    return [str(entry) for entry in book.look_up(words)]


@pytest.mark.parametrize(
    ("title", "spellings"),
    [
        ("Hypertension, hypertensive", ("Hypertension", "hypertensive")),
        ("boat, boating", ("boat", "boating")),
        ("due to, caused by", ("due to", "caused by")),
        ("tooth, teeth, fully erupted", ("tooth, fully erupted", "teeth, fully erupted")),
        ("face, facial", ("face", "facial")),
        ("device, implant or graft", ("device", "implant", "graft")),
        ("tympanum, tympanic membrane", ("tympanum", "tympanic membrane")),
        ("in pregnancy, childbirth or puerperium", None),
        (
            "Abduction contracture, hip or other joint",
            ("Abduction contracture, hip or other joint",),
        ),
        ("Landry-Guillain-Barré, syndrome or paralysis", None),
        ("nonpuerperal, nontraumatic", ("nonpuerperal, nontraumatic",)),
        ("hyperosmolar, hypertonic", ("hyperosmolar, hypertonic",)),
        ("newborn, transient", ("newborn, transient",)),
        ("Seizure (s)", ("Seizure", "Seizures")),
        ("Abasia (-astasia) (hysterical)", ("Abasia", "Abasia-astasia")),
    ],
)
def test_commas_separate_spellings_only_where_the_parts_are_alike(
    title: str, spellings: tuple[str, ...] | None
) -> None:
    got = parse_title(title).spellings
    if spellings is None:
        spellings = {
            "i": ("in pregnancy", "in childbirth", "in puerperium"),
            "L": (title,),
        }[title[0]]
    assert got == spellings


def test_flags_are_stripped_and_kept() -> None:
    title = parse_title("motor vehicle (traffic) (b [c] d) NEC")
    assert (title.text, title.flags, title.modifiers) == (
        "motor vehicle",
        ("NEC",),
        ("traffic", "b [c] d"),
    )
    assert parse_title("abuse, unspecified").text == "abuse"
    whole = parse_title("unspecified")
    assert (whole.text, whole.flags) == ("unspecified", ("unspecified",))
    assert parse_title("specified type NEC").flags == ("NEC", "specified")


def test_connectives_are_marked() -> None:
    assert parse_title("with").is_connective
    assert parse_title("due to, caused by").is_connective
    title = parse_title("due to ischemia")
    assert (title.connective, title.is_connective) == ("due to", False)
    assert parse_title("in situ").connective == ""
    assert parse_title("without hypertension").connective == "without"


def test_an_entry_has_what_its_line_has(book: AlphabeticIndex) -> None:
    (heart,) = book.look_up("failure, heart")
    assert heart.path == ("Failure, failed", "heart")
    assert (heart.code, heart.level, heart.modifiers) == ("I50.9", 1, ("acute", "senile", "sudden"))
    (amyloid,) = book.look_up("amyloid heart")
    assert (amyloid.code, amyloid.manifestations) == ("E85.4", ("I43",))
    (neuropathy,) = book.look_up("Neuropathy")
    assert (neuropathy.code, neuropathy.manifestations) == ("E11.40", ("G99.0",))
    (neck,) = book.look_up("fracture, traumatic, femoral, neck")
    assert (neck.code, neck.needs_more) == ("S72.00", True)
    assert book.look_up("hypertension")[0].note == "Not in pregnancy."
    assert book.default_code(neck.number) == "T14.8"


def test_look_up_is_as_tolerant_as_a_reader(book: AlphabeticIndex) -> None:
    assert found(book, "FAILED, HEART") == ["Failure, failed, heart"]
    assert found(book, "heart failure") == ["Failure, failed, heart"]
    assert found(book, "failures, hea") == ["Failure, failed, heart"]
    assert found(book, "acute heart failure") == ["Failure, failed, heart"]
    assert found(book, "hypert") == ["Hypertension, hypertensive", "Hypertelorism"]
    assert found(book, "fracture, neck") == ["Fracture, traumatic, femur, femoral, neck"]
    assert found(book, "failure, heart, decompensation") == [
        "Failure, failed, heart, with, decompensation"
    ]
    assert found(book, "failure, heart, without hypertension") == [
        "Failure, failed, heart, without hypertension"
    ]
    assert found(book, "failure, heart, hypertension") == []  # it says without
    assert found(book, "failure, elbow") == found(book, "zzz") == found(book, " , ") == []
    assert "Hypertelorism" in [str(entry) for entry in book.neighbors("hypertex")]


def test_entries_of_a_code(book: AlphabeticIndex) -> None:
    assert [str(e) for e in book.entries_of("S72.001A")] == [
        "Fracture, traumatic, femur, femoral, neck"
    ]
    assert [e.code for e in book.entries_of("S7290XA")] == ["S72.9"]
    assert [str(e) for e in book.entries_of("I43")] == ["Amyloid heart"]
    assert [e.code for e in book.entries_of("I50.89")] == ["I50.89", "I50.8"]
    assert len(book.entries_of("I50.9")) == 2
    assert book.entries_of("I50.91") == ()
    # A code without a dash stands for itself and its seventh characters only.
    assert [e.code for e in book.entries_of("T14.8XXA")] == ["T14.8"]
    assert book.entries_of("T14.81XA") == ()
    assert book.entries_of("Z99.9") == ()


def test_phrases(book: AlphabeticIndex) -> None:
    (entry,) = book.look_up("failure, heart, decompensation")
    (phrase,) = book.phrases(entry)
    assert phrase.required == ((("failure",), ("failed",)), (("heart",),), (("decompensation",),))
    assert phrase.optional == (("acute",), ("senile",), ("sudden",))
    assert phrase.connectives == ("with",)
    (without,) = book.phrases(book.look_up("failure, heart, without hypertension")[0])
    assert without.connectives == ("without",)
    (specified,) = book.phrases(book.look_up("failure, heart, specified")[0])
    assert specified.required[-1] == (("heart",),)
    assert ("specified",) in specified.optional


def test_arrays_are_all_there_is(book: AlphabeticIndex, tmp_path: Path) -> None:
    for name, array in book.to_arrays().items():
        np.save(tmp_path / f"{name}.npy", array, allow_pickle=False)
    stored = {path.stem: np.load(path) for path in tmp_path.glob("*.npy")}
    again = AlphabeticIndex.from_arrays(stored)
    assert list(again) == list(book)
    assert again.release == "2025"


def test_the_order_of_the_words_decides_between_two(tmp_path: Path) -> None:
    body = (
        "<mainTerm><title>Abnormal</title>"
        "<term level='1'><title>cerebral fluid</title><code>R83</code></term>"
        "<term level='1'><title>fluid</title>"
        "<term level='2'><title>cerebral</title><see>Abnormal, cerebral fluid</see></term></term>"
        "</mainTerm>"
    )
    book = read_index(write_index(tmp_path / "index.xml", body))
    assert found(book, "abnormal, cerebral fluid") == ["Abnormal, cerebral fluid"]
    assert found(book, "abnormal, fluid, cerebral") == ["Abnormal, fluid, cerebral"]


def test_an_addendum_is_read_as_it_is_now(tmp_path: Path) -> None:
    body = (
        "<mainTerm><diff><unc>Fever</unc><old> spotted</old><new> tick</new></diff>"
        "<code>A77</code></mainTerm>"
    )
    book = read_index(write_index(tmp_path / "index.xml", body))
    assert book[0].path == ("Fever tick",)


def test_tables_have_cells(tmp_path: Path) -> None:
    heads = '<indexHeading><head col="1">{}</head></indexHeading>'
    cells = '<cell col="2">C76.2</cell><cell col="3">C79.8-</cell><cell col="4">-</cell>'
    neoplasms = write_index(
        tmp_path / "n.xml",
        "<mainTerm><title>Neoplasm, neoplastic</title><term level='1'>"
        f"<title>abdomen</title>{cells}</term></mainTerm>",
        heads.format("Neoplasm"),
    )
    (row,) = read_neoplasms(neoplasms).look_up("neoplasm, abdomen")
    assert row.cells == (
        Cell("malignant-primary", "C76.2"),
        Cell("malignant-secondary", "C79.8", needs_more=True),
    )
    drugs = write_index(
        tmp_path / "d.xml",
        '<mainTerm><title>Aspirin</title><cell col="2">T39.011</cell><cell col="6">--</cell>'
        '<cell col="7">T39.016</cell></mainTerm>',
        heads.format("Substance"),
    )
    table = read_drugs(drugs)
    assert [cell.column for cell in table[0].cells] == ["accidental", "underdosing"]
    assert [str(e) for e in table.entries_of("T39.011A")] == ["Aspirin"]
    volume = read_volume([neoplasms, drugs])
    assert [part.source for part in volume.parts] == ["neoplasm", "drug"]
    assert list(IndexVolume.from_arrays(volume.to_arrays())) == list(volume)
    with pytest.raises(FormatError, match="expected the neoplasm table, got the drug file"):
        read_neoplasms(drugs)
    with pytest.raises(FormatError, match="got the drug table"):
        read_index(drugs)


def test_a_volume_is_of_one_release(tmp_path: Path) -> None:
    one = write_index(tmp_path / "one.xml")
    other = write_index(tmp_path / "two.xml", head="<title>EXTERNAL CAUSE INDEX</title>")
    with pytest.raises(FormatError, match="expected one index file"):
        read_volume([one, one])
    other.write_text(other.read_text().replace("2025", "2024"))
    with pytest.raises(FormatError, match="release 2024 beside 2025"):
        read_volume([one, other])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
            "<ICD10CM.index>&b;</ICD10CM.index>",
            "defines an XML entity",
        ),
        ("<ICD10CM.index><letter><mainTerm>", "not well-formed"),
        ("<ICD10CM.tabular/>", "got ICD10CM.tabular"),
        ("<ICD10CM.index/>", "no main terms"),
        ("", "not well-formed"),
        ('<?xml version="1.0" encoding="klingon"?><a/>', "encoding"),
    ],
)
def test_a_file_that_is_no_index_is_one_sentence(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "bad.xml").write_text(text)
    with pytest.raises(FormatError, match=problem) as error:
        read_part(tmp_path / "bad.xml")
    assert "\n" not in str(error.value)


def test_a_cell_in_a_column_that_is_not_there(tmp_path: Path) -> None:
    path = write_index(
        tmp_path / "d.xml",
        '<mainTerm><title>Aspirin</title><cell col="9">T39</cell></mainTerm>',
        '<indexHeading><head col="1">Substance</head></indexHeading>',
    )
    with pytest.raises(FormatError, match="columns 2 to 7 only, got column '9'"):
        read_part(path)


@pytest.fixture(scope="module")
def volume(shared_data: Path) -> IndexVolume:
    return read_volume(sorted((shared_data / "icd10cm_2025").glob("*.xml")))


@pytest.mark.real
def test_the_official_files_are_read_whole(volume: IndexVolume) -> None:
    index, external, neoplasms, drugs = volume.parts
    entries = list(index)
    assert sum(entry.level == 0 for entry in entries) == 8_100
    assert sum(entry.level > 0 for entry in entries) == 72_924
    assert sum(bool(entry.code) for entry in entries) == 62_721
    assert sum(bool(entry.see) for entry in entries) == 12_136
    assert sum(bool(entry.see_also) for entry in entries) == 2_057
    assert sum(1 for _ in external.mains()) == 314
    assert sum(bool(entry.code) for entry in external) == 6_650
    assert len(neoplasms) == 1_938 + 1
    # 1,898 of the 10,916 cells and 3,186 of the 43,212 have a dash for a code.
    assert sum(len(entry.cells) for entry in neoplasms) == 10_916 - 1_898
    assert sum(1 for _ in drugs.mains()) == 5_177
    assert sum(len(entry.cells) for entry in drugs) == 43_212 - 3_186


@pytest.mark.real
def test_entries_one_by_one_are_those_of_the_whole(volume: IndexVolume) -> None:
    for part in volume.parts:
        for entry in list(part)[::17]:
            assert part.entry(entry.number) == entry


@pytest.mark.real
def test_every_entry_is_reached_by_its_own_path(volume: IndexVolume) -> None:
    assert volume.index is not None
    coded = [entry for entry in volume.index if entry.code]
    missed = [
        entry
        for entry in random.Random(7).sample(coded, 1_500)
        if entry not in volume.index.look_up(entry.path)
    ]
    assert missed == []


@pytest.mark.real
def test_stored_arrays_open_at_once(volume: IndexVolume, tmp_path: Path) -> None:
    for name, array in volume.to_arrays().items():
        np.save(tmp_path / f"{name}.npy", array)
    start = time.perf_counter()
    again = IndexVolume.from_arrays(
        {path.stem: np.load(path, mmap_mode="r") for path in tmp_path.glob("*.npy")}
    )
    assert again.index is not None
    assert again.index.look_up("failure, heart")[0].code == "I50.9"
    assert time.perf_counter() - start < 0.5  # 50 ms on a quiet machine
