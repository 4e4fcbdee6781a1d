"""`auscult reproduce` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner, Result

from auscult.cli.main import auscult
from auscult.core import AuscultError
from auscult.synth import hospital


def call(*words: str | Path) -> Result:
    return CliRunner().invoke(auscult, ["reproduce", *map(str, words)])


def test_the_list_has_every_row_and_what_it_needs() -> None:
    rows = json.loads(call("list", "--json").stdout)
    assert len(rows) == 44
    one = next(row for row in rows if row["name"] == "mdace-table-5")
    assert one["options"] == ["mdace", "mimic3"]
    assert "credentialed" in one["needs"]


def test_a_row_is_made_and_the_page_with_it(tmp_path: Path) -> None:
    work = tmp_path / "work"
    done = call("run", "challenge-table-1", "mdace-figure-2", "--work", work, "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert Path(found["page"]) == work / "reproduce.html"
    first, second = found["reproductions"]
    assert {row["verdict"] for row in first["numbers"]} == {"in band"}
    assert second["command"] == "auscult reproduce run mdace-figure-2"
    assert json.loads((work / "reproduce.json").read_text())["reproductions"] == [first, second]
    assert "Document 4" in (work / "reproduce.html").read_text()


def test_a_number_outside_its_band_ends_with_1(tmp_path: Path) -> None:
    """A hospital that is not MDACE, given as if it were."""
    hospital.make_hospital(tmp_path / "hospital", patients=6, seed=2)
    mdace = tmp_path / "hospital" / "mdace"
    done = call("run", "mdace-table-8", "--mdace", mdace, "--work", tmp_path / "work", "--json")
    assert done.exit_code == 1
    [one] = json.loads(done.stdout)["reproductions"]
    assert {row["verdict"] for row in one["numbers"]} == {"too low"}
    assert one["stand_in"] is None


def test_what_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    for words, said in (
        (("run", "mdace-table-99", "--work", tmp_path / "w"), "no reproduction 'mdace-table-99'"),
        (("all", "--mimic3", tmp_path / "none", "--work", tmp_path / "w"), "does not exist"),
        (("run", "mdace-figure-2", "mdace-figure-2", "--work", tmp_path / "w"), "occurs twice"),
    ):
        done = call(*words)
        assert isinstance(done.exception, AuscultError)
        assert said in str(done.exception)
