"""`auscult codes` and `auscult corpus map`."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from auscult.cli.main import auscult
from auscult.core import Annotation, AuscultError, Code, Note
from auscult.corpus import Corpus


def answer(*words: str | Path) -> dict[str, object]:
    done = CliRunner().invoke(auscult, [*map(str, words), "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)  # type: ignore[no-any-return]  # the commands print objects


def test_show() -> None:
    found = answer("codes", "show", "ICD-10-CM", "i5021")
    assert found["code"] == "I50.21"
    assert found["description"] == "Acute systolic (congestive) heart failure"
    assert (found["billable"], found["parent"]) == (True, "I50.2")
    assert answer("codes", "show", "CPT", "99291")["evaluation_and_management"] is True
    assert answer("codes", "show", "ICD-10-CM", "I50.99")["known"] is False


def test_search() -> None:
    found = answer("codes", "search", "ICD-10-CM", "acute", "systolic", "failure", "--billable")
    codes = found["codes"]
    assert isinstance(codes, list)
    assert codes[0] == {
        "code": "I50.21",
        "description": "Acute systolic (congestive) heart failure",
        "billable": True,
    }
    assert found["total"] == 4


def test_map() -> None:
    found = answer("codes", "map", "ICD-10-CM", "I10", "--to", "ICD-9-CM")
    assert (found["code"], found["step"]) == ("401.9", "multiple")
    assert found["alternatives"] == ["401.0", "401.1"]
    assert answer("codes", "map", "ICD-9-CM", "428.0", "--to", "CCS")["code"] == "108"
    assert answer("codes", "map", "ICD-10-CM", "I50.9", "--to", "CCSR")["code"] == "CIR019"


def test_mistakes() -> None:
    for words, says in (
        (["show", "ICD10", "I10"], "Did you mean ICD-10-CM"),
        (["map", "ICD-10-CM", "I10", "--to", "CPT"], "no mapping from ICD-10-CM to CPT"),
        (["map", "ICD-10-CM", "I10", "--to", "CCS"], "of another system"),
        (["map", "ICD-10-PCS", "02703DZ", "--to", "ICD-9-PCS"], "--gems"),
        (["search", "CPT", "knee"], "no table of CPT"),
        (["show", "ICD-10-CM", "I10", "--table", "nowhere.txt"], "does not exist"),
    ):
        done = CliRunner().invoke(auscult, ["codes", *words])
        assert isinstance(done.exception, AuscultError)
        assert says in str(done.exception)


def test_mapping_a_corpus(tmp_path: Path) -> None:
    annotation = Annotation("gold", Code("ICD-10-CM", "I48.91"), "c")
    Corpus.of([Note("n", "c", text="AF")], [annotation]).write(tmp_path / "a")
    found = answer("corpus", "map", tmp_path / "a", tmp_path / "b", "--to", "ICD-9-CM")
    assert found["steps"] == {
        "identical": 0,
        "approximate": 1,
        "multiple": 0,
        "parent": 0,
        "none": 0,
    }
    assert [str(a.code) for a in Corpus.open(tmp_path / "b").iter_annotations()] == [
        "ICD-9-CM 427.31"
    ]
