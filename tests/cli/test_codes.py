"""`auscult codes` and `auscult corpus map`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
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
    first = codes[0]
    assert (first["code"], first["billable"]) == ("I50.21", True)
    assert first["description"] == "Acute systolic (congestive) heart failure"
    assert first["why"]
    assert first["score"] >= codes[1]["score"]
    assert all(row["billable"] for row in codes)
    assert found["total"] == len(codes) <= 20


@pytest.mark.parametrize(
    ("words", "code"),
    [("hypertension", "I10"), ("UTI", "N39.0"), ("CHF", "I50.9"), ("high blood presure", "I10")],
)
def test_search_knows_what_clinicians_write(words: str, code: str) -> None:
    codes = answer("codes", "search", "ICD-10-CM", *words.split(), "--limit", "1")["codes"]
    assert isinstance(codes, list)
    assert [row["code"] for row in codes] == [code]


def test_search_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    done = CliRunner().invoke(auscult, ["codes", "search", "ICD-10-CM", "CHF", "--limit", "2"])
    heading, first, *_ = done.stdout.splitlines()
    assert heading.split() == ["code", "description", "why"]
    assert first.startswith("I50.9 ")
    assert "I50.9 stands for I50 where nothing more is documented." in done.stdout
    assert done.stderr.startswith("The Alphabetic Index is not installed")
    listed = CliRunner().invoke(auscult, ["codes", "search", "ICD-10-CM", "I50", "--limit", "2"])
    assert "I50.1" in listed.stdout
    assert listed.stderr == "", "the index has nothing to say of codes"


@pytest.mark.parametrize("given", ["search ICD-10-CM", "index"])
@pytest.mark.parametrize("words", ["", " ,;"])
def test_no_words_to_look_for(given: str, words: str) -> None:
    done = CliRunner().invoke(auscult, ["codes", *given.split(), words])
    assert done.exit_code != 0
    assert str(done.exception) == "Expected words or the beginning of a code to look for, got none."


def test_a_query_that_is_too_long() -> None:
    done = CliRunner().invoke(auscult, ["codes", "search", "ICD-10-CM", "heart " * 1000])
    assert str(done.exception) == (
        "Expected a query of at most 4,000 characters, got 6,000; search for one name at a time."
    )


@pytest.mark.parametrize(
    ("system", "value", "said"),
    [
        ("ICD-10-CM", "428.0", "Map it: auscult codes map ICD-9-CM 428.0 --to ICD-10-CM."),
        ("ICD-9-CM", "I50.9", "Map it: auscult codes map ICD-10-CM I50.9 --to ICD-9-CM."),
        ("ICD-10-CM", "ZZZ", "Look it up: auscult codes search ICD-10-CM WORDS."),
    ],
)
def test_an_unknown_code_says_what_it_may_be(system: str, value: str, said: str) -> None:
    assert answer("codes", "show", system, value)["advice"] == said
    done = CliRunner().invoke(auscult, ["codes", "show", system, value])
    assert said in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    "words",
    [
        "search ICD-10-CM CHF",
        "search ICD-10-CM S72",
        "show ICD-10-CM S72.001A",
        "show ICD-9-CM 428.0",
        "check E10.9 E11.9 I16.0 N18.4",
        "sources",
        "map ICD-10-CM T36.0X1A --to ICD-9-CM",
    ],
)
def test_lines_fit_the_terminal(words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    done = CliRunner().invoke(auscult, ["codes", *words.split()])
    assert done.exit_code == 0
    lines = (done.stdout + done.stderr).splitlines()
    # The name of a folder is not broken.
    assert [line for line in lines if len(line) > 80 and "kept in" not in line] == []


def test_search_of_another_table(tmp_path: Path) -> None:
    lines = ["00001 I50     0 Heart failure", "00002 I501    1 Left ventricular failure"]
    (tmp_path / "order.txt").write_text("\n".join(lines))
    given = ["codes", "search", "ICD-10-CM", "--table", str(tmp_path / "order.txt")]
    found = answer(*given, "ventricular", "failure")["codes"]
    assert isinstance(found, list)
    assert [row["code"] for row in found] == ["I50.1"]
    found = answer(*given, "i50")["codes"]
    assert isinstance(found, list)
    assert [(row["code"], row["billable"]) for row in found] == [("I50", False), ("I50.1", True)]
    billable = answer(*given, "i50", "--billable")
    assert billable["total"] == 1


def test_map() -> None:
    found = answer("codes", "map", "ICD-10-CM", "I10", "--to", "ICD-9-CM")
    assert (found["code"], found["step"]) == ("401.9", "multiple")
    assert found["alternatives"] == ["401.0", "401.1"]
    assert answer("codes", "map", "ICD-9-CM", "428.0", "--to", "CCS")["code"] == "108"
    assert answer("codes", "map", "ICD-10-CM", "I50.9", "--to", "CCSR")["code"] == "CIR019"


def test_mistakes() -> None:
    for words, says in (
        (["show", "ICD10", "I10"], "Did you mean ICD-10-CM"),
        (["map", "ICD-10-CM", "I10", "--to", "FOO"], "Known: CCS, CCSR, CPT"),
        (["map", "ICD-10-CM", "I10", "--to", "CPT"], "no mapping from ICD-10-CM to CPT"),
        (["map", "ICD-10-CM", "I10", "--to", "CCS"], "ICD-10-CM I10 belongs to another system"),
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


def test_preferred_codes_are_put_right_and_unknown_ones_named(tmp_path: Path) -> None:
    found = answer("codes", "map", "ICD-10-CM", "I10", "--to", "ICD-9-CM", "--prefer", "4011")
    assert (found["code"], found["warnings"]) == ("401.1", [])
    words = ("codes", "map", "ICD-10-CM", "I10", "--to", "ICD-9-CM", "--prefer", "I10")
    assert answer(*words)["warnings"] == ["The preferred code 'I10' is in no table of ICD-9-CM."]
    annotation = Annotation("gold", Code("ICD-10-CM", "I10"), "c")
    Corpus.of([Note("n", "c")], [annotation]).write(tmp_path / "a")
    (tmp_path / "mine.txt").write_text("4011\n389.3\nhello\n")
    found = answer(
        *("corpus", "map", tmp_path / "a", tmp_path / "b", "--to", "ICD-9-CM"),
        *("--prefer-from", tmp_path / "mine.txt"),
    )
    assert [a.code.value for a in Corpus.open(tmp_path / "b").iter_annotations()] == ["401.1"]
    assert found["warnings"] == [
        "The preferred code '389.3' and 1 more are in no table of ICD-9-CM."
    ]


def exit_code(*words: str) -> int:
    return CliRunner().invoke(auscult, ["codes", *words]).exit_code


def test_strict_tells_scripts_what_is_no_code() -> None:
    for words, code in (
        (["show", "ICD-10-CM", "I50.21"], 0),
        (["show", "ICD-10-CM", "I50.99"], 1),
        (["show", "ICD-10-CM", "I999.99"], 1),
        (["show", "CPT", "99291"], 0),
        (["map", "ICD-10-CM", "I10", "--to", "ICD-9-CM"], 0),
        (["map", "ICD-10-CM", "ZZZ", "--to", "ICD-9-CM"], 1),
    ):
        assert exit_code(*words) == 0
        assert exit_code(*words, "--strict") == code, words


def test_a_code_that_was_put_right_is_shown_as_it_came() -> None:
    found = answer("codes", "show", "icd-10-cm", "i5021")
    assert (found["system"], found["code"], found["given"]) == ("ICD-10-CM", "I50.21", "i5021")
    assert (
        "written      i5021"
        in CliRunner().invoke(auscult, ["codes", "show", "ICD-10-CM", "i5021"]).output
    )
    moved = answer("codes", "show", "ICD-10-CM", "I999.99")
    assert (moved["code"], moved["well_formed"]) == ("I999.99", False)


def test_search_puts_beginnings_in_order() -> None:
    def codes(*words: str) -> list[str]:
        found = answer("codes", "search", "ICD-10-CM", *words, "--limit", "500")["codes"]
        assert isinstance(found, list)
        return [entry["code"] for entry in found]

    heart = codes("I50")
    assert heart[:4] == ["I50", "I50.1", "I50.2", "I50.20"]
    assert heart == sorted(heart)
    assert codes("i50.2") == heart[2:7]
    nothing = CliRunner().invoke(auscult, ["codes", "search", "ICD-9-CM", "xyzzy"])
    assert nothing.output == "Nothing found.\n"


def test_map_says_why_and_describes() -> None:
    for value, says in (
        ("ZZZ", "it is malformed"),
        ("I50", "via I50 (a heading"),
        ("I50.99", "via I50.9 (not in the code system's tables)"),
    ):
        done = CliRunner().invoke(auscult, ["codes", "map", "ICD-10-CM", value, "--to", "ICD-9-CM"])
        assert says in done.output
    found = answer("codes", "map", "ICD-10-CM", "I10", "--to", "icd-9-cm")
    assert (found["source_system"], found["system"]) == ("ICD-10-CM", "ICD-9-CM")
    assert found["source_description"] == "Essential (primary) hypertension"
    assert found["descriptions"] == {
        "401.0": "Malignant essential hypertension",
        "401.1": "Benign essential hypertension",
    }
    ccsr = answer("codes", "map", "ICD-10-CM", "I50.9", "--to", "CCSR")
    assert ccsr["title"] == "Diseases of the circulatory system, category 19"


@pytest.mark.real
def test_ccs_of_procedures_comes_from_a_file(shared_data: Path) -> None:
    file = shared_data / "hcup_ccs" / "prref_2015.csv"
    found = answer("codes", "map", "ICD-9-PCS", "36.10", "--to", "CCS", "--ccs", file)
    assert (found["code"], found["title"]) == ("44", "CABG")
    other = shared_data / "hcup_ccs" / "dxref_2015.csv"
    words = ["codes", "map", "ICD-9-PCS", "36.10", "--to", "CCS", "--ccs", str(other)]
    assert "is not a code of ICD-9-PCS" in str(CliRunner().invoke(auscult, words).exception)


def test_without_gems_procedures_stay_and_a_warning_says_so(tmp_path: Path) -> None:
    annotations = [
        Annotation("gold", Code("ICD-10-CM", "I48.91"), "c"),
        Annotation("gold", Code("ICD-10-PCS", "5A1D70Z"), "c"),
    ]
    Corpus.of([Note("n", "c")], annotations).write(tmp_path / "a")
    found = answer("corpus", "map", tmp_path / "a", tmp_path / "b", "--to", "ICD-9-CM")
    assert found["kept"] == ["ICD-10-PCS"]
    assert "--gems" in str(found["warnings"])
    assert [str(a.code) for a in Corpus.open(tmp_path / "b").iter_annotations()] == [
        "ICD-9-CM 427.31",
        "ICD-10-PCS 5A1D70Z",
    ]
    Corpus.of([Note("n", "c")], annotations[1:]).write(tmp_path / "only")
    words = ["corpus", "map", str(tmp_path / "only"), str(tmp_path / "c"), "--to", "ICD-9-CM"]
    done = CliRunner().invoke(auscult, words)
    assert isinstance(done.exception, AuscultError)
    assert "--gems" in str(done.exception)
