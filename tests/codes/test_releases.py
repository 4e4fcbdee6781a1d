"""Installing releases of ICD-10-CM, and which of them is used."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from tests.codes.tabular.handmade import TABULAR, columns, index

from auscult.codes import describe, table_of
from auscult.codes.home import data_home
from auscult.codes.releases import PartKind, add_release, installed, newest, packaged
from auscult.codes.tabular.current import tabular_list
from auscult.core import AuscultError, Code, FormatError

_EXTERNAL = "ICD-10-CM EXTERNAL CAUSE of INJURIES INDEX"
_ALL = {
    "a.xml": TABULAR,
    "folder/b.xml": index(),
    "folder/c.xml": index(_EXTERNAL),
    "d.xml": columns("Neoplasm"),
    "e.XML": columns("Substance"),
    "about.pdf": "%PDF",
    "icd10cm-index.xsd": "<schema/>",
    "settings.xml": "<other/>",
    "__MACOSX/._a.xml": "\0",
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AUSCULT_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def _zip(path: Path, members: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return path


def _file(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_a_zip_as_downloaded(tmp_path: Path, home: Path) -> None:
    added = add_release(_zip(tmp_path / "cdc.zip", _ALL))
    assert [part.kind for part in added] == list(PartKind)
    assert {part.year for part in added} == {"2031"}
    assert installed() == added
    folder = home / "codes" / "ICD-10-CM" / "2031"
    assert (folder / "index.xml").read_text() == index()
    assert [part.file_name for part in added] == ["a.xml", "b.xml", "d.xml", "e.XML", "c.xml"]
    assert added[0].counts == {
        "codes": 11,
        "headings": 9,
        "inclusion_terms": 2,
        "instructions": 6,
    }
    assert added[1].counts == {"main_terms": 1, "subterms": 1}


def test_the_newest_is_used(tmp_path: Path) -> None:
    before = table_of("ICD-10-CM")
    assert before is not None
    assert before.release == "2026"
    add_release(_file(tmp_path / "t.xml", TABULAR.replace("2031", "2019")))
    assert tabular_list().release == "2026"
    add_release(_file(tmp_path / "t.xml", TABULAR))
    assert tabular_list().release == "2031"
    assert describe(Code("ICD-10-CM", "E11.65")) == "With hyperglycemia"
    assert describe(Code("ICD-10-CM", "I10")) is None
    assert newest(PartKind.INDEX) is None
    for year in ("2032", "2030"):
        add_release(_file(tmp_path / "i.xml", index(year=year)))
    found = newest(PartKind.INDEX)
    assert found is not None
    assert found.year == "2032"


def test_of_one_year_the_user_s_is_used(tmp_path: Path) -> None:
    package = packaged()
    assert package is not None
    add_release(_file(tmp_path / "t.xml", TABULAR.replace("2031", package.year)))
    assert len(tabular_list()) == 20


def test_a_second_of_the_same_kind_and_year_replaces(tmp_path: Path) -> None:
    first = add_release(_zip(tmp_path / "cdc.zip", _ALL))
    (second,) = add_release(_file(tmp_path / "corrected.xml", index("Corrected")))
    parts = {part.kind: part for part in installed()}
    assert len(parts) == 5
    assert parts[PartKind.INDEX] == second
    assert second.digest != first[1].digest
    assert second.file_name == "corrected.xml"
    assert second.path.read_text() == index("Corrected")
    assert parts[PartKind.TABULAR] == first[0]
    # A corrected tabular list is the one in use from then on.
    assert tabular_list().describe("E13") == "Other diabetes"
    add_release(_file(tmp_path / "t.xml", TABULAR.replace("Other diabetes", "Corrected")))
    assert tabular_list().describe("E13") == "Corrected"


_BOMB = '<!DOCTYPE x [<!ENTITY a "b">]><ICD10CM.index>&a;</ICD10CM.index>'


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({"a.xml": TABULAR, "b.xml": index(year="2030")}, "got those of 2030 and 2031"),
        ({"a.xml": index(), "b.xml": index()}, "expected one Alphabetic Index, got two"),
        ({"a.xml": TABULAR, "../../b.xml": index()}, "leads out of the folder"),
        ({"a.xml": TABULAR, "..\\b.txt": "x"}, "leads out of the folder"),
        ({"a.xml": TABULAR, "/etc/b.xml": index()}, "leads out of the folder"),
        ({"a.xml": _BOMB}, "defines an XML entity"),
        ({"a.xml": TABULAR[:300]}, "not well-formed"),
        ({"a.xml": TABULAR.replace("E11.65", "Q")}, "expected an ICD-10-CM code"),
        ({"a.xml": "<other/>", "b.txt": "codes"}, "got none; pass the zip"),
        ({}, "got none; pass the zip"),
    ],
)
def test_zips_that_are_refused(
    tmp_path: Path, home: Path, members: dict[str, str], said: str
) -> None:
    with pytest.raises(FormatError, match=said) as caught:
        add_release(_zip(tmp_path / "odd.zip", members))
    assert "odd.zip" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not home.exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<ClaML/>", "expected a file of an ICD-10-CM release"),
        ("codes, but no XML", "not well-formed"),
        ("", "not well-formed"),
        (index(year="soon"), "expected the fiscal year"),
        (index().replace("mainTerm", "entry"), "expected an index with main terms"),
    ],
)
def test_files_that_are_refused(tmp_path: Path, home: Path, text: str, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        add_release(_file(tmp_path / "odd.xml", text))
    assert not home.exists()


def test_damaged_zips_and_what_is_no_file(tmp_path: Path, home: Path) -> None:
    whole = _zip(tmp_path / "cdc.zip", _ALL).read_bytes()
    for number, raw in enumerate(
        (b"", b"PK", whole[: len(whole) // 2], whole[:-10], b"x" + whole[1:])
    ):
        file = tmp_path / f"{number}.zip"
        file.write_bytes(raw)
        with pytest.raises(FormatError, match=r"truncated, damaged or encrypted"):
            add_release(file)
    flipped = bytearray(whole)
    flipped[60:90] = bytes(30)
    (tmp_path / "flipped.zip").write_bytes(bytes(flipped))
    with pytest.raises(FormatError):
        add_release(tmp_path / "flipped.zip")
    for place in (tmp_path / "nowhere.zip", tmp_path):
        with pytest.raises(AuscultError, match="does not exist or is not a file"):
            add_release(place)
    assert not home.exists()


def test_a_damaged_record_says_what_to_do(tmp_path: Path, home: Path) -> None:
    add_release(_file(tmp_path / "i.xml", index()))
    record = home / "codes" / "ICD-10-CM" / "2031" / "release.json"
    assert json.loads(record.read_text())["parts"]["index"]["file_name"] == "i.xml"
    record.write_text("[]")
    with pytest.raises(FormatError, match="add the release again"):
        installed()


def test_the_folder_without_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AUSCULT_HOME")
    assert data_home().name == "auscult"
    assert data_home().is_absolute()
