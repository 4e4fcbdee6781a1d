"""`auscult vocab` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from auscult.cli.vocab import vocab
from auscult.codes.concept import Concept, Synonym
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Annotation, AuscultError, Code, Note, Span
from auscult.corpus import Corpus

TERMS = """\
id,name,synonyms,type,source
C0004096,Asthma,Bronchial asthma,Disease,A
C0349790,Asthma exacerbation,,Disease,A
C0205082,Severe,,Modifier,A
C0033707,Prothrombin time,PT|Protime,Test,A
C0949766,Physical therapy,PT,Procedure,B
"""


def run(*words: str | Path) -> str:
    done = CliRunner().invoke(vocab, [*map(str, words)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def answer(*words: str | Path) -> Any:
    return json.loads(run(*words, "--json"))


@pytest.fixture
def vocabulary(tmp_path: Path) -> Path:
    (tmp_path / "terms.csv").write_text(TERMS + ",no id,,,\n")
    built = answer("build", tmp_path / "terms.csv", tmp_path / "v", "--code-system", "UMLS")
    assert (built["concepts"], built["terms"], built["systems"]) == (5, 9, ["UMLS"])
    assert built["sources"] == ["A", "B"]
    assert built["exclusions"] == [
        {"reason": "rows without an id", "count": 1, "places": ["terms.csv row 7"]}
    ]
    return tmp_path / "v"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    text = "😀 Severe asthma exacerbation.\nPT 14"
    notes = [Note("n1", "c1", text=text), Note("n2", "c2", text="Nothing."), Note("n3", "c3")]
    gold = [
        Annotation("gold", Code("UMLS", "C0949766"), "c1", "n1", (Span(30, 32),)),
        Annotation("gold", Code("UMLS", "C0004096"), "c2"),
    ]
    Corpus.of(notes, gold).write(tmp_path / "corpus")
    return tmp_path / "corpus"


def test_suggest_prints_a_list(vocabulary: Path) -> None:
    found = answer("suggest", vocabulary, "pt")
    assert [(s["id"], s["name"], s["score"]) for s in found] == [
        ("C0033707", "Prothrombin time", 1.0),
        ("C0949766", "Physical therapy", 1.0),
    ]
    assert found[0]["why"] == 'synonym "PT" (A)'
    assert answer("suggest", vocabulary, "pt", "--semantic-type", "Procedure", "--source", "B")[0][
        "id"
    ] == ("C0949766")
    assert answer("suggest", vocabulary, "xyzzy") == []
    assert "Asthma exacerbation" in run("suggest", vocabulary, "exacerbated asthma")
    assert "Nothing found" in run("suggest", vocabulary, "xyzzy")


def test_suggest_with_the_note_and_a_list(vocabulary: Path, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("physical therapy (PT) daily")
    (tmp_path / "mine.tsv").write_text("sev\tsevere\n")
    assert answer("suggest", vocabulary, "PT", "--context", tmp_path / "note.txt")[0]["id"] == (
        "C0949766"
    )
    found = answer("suggest", vocabulary, "sev", "--abbreviations", tmp_path / "mine.tsv")
    assert found[0]["why"] == 'sev may stand for "severe": preferred name'


def test_suggest_for_an_icd_system_is_the_search_of_codes(tmp_path: Path) -> None:
    first = Concept(Code("ICD-9-CM", "599.0"), "Urinary infection", (Synonym("x", "ICD-9-CM"),))
    Vocabulary.build([first], tmp_path / "nine")
    found = answer("suggest", tmp_path / "nine", "UTI", "--limit", "3")
    assert found[0]["id"] == "599.0"
    assert found[0]["name"].startswith("Urinary tract infection")
    assert found[0]["why"].startswith("abbreviation UTI")
    filtered = answer("suggest", tmp_path / "nine", "x", "--source", "ICD-9-CM")
    assert [one["name"] for one in filtered] == ["Urinary infection"]


def test_find_in_a_corpus(vocabulary: Path, corpus: Path, tmp_path: Path) -> None:
    made = answer("find", vocabulary, corpus, tmp_path / "out", "--sign-as", "dictionary")
    assert (made["notes"], made["annotations"]) == (3, 5)
    out = Corpus.open(tmp_path / "out")
    assert out.manifest.annotators == {"dictionary": 5, "gold": 2}
    text = next(out.iter_notes()).text or ""
    said = [
        (a.code.value, a.spans[0].of(text), a.chart_id, a.score)
        for a in out.select(annotators=["dictionary"]).iter_annotations()
    ]
    assert said == [
        ("C0205082", "Severe", "c1", 1.0),
        ("C0349790", "asthma exacerbation", "c1", 1.0),
        ("C0004096", "asthma", "c1", 1.0),
        ("C0033707", "PT", "c1", 0.5),
        ("C0949766", "PT", "c1", 0.5),
    ]
    assert "5 annotations on 3 notes" in run("find", vocabulary, corpus, tmp_path / "again")


def test_find_as_lines(vocabulary: Path, corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "found.jsonl"
    assert answer("find", vocabulary, corpus, out, "--longest", "--best")["annotations"] == 3
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert lines[1] == {
        "status": "given",
        "note_id": "n1",
        "chart_id": "c1",
        "annotator": "vocabulary",
        "system": "UMLS",
        "code": "C0349790",
        "spans": [[9, 28]],
        "score": 1.0,
    }
    assert [line["code"] for line in lines] == ["C0205082", "C0349790", "C0033707"]


def test_find_in_text_files(vocabulary: Path, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "b.txt").write_text("Bronchial asthma")
    (folder / "a.txt").write_text("severe pt", encoding="utf-8")
    out = tmp_path / "found.jsonl"
    answer("find", vocabulary, folder, out, "--case", "loose")
    found = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(f["note_id"], f["code"], f["spans"]) for f in found] == [
        ("a", "C0205082", [[0, 6]]),
        ("a", "C0033707", [[7, 9]]),
        ("a", "C0949766", [[7, 9]]),
        ("b", "C0004096", [[0, 16]]),
        ("b", "C0004096", [[10, 16]]),
    ]
    answer("find", vocabulary, folder / "b.txt", out, "--overwrite", "--semantic-type", "Modifier")
    assert out.read_text() == ""
    with pytest.raises(
        AuscultError, match=r"found\.txt is neither a folder name for a corpus nor a \.jsonl file"
    ):
        run("find", vocabulary, folder, tmp_path / "found.txt")


def test_show(vocabulary: Path) -> None:
    found = answer("show", vocabulary, "C0033707")
    assert (found["name"], found["types"]) == ("Prothrombin time", ["Test"])
    assert {s["text"] for s in found["synonyms"]} == {"Prothrombin time", "PT", "Protime"}
    assert "Protime" in run("show", vocabulary, "c0033707")
    assert answer("show", vocabulary)["concepts"] == 5
    assert "rows without an id" in run("show", vocabulary)


def test_build_with_a_corpus_counts_its_strings(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "terms.csv").write_text(TERMS)
    answer(
        "build",
        tmp_path / "terms.csv",
        tmp_path / "v",
        "--code-system",
        "UMLS",
        "--terms-from",
        corpus,
    )
    first = answer("suggest", tmp_path / "v", "pt")[0]
    assert (first["id"], first["why"]) == (
        "C0949766",
        'synonym "PT" (B), used in annotations 1 time',
    )


def test_build_of_several_sources_and_by_cross_reference(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,name,xref\n1,Fever,UMLS:C0015967\n2,Cough,\n")
    (tmp_path / "b.tsv").write_text("id\tname\n9\tRash\n")
    both = answer("build", tmp_path / "a.csv", tmp_path / "b.tsv", tmp_path / "both")
    assert (both["concepts"], both["systems"]) == (3, ["a", "b"])
    keyed = answer("build", tmp_path / "a.csv", tmp_path / "keyed", "--id-system", "UMLS")
    assert keyed["systems"] == ["UMLS"]
    assert keyed["exclusions"][0]["count"] == 1
    said = run(
        "build", tmp_path / "a.csv", tmp_path / "keyed", "--id-system", "UMLS", "--overwrite"
    )
    assert "1 concepts" in said
    assert "without a cross-reference" in said.replace("\n", " ")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["build", "nowhere", "x"], "nowhere does not exist"),
        (["build", "hpo", "{v}"], "exists already"),
        (["build", "{dir}/terms.csv", "x", "--column", "id"], "NAME=COLUMN"),
        (["build", "{dir}/terms.csv", "x", "--stemmer", "klingon"], "no language 'klingon'"),
        (["build", "{dir}/terms.csv", "x", "--id-system", "MeSH"], "no cross-reference to 'MeSH'"),
        (["suggest", "{dir}", "fever"], "is not a vocabulary"),
        (["suggest", "{v}", "a" * 10_000], "10000 characters"),
        (["suggest", "{v}", "a", "--semantic-type", "Diseases"], "Did you mean Disease"),
        (["suggest", "{v}", "a", "--context", "nowhere"], "nowhere"),
        (["find", "{v}", "nowhere", "x"], "nowhere does not exist"),
        (["find", "{v}", "{v}", "x"], "is not a corpus and has no .txt files"),
        (["find", "{v}", "{dir}/terms.csv", "{v}"], "exists already"),
        (["find", "{dir}", "{dir}/terms.csv", "x"], "is not a vocabulary"),
        (["show", "{v}", "C0004097"], "Did you mean C0004096"),
    ],
)
def test_mistakes_are_one_sentence_and_leave_nothing(
    vocabulary: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    says: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    given = [word.format(v=vocabulary, dir=tmp_path) for word in words]
    with pytest.raises(AuscultError) as raised:
        CliRunner().invoke(vocab, given, catch_exceptions=False)
    assert says in str(raised.value)
    assert sorted(tmp_path.rglob("*")) == before


def test_every_command_has_an_example_and_json() -> None:
    context = click.Context(vocab)
    for name in vocab.list_commands(context):
        shown = run(name, "--help")
        assert "Example" in shown
        assert "--json" in shown
