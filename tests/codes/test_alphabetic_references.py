"""Where the references of the index lead."""

from __future__ import annotations

from pathlib import Path

import pytest

from auscult.codes.alphabetic import read_index, read_neoplasms
from auscult.codes.alphabetic.reference_report import reference_report
from auscult.codes.alphabetic.references import References
from auscult.codes.alphabetic.volume import IndexVolume, read_volume

_INDEX = """<ICD10CM.index><version>2025</version><title>INDEX</title><letter><title>A</title>
<mainTerm><title>Abdominalgia</title><see>Pain, abdominal</see></mainTerm>
<mainTerm><title>Arc</title><see>Circle</see></mainTerm>
<mainTerm><title>Circle</title><see>Ring</see></mainTerm>
<mainTerm><title>Complication<nemod>(s) (from)</nemod></title>
  <term level="1"><title>cardiovascular device, graft or implant</title><code>T82.9-</code>
  <term level="2"><title>mechanical</title><code>T82.5-</code></term></term></mainTerm>
<mainTerm><title>Fracture, traumatic</title><code>T14.8</code>
  <term level="1"><title>femur, femoral</title><code>S72.9-</code></term></mainTerm>
<mainTerm><title>Grip</title><see>Grip</see></mainTerm>
<mainTerm><title>Grip</title><code>J11.1</code></mainTerm>
<mainTerm><title>Injury</title>
  <term level="1"><title>blood vessel NEC</title>
    <term level="2"><title>arm</title>
      <term level="3"><title>laceration</title><code>S45</code></term></term></term></mainTerm>
<mainTerm><title>Lost</title><see>Nowhere, at all</see></mainTerm>
<mainTerm><title>Pain<nemod>(s)</nemod></title><code>R52</code>
  <term level="1"><title>abdominal</title><code>R10.9</code></term>
  <term level="1"><title>burning mouth tip</title><code>K14.6</code></term></mainTerm>
<mainTerm><title>Ring</title><see>Circle</see></mainTerm>
<mainTerm><title>Tubes</title><seecat>T71</seecat></mainTerm>
</letter></ICD10CM.index>"""
_NEOPLASMS = """<ICD10CM.index><version>2025</version>
<indexHeading><head col="1">Neoplasm</head></indexHeading><letter><title>N</title>
<mainTerm><title>Neoplasm, neoplastic</title><cell col="2">C80.1</cell>
<term level="1"><title>skin</title><cell col="5">D23.9</cell></term></mainTerm>
</letter></ICD10CM.index>"""


@pytest.fixture
def volume(tmp_path: Path) -> IndexVolume:
    (tmp_path / "i.xml").write_text(_INDEX)
    (tmp_path / "n.xml").write_text(_NEOPLASMS)
    return IndexVolume(
        index=read_index(tmp_path / "i.xml"), neoplasms=read_neoplasms(tmp_path / "n.xml")
    )


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("Pain, abdominal", "Pain, abdominal"),
        (" pains,  Abdominal", "Pain, abdominal"),
        ("Complications, cardiovascular device, mechanical", "mechanical"),
        ("Fracture, by site", "Fracture, traumatic"),
        ("Fracture, femur", "Fracture, traumatic, femur, femoral"),
        ("Injury, blood vessel, laceration, by site", "laceration"),
    ],
)
def test_a_reference_to_an_entry(volume: IndexVolume, text: str, path: str) -> None:
    found = References(volume).resolve(text)
    assert found.kind == "entry"
    assert [str(entry).endswith(path) for entry in found.entries] == [True]


def test_references_to_tables_and_codes(volume: IndexVolume) -> None:
    resolve = References(volume).resolve
    by_site = resolve("Neoplasm, by site, malignant")
    assert (by_site.kind, by_site.table, by_site.column) == (
        "table",
        "neoplasm",
        "malignant-primary",
    )
    assert (by_site.entries, by_site.by) == ((), "site")
    skin = resolve("Neoplasm, skin, benign")
    assert ([str(e) for e in skin.entries], skin.column) == (
        ["Neoplasm, neoplastic, skin"],
        "benign",
    )
    drugs = resolve("Table of Drugs and Chemicals, by drug, adverse effect")
    assert (drugs.kind, drugs.table, drugs.column) == ("table", "drug", "adverse-effect")
    assert resolve("subcategory M08.4").codes == ("M08.4",)
    assert resolve("subcategory M14.8-").codes == ("M14.8",)
    assert resolve("E08-E13 with .42").codes == ("E08-E13",)
    assert resolve("categories T17 and").codes == ("T17",)


def test_references_that_lead_to_no_term(volume: IndexVolume) -> None:
    resolve = References(volume).resolve
    assert resolve("condition").kind == "condition"
    assert resolve("subcategory").kind == "incomplete"
    assert resolve("Nowhere, at all").kind == "dangling"
    assert resolve("Pain, elbow").kind == "dangling"
    # One word of three is too little, two are enough.
    assert resolve("Pain, burning").kind == "dangling"
    assert resolve("Pain, burning mouth").kind == "entry"
    assert not resolve("condition").is_resolved


def test_the_report_finds_circles_and_what_is_dangling(volume: IndexVolume) -> None:
    report = reference_report(volume)
    assert report.see == {"entry": 5, "dangling": 1, "category": 1}
    assert report.cycles == (("Circle", "Ring"),)
    assert report.unresolved == ("Lost → Nowhere, at all",)
    assert report.resolved == 6 / 7


def test_an_entry_does_not_refer_to_itself_where_there_is_another(volume: IndexVolume) -> None:
    assert volume.index is not None
    first, second = volume.index.look_up("grip")
    reference = References(volume).see(first)
    assert reference is not None
    assert reference.entries == (second,)


@pytest.mark.real
def test_nearly_all_references_of_the_official_index_lead_somewhere(shared_data: Path) -> None:
    volume = read_volume(sorted((shared_data / "icd10cm_2025").glob("*.xml")))
    assert volume.index is not None
    report = reference_report(volume.index, volume)
    assert sum(report.see.values()) == 12_136
    # "See condition" names no term; of the others 99% are found.
    assert report.see["condition"] == 489
    assert report.see["dangling"] + report.see.get("incomplete", 0) <= 125
    assert report.resolved > 0.95
    assert len(report.cycles) < 25
