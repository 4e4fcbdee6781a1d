"""`auscult codes index`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from auscult.cli.codes.index import index
from auscult.codes.releases import add_release
from auscult.core import AuscultError

_XML = """<ICD10CM.index><version>2025</version><title>INDEX</title><letter><title>F</title>
<mainTerm><title>Failure, failed</title><term level="1"><title>heart<nemod>(acute)</nemod></title>
<seeAlso>Disease, heart</seeAlso><code>I50.9</code>
<term level="2"><title>with</title>
<term level="3"><title>edema</title><code>I50.1-</code></term></term></term></mainTerm>
<mainTerm><title>Fever</title><code>R50.9</code></mainTerm></letter></ICD10CM.index>"""


def run(folder: Path, *words: str) -> str:
    (folder / "index.xml").write_text(_XML)
    given = [*words, "--file", str(folder / "index.xml")]
    done = CliRunner().invoke(index, given, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_a_term_is_printed_as_in_the_book(tmp_path: Path) -> None:
    assert run(tmp_path, "failure,", "heart").splitlines() == [
        "Failure, failed, heart (acute) I50.9 — see also Disease, heart",
        "  with",
    ]
    assert run(tmp_path, "failure heart", "--depth", "2").splitlines()[2:] == ["    edema I50.1-"]


def test_neighbors_where_nothing_matches(tmp_path: Path) -> None:
    assert run(tmp_path, "feverish-looking").splitlines() == [
        "Nothing found. The nearest main terms:",
        "Failure, failed",
        "Fever R50.9",
    ]


def test_json(tmp_path: Path) -> None:
    found = json.loads(run(tmp_path, "fever", "--json"))
    assert (found["part"], found["release"], found["total"]) == ("index", "2025", 1)
    assert found["entries"][0]["code"] == "R50.9"
    assert found["entries"][0]["subterms"] == []


@pytest.mark.usefixtures("home")
def test_the_installed_release_is_browsed(tmp_path: Path) -> None:
    (tmp_path / "index.xml").write_text(_XML)
    add_release(tmp_path / "index.xml")
    done = CliRunner().invoke(index, ["fever"], catch_exceptions=False)
    assert done.stdout == "Fever R50.9\n"


@pytest.mark.usefixtures("home")
def test_nothing_installed_is_one_sentence() -> None:
    with pytest.raises(AuscultError, match=r"Table of Drugs .* is not installed.* codes add FILE"):
        CliRunner().invoke(index, ["aspirin", "--part", "drug"], catch_exceptions=False)
