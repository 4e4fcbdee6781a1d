"""`auscult agree`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from auscult.cli.main import auscult
from auscult.core import Annotation, AuscultError, Code, Note, Span
from auscult.corpus import Corpus

TEXT = "Fever, no cough. Chest pain since Monday."
FEVER, PAIN, HEART = (Code("ICD-10-CM", value) for value in ("R50.9", "R07.9", "I20.9"))


def say(who: str, at: int, code: Code, begin: int, end: int) -> Annotation:
    return Annotation(who, code, f"c{at}", f"n{at}", (Span(begin, end),))


@pytest.fixture
def coded(tmp_path: Path) -> Path:
    """Ann and bob agree on fever, and half of the time on what chest pain is; cat codes fever."""
    given = []
    for at in range(8):
        given += [say(who, at, FEVER, 0, 5) for who in ("ann", "bob", "cat")]
        given.append(say("ann", at, PAIN, 17, 27))
        given.append(say("bob", at, PAIN if at % 2 else HEART, 17, 27))
    notes = [
        Note(f"n{at}", f"c{at}", text=TEXT, split="test" if at < 4 else "train", category="ECG")
        for at in range(8)
    ]
    Corpus.of(notes, given).described(name="eight notes").write(tmp_path / "coded")
    return tmp_path / "coded"


def answer(*words: object) -> dict[str, Any]:
    done = CliRunner().invoke(
        auscult, ["agree", *map(str, words), "--json"], catch_exceptions=False
    )
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)  # type: ignore[no-any-return]  # the command prints an object


def test_json(coded: Path) -> None:
    found = answer(coded, "--annotators", "ann,bob,cat", "--bootstrap", "100")
    for key in ("alpha_nominal", "alpha_jaccard", "alpha_masi", "fleiss_kappa"):
        assert isinstance(found[key], float)
    # fever, of fever and one more: 1/2; with both the same 1; with different ones 1/3
    assert found["hooper_mean"] == pytest.approx((4 * 1 + 4 / 3 + 16 / 2) / 24)
    assert found["hooper_pooled"] == pytest.approx((4 * 2 + 4 + 16) / (4 * 2 + 4 * 3 + 16 * 2))
    pairs = {tuple(pair["annotators"]): pair for pair in found["pairs"]}
    assert set(pairs) == {("ann", "bob"), ("ann", "cat"), ("bob", "cat")}
    assert pairs["ann", "bob"]["hooper_mean"] == pytest.approx((4 + 4 / 3) / 8)
    assert pairs["ann", "bob"]["span_jaccard"] == 1.0
    assert pairs["ann", "bob"]["shared_code"] == pytest.approx(12 / 16)
    assert pairs["ann", "cat"]["span_jaccard"] == 0.5
    begin, end = found["intervals"]["hooper_mean"]
    assert begin <= found["hooper_mean"] <= end
    assert found["causes"]["code"] == 4
    assert found["causes"]["symptom"] == 4
    assert (found["charts"], found["units"], found["unit"]) == (8, 8, "note")
    chest = next(code for code in found["codes"] if code["code"] == "R07.9")
    assert chest["given"] == {"ann": 8, "bob": 4, "cat": 0}
    assert chest["instead"] == {"ICD-10-CM I20.9": 4}
    about = found["about"]
    assert (about["bootstrap"], about["seed"], about["unit"], about["charts"]) == (
        100,
        0,
        "note",
        "annotated",
    )
    assert about["annotators"] == ["ann", "bob", "cat"]
    assert len(about["digest"]) == 64
    [confused] = [one for one in found["frequent"] if one["cause"] == "code"]
    assert confused["count"] == 4
    assert {one["code"]: one["given"] for one in confused["codes"]} == {
        "R07.9": {"ann": 4, "bob": 0, "cat": 0},
        "I20.9": {"ann": 0, "bob": 4, "cat": 0},
    }


def test_units(coded: Path) -> None:
    spans = answer(coded, "--annotators", "ann,bob", "--unit", "span", "--bootstrap", "0")
    assert spans["units"] == 16
    assert spans["code_f1"] == pytest.approx(12 / 16)
    tokens = answer(coded, "--annotators", "ann,bob", "--unit", "token", "--bootstrap", "0")
    assert (tokens["units"], tokens["blank_units"]) == (56, 32)
    assert tokens["intervals"] == {}
    marked = ["--annotators", "ann,bob", "--unit", "token", "--exclude-empty", "--bootstrap", "0"]
    assert answer(coded, *marked)["units"] == 24
    charts = answer(coded, "--annotators", "ann,bob", "--unit", "chart", "--bootstrap", "0")
    assert charts["hooper_mean"] == pytest.approx((4 + 4 / 3) / 8)


def test_parts(coded: Path) -> None:
    words = [coded, "--annotators", "ann,bob", "--bootstrap", "0"]
    assert answer(*words, "--split", "test")["charts"] == 4
    assert answer(*words, "--category", "ECG", "--system", "ICD-10-CM")["charts"] == 8


def test_for_people_and_as_a_page(coded: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    words = ["agree", str(coded), "--annotators", "ann,bob,cat", "--report", str(page)]
    done = CliRunner().invoke(auscult, words)
    assert done.exit_code == 0, done.output
    for part in ("alpha_masi", "hooper_pooled", "Most frequent", "ann × bob", "symptom"):
        assert part in done.stdout
    written = page.read_text()
    assert written.count("<svg") >= 4  # the mark and three matrices
    for part in (
        "Inter-annotator agreement: eight notes",
        "R07.9",
        "Chest pain, unspecified",
        "I20.9 (4)",
    ):
        assert part in written
    assert "Monday" not in written
    row = written[written.index("Most frequent disagreements") :]
    row = row[row.index("I20.9") :].partition("</tr>")[0]
    assert re.findall(r'<td class="n">(\d+)</td>', row) == ["0", "4", "0"]
    assert 'href=""' not in written
    assert "95% confidence intervals" in written
    assert "Restricted to" not in written
    assert "<b>resamples</b> 1,000" in written
    assert "<b>seed</b> 0" in written
    again = CliRunner().invoke(auscult, words)
    assert isinstance(again.exception, AuscultError)
    assert CliRunner().invoke(auscult, [*words, "--overwrite"]).exit_code == 0


def test_the_page_says_what_part_it_is_of(coded: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    part = ("--split", "test", "--category", "ECG", "--system", "ICD-10-CM")
    words = (coded, "--annotators", "ann,bob", *part, "--exclude-empty", "--bootstrap", "0")
    answer(*words, "--seed", "7", "--report", page)
    written = page.read_text()
    said = "Restricted to split test, note category ECG, code system ICD-10-CM."
    assert said in written
    assert "Intervals" not in written
    for part_of_footer in (
        "<b>split</b> test",
        "<b>note category</b> ECG",
        "<b>units without codes</b> left out",
        "<b>charts</b> annotated",
        "<b>resamples</b> 0",
        "<b>seed</b> 7",
    ):
        assert part_of_footer in written


def test_two_annotators_have_cohens_kappa(coded: Path) -> None:
    done = CliRunner().invoke(auscult, ["agree", str(coded), "--annotators", "ann,bob"])
    assert done.exit_code == 0, done.output
    [pair] = answer(coded, "--annotators", "ann,bob")["pairs"]
    rows = {words[0]: words[1] for line in done.stdout.splitlines() if (words := line.split())[1:]}
    assert rows["cohen_kappa"] == f"{pair['cohen_kappa']:.3f}"
    assert rows["cohen_kappa_pooled"] == f"{pair['cohen_kappa_pooled']:.3f}"
    assert "Pairs" not in done.stdout


@pytest.mark.filterwarnings("ignore:.*not read")
def test_rows_that_only_pairs_have(tmp_path: Path) -> None:
    """Of all three the code of the whole set is the same; of one pair there is something to say."""
    given = [say(who, 0, FEVER, 0, 5) for who in ("ann", "bob")]
    given += [say(who, 1, FEVER, 0, 5) for who in ("bob", "cat")]
    given += [say(who, 2, PAIN, 17, 27) for who in ("bob", "cat")]
    Corpus.of([Note(f"n{at}", f"c{at}", text=TEXT) for at in range(3)], given).write(
        tmp_path / "turns"
    )
    done = CliRunner().invoke(
        auscult, ["agree", str(tmp_path / "turns"), "--annotators", "ann,bob,cat"]
    )
    assert done.exit_code == 0, done.output
    pairs = done.stdout[done.stdout.index("Pairs") :].splitlines()
    [unitized] = [line.split() for line in pairs if line.startswith("alpha_unitized")]
    assert unitized[1:] == ["1.000", "–", "1.000"]
    [kappa] = [line.split() for line in pairs if line.startswith("cohen_kappa ")]
    assert kappa[1:] == ["–", "–", "1.000"]


def test_who_gave_what_is_told(coded: Path) -> None:
    done = CliRunner().invoke(auscult, ["agree", str(coded), "--annotators", "ann,bob,cat"])
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "4 code ICD-10-CM I20.9 ann 0, bob 4, cat 0" in lines
    assert "ICD-10-CM R07.9 ann 4, bob 0, cat 0" in lines


def test_one_chart(tmp_path: Path) -> None:
    given = [Annotation("ann", FEVER, "c"), Annotation("bob", FEVER, "c", "n")]
    Corpus.of([Note("n", "c")], given).write(tmp_path / "one")
    page = tmp_path / "page.html"
    words = ["agree", str(tmp_path / "one"), "--annotators", "ann,bob", "--report", str(page)]
    done = CliRunner().invoke(auscult, words)
    assert done.exit_code == 0, (done.output, done.exception)
    assert "2 annotators, 1 chart, 2 units" in done.stdout
    assert "1 disagreement by cause" in done.stdout
    assert "1 chart, 2 units" in page.read_text()


def test_no_disagreement_and_codes_without_spans(tmp_path: Path) -> None:
    given = [Annotation(who, FEVER, "c", "n") for who in ("ann", "bob")]
    Corpus.of([Note("n", "c")], given).write(tmp_path / "same")
    words = ["agree", str(tmp_path / "same"), "--annotators", "ann,bob"]
    done = CliRunner().invoke(auscult, [*words, "--report", str(tmp_path / "page.html")])
    assert done.exit_code == 0, done.output
    assert "No disagreements." in done.stdout
    assert "undefined: alpha_nominal" in done.stdout
    found = answer(*words[1:])
    assert found["alpha_masi"] is None
    assert "so the expected disagreement is 0" in found["undefined"]["alpha_masi"]
    assert found["hooper_mean"] == 1.0


def test_mistakes(coded: Path, tmp_path: Path) -> None:
    given = [say("ann", 0, FEVER, 0, 5), say("bob", 1, FEVER, 0, 5)]
    Corpus.of([], given).write(tmp_path / "apart")
    for words, says in (
        ([coded], "The corpus has annotations by ann, bob, cat"),
        ([coded, "--annotators", "ann"], "needs at least two annotators; got ann."),
        ([coded, "--annotators", "ann,bobb"], "Did you mean bob"),
        ([coded, "--annotators", "ann,bob", "--split", "tset"], "Did you mean test"),
        ([coded, "--annotators", "ann,bob", "--system", "ICD10"], "ICD-10-CM"),
        ([tmp_path / "apart", "--annotators", "ann,bob"], "no chart in common"),
        ([tmp_path / "nowhere", "--annotators", "ann,bob"], "does not exist"),
    ):
        done = CliRunner().invoke(auscult, ["agree", *map(str, words)])
        assert isinstance(done.exception, AuscultError), (words, done.output)
        assert says in str(done.exception)
