"""`auscult codes add`, `codes sources`, and what `codes show` says of the Tabular List."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.codes.tabular.handmade import index

from auscult.cli.main import auscult


def _answer(*words: str | Path) -> Any:
    done = CliRunner().invoke(auscult, [*map(str, words), "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def _said(*words: str | Path) -> str:
    done = CliRunner().invoke(auscult, [*map(str, words)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.usefixtures("home")
def test_add_and_sources(tmp_path: Path) -> None:
    file = tmp_path / "index.xml"
    file.write_text(index(year="2025"))
    before = _answer("codes", "sources")
    assert before["missing"] == ["index", "neoplasm", "drug", "eindex"]
    (part,) = before["parts"]
    assert (part["kind"], part["release"], part["in_use"]) == ("tabular", "2026", True)
    assert part["counts"]["codes"] == 74_719
    (added,) = _answer("codes", "add", file)["added"]
    assert (added["kind"], added["release"], len(added["digest"])) == ("index", "2025", 64)
    after = _answer("codes", "sources")
    assert [part["from"] for part in after["parts"]] == ["simple-icd-10-cm", "installed"]
    assert after["missing"] == ["neoplasm", "drug", "eindex"]
    file.write_text(index(year="2024"))
    assert "Alphabetic Index, 2024: 1 main terms, 1 subterms" in _said("codes", "add", file)
    said = _said("codes", "sources")
    assert "ICD-10-CM 2025 Alphabetic Index (in use)" in said
    assert "ICD-10-CM 2024 Alphabetic Index: " in said
    assert "No Neoplasm Table" in said


def test_show_has_what_applies() -> None:
    found = _answer("codes", "show", "ICD-10-CM", "E11.65")
    assert found["block"] == "Diabetes mellitus (E08-E13)"
    assert [above["code"] for above in found["ancestors"]] == ["E11", "E11.6"]
    assert "E11.69" in [sibling["code"] for sibling in found["siblings"]]
    assert {
        "kind": "excludes1",
        "text": "gestational diabetes (O24.4-)",
        "at": "E11",
        "codes": ["O24.4"],
    } in found["instructions"]
    assert found["instructions"][0]["at"] == "chapter 4"
    assert found["seventh_characters"] is None
    partners = {"system": "ICD-9-CM", "codes": ["250.80"], "combinations": []}
    assert found["gem_partners"] == partners


def test_show_in_words() -> None:
    said = _said("codes", "show", "ICD-10-CM", "S72.001A")
    assert "7th characters (at S72)\n  A  initial encounter for closed fracture" in said
    assert "Excludes1 (at S72)\n  traumatic amputation of hip and thigh (S78.-)" in said
    assert "\nSiblings\n  S72.001B " in said
    assert "    S72.0 " in said
    assert "Inclusion terms\n  Diabetes" not in said
    assert "Inclusion terms\n" in _said("codes", "show", "ICD-10-CM", "I21.3")
    many = _said("codes", "show", "ICD-10-CM", "T51")
    assert "\nSiblings" in many


def test_show_of_what_the_list_does_not_have() -> None:
    assert "instructions" not in _answer("codes", "show", "ICD-10-CM", "I50.99")
    nine = _answer("codes", "show", "ICD-9-CM", "401.9")
    assert "instructions" not in nine
    assert nine["gem_partners"] == {"system": "ICD-10-CM", "codes": ["I10"], "combinations": []}


_INDEX = """<ICD10CM.index><version>2025</version><title>INDEX</title><letter><title>F</title>
<mainTerm><title>Failure, failed</title><term level="1"><title>heart<nemod>(acute)</nemod></title>
<code>I50.9</code><term level="2"><title>congestive</title><code>I50.9</code></term></term>
</mainTerm></letter></ICD10CM.index>"""


@pytest.mark.usefixtures("home")
def test_show_has_the_index_entries_that_lead_to_a_code(tmp_path: Path) -> None:
    assert "index" not in _answer("codes", "show", "ICD-10-CM", "I50.9")
    (tmp_path / "index.xml").write_text(_INDEX)
    _said("codes", "add", tmp_path / "index.xml")
    leading = ["Failure, failed, heart", "Failure, failed, heart, congestive"]
    assert _answer("codes", "show", "ICD-10-CM", "I50.9")["index"] == leading
    assert _answer("codes", "show", "ICD-10-CM", "I10")["index"] == []
    said = _said("codes", "show", "ICD-10-CM", "I50.9")
    assert "\nIndex entries that lead to it\n  Failure, failed, heart\n" in said


def test_compile() -> None:
    found = _answer("codes", "compile")
    assert [row["system"] for row in found["systems"]] == ["ICD-10-CM"]
    assert found["size"] > 1_000_000
    said = _said("codes", "compile", "icd-10-cm", "ICD-9-PCS")
    assert "ICD-9-PCS: ready to search after " in said
    done = CliRunner().invoke(auscult, ["codes", "compile", "CPT"])
    assert str(done.exception) == "There is no table of CPT to search."
