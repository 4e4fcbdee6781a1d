"""The evidence track: what is submitted, how it is checked, and who comes first."""

from __future__ import annotations

import json
import warnings
from dataclasses import replace
from pathlib import Path

import pytest

from auscult.challenge import Challenge, create, release, submit
from auscult.challenge.checking import check_file
from auscult.challenge.errors import ChallengeError
from auscult.challenge.evidence_track import evidence_leaderboard
from auscult.challenge.settings import Track
from auscult.core import Annotation, Code, Note, OptionError, Span
from auscult.corpus import Corpus

FEVER, COUGH = Code("ICD-10-CM", "R50.9"), Code("ICD-10-CM", "R05.9")
TEXT = "High fever 🫀 and a dry cough."
FEVERS, COUGHS = Span(0, 10), Span(19, 28)
"""`High fever` and `dry cough`: the heart is one code point."""


def _said(who: str, chart: str, note: str, code: Code, *spans: Span) -> Annotation:
    return Annotation(who, code, chart, note, spans)


@pytest.fixture
def task(tmp_path: Path) -> Challenge:
    """Two charts to learn from and two to code, of two notes each; a person who is half right."""
    notes = [
        Note(
            f"{chart}-{at}",
            chart,
            text=TEXT,
            split="train" if chart[0] == "t" else "test",
            read_by=("gold",),
        )
        for chart in ("t1", "t2", "d1", "d2")
        for at in (1, 2)
    ]
    said = [
        one
        for chart in ("t1", "t2", "d1", "d2")
        for one in (
            _said("gold", chart, f"{chart}-1", FEVER, FEVERS),
            _said("gold", chart, f"{chart}-2", COUGH, COUGHS),
            _said("ann", chart, f"{chart}-1", FEVER, Span(5, 10)),
        )
    ]
    tracks = ("codes", "evidence")
    return create(
        Corpus.of(notes, said), tmp_path / "task", gold="gold", humans=("ann",), tracks=tracks
    )


HEAD = "document,note,code,begin,end\n"
PERFECT = HEAD + "".join(f"{d},{d}-1,R50.9,0,10\n{d},{d}-2,R05.9,19,28\n" for d in ("d1", "d2"))


def run(tmp_path: Path, text: str, name: str = "run.csv") -> Path:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    return file


def test_evidence_is_ranked_by_its_tokens(task: Challenge, tmp_path: Path) -> None:
    """Eight gold tokens: two words of fever, two of cough, on two charts. By hand."""
    half = HEAD + "".join(f"{d},{d}-1,R50.9,5,10\n{d},{d}-2,R05.9,0,4\n" for d in ("d1", "d2"))
    submit(task, "half", run(tmp_path, half), track=Track.EVIDENCE)
    submit(task, "all", run(tmp_path, PERFECT), track=Track.EVIDENCE)
    found = evidence_leaderboard(task, times=20)
    values = {
        row.name: (row.rank, row.metrics["token_f1"].value, row.metrics["span_f1"].value)
        for row in found.rows
    }
    # half: fever is a hit, High as cough is wrong: TP 2, FP 2, FN 6. ann: TP 2, FP 0, FN 6.
    assert values == {
        "all": (1, 1.0, 1.0),
        "ann": (None, pytest.approx(2 * 2 / (2 * 2 + 0 + 6)), 0.0),
        "half": (2, pytest.approx(2 * 2 / (2 * 2 + 2 + 6)), 0.0),
    }
    assert [row.name for row in found.rows] == ["all", "ann", "half"]
    assert found.gold_spans == 4
    assert task.ledger.entries() == [], "the track of codes has its own attempts"


def test_words_count_before_whole_spans(task: Challenge, tmp_path: Path) -> None:
    """Half the words of all spans are four of eight tokens; one whole span is two."""
    near = HEAD + "".join(f"{d},{d}-1,R50.9,5,10\n{d},{d}-2,R05.9,23,28\n" for d in ("d1", "d2"))
    few = HEAD + "d1,d1-1,R50.9,0,10\nd2,,,,\n"
    for team, text in (("few", few), ("near", near)):
        assert submit(task, team, run(tmp_path, text), track=Track.EVIDENCE).is_accepted
    rows = [row for row in evidence_leaderboard(task, times=0).rows if not row.is_human]
    assert [(row.name, row.rank) for row in rows] == [("near", 1), ("few", 2)]
    values = [[row.metrics[name].value for name in ("token_f1", "span_f1")] for row in rows]
    assert values[0] == pytest.approx([2 * 4 / (2 * 4 + 0 + 4), 0])
    assert values[1] == pytest.approx([2 * 2 / (2 * 2 + 0 + 6), 2 / (2 + 3)])


def test_the_release_is_the_same_whatever_the_evidence_of_test_is(
    task: Challenge, tmp_path: Path
) -> None:
    """And whoever read what: that would tell which documents have no code."""
    train = [one for one in task.corpus.iter_annotations() if one.chart_id[0] == "t"]
    other = _said("gold", "d1", "d1-2", FEVER, Span(0, 4))
    notes = [replace(note, read_by=()) for note in task.corpus.iter_notes()]
    said = [*train, other, Annotation("gold", COUGH, "d2")]
    tracks = ("codes", "evidence")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        twin = create(
            Corpus.of(notes, said), tmp_path / "twin", gold="gold", humans=("ann",),
            tracks=tracks, name="task",
        )  # fmt: skip
    made = []
    for challenge in (task, twin):
        out = tmp_path / f"release of {challenge.path.name}"
        release(challenge, out)
        made.append({f.relative_to(out): f.read_bytes() for f in out.rglob("*") if f.is_file()})
    assert made[0] == made[1]


@pytest.mark.parametrize(
    ("row", "kind", "says"),
    [
        ("d1,d1-1,R50.9,0,99", "wrong span", "not in the 29 characters of note 'd1-1'"),
        ("d1,d1-1,R50.9,5,5", "wrong span", "the end is exclusive"),
        ("d1,d2-1,R50.9,0,4", "wrong span", "the document has 'd1-1', 'd1-2'"),
        ("d1,,R50.9,0,4", "wrong span", "names no note"),
        ("d1,d1-1,R50.9,0,x", "wrong shape", "two whole numbers"),
        ("d1,d1-1,Z99.9,0,4", "code outside the label set", "Z99.9"),
    ],
)
def test_a_wrong_span_is_told_and_costs_nothing(
    row: str, kind: str, says: str, task: Challenge, tmp_path: Path
) -> None:
    receipt = submit(task, "X", run(tmp_path, PERFECT + row + "\n"), track=Track.EVIDENCE)
    assert (receipt.is_accepted, receipt.left) == (False, 5)
    (problem,) = [one for one in receipt.problems if one.is_error]
    assert (problem.kind.value, problem.row) == (kind, 6)
    assert says in problem.says


def test_codes_alone_are_no_evidence(task: Challenge, tmp_path: Path) -> None:
    bare = run(tmp_path, "document,code\nd1,R50.9\nd2,R50.9\n")
    assert submit(task, "X", bare).is_accepted
    receipt = submit(task, "X", bare, track=Track.EVIDENCE)
    assert not receipt.is_accepted
    assert "none of its codes has an evidence span" in " ".join(
        one.says for one in receipt.problems
    )


def test_one_way_of_writing_is_as_good_as_another(task: Challenge, tmp_path: Path) -> None:
    """CSV, JSON, and a corpus as `auscult predict` leaves it."""
    answers = {
        d: [
            {"code": "R50.9", "note": f"{d}-1", "spans": [[0, 10]]},
            {"code": "R05.9", "note": f"{d}-2", "spans": [[19, 28]]},
        ]
        for d in ("d1", "d2")
    }
    notes = list(task.corpus.select(splits=["test"]).iter_notes())
    said = [
        one
        for d in ("d1", "d2")
        for one in (
            _said("model", d, f"{d}-1", FEVER, FEVERS),
            _said("model", d, f"{d}-2", COUGH, COUGHS),
        )
    ]
    Corpus.of(notes, said).write(tmp_path / "predicted")
    sent = {
        "table": run(tmp_path, PERFECT),
        "json": run(tmp_path, json.dumps(answers), "run.json"),
        "corpus": tmp_path / "predicted",
    }
    for team, file in sent.items():
        receipt = submit(task, team, file, track=Track.EVIDENCE)
        assert (receipt.is_accepted, receipt.problems) == (True, ()), team
    rows = evidence_leaderboard(task, times=0).rows
    assert {row.name for row in rows if row.metrics["span_f1"].value == 1} == set(sent)


def test_a_team_checks_its_evidence_against_the_release(task: Challenge, tmp_path: Path) -> None:
    """The same problems as at submission, and the notes' own text to count in."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        release(task, tmp_path / "out")
    lines = (tmp_path / "out" / "test" / "notes.jsonl").read_text().splitlines()
    assert {json.loads(line)["text"] for line in lines} == {TEXT}
    assert "read_by" not in "".join(lines), "it would tell which documents have no code"
    given = tmp_path / "out" / "test" / "annotations.jsonl"
    assert not given.exists() or given.read_text() == ""
    for text in (PERFECT, PERFECT + "d1,d1-1,R50.9,0,99\n", HEAD + "d1,d1-1,R50.9,0,10\n"):
        file = run(tmp_path, text)
        checked = check_file(tmp_path / "out", file, track=Track.EVIDENCE)
        assert checked.problems == submit(task, "X", file, track=Track.EVIDENCE).problems
    example = tmp_path / "out" / "examples" / "evidence.csv"
    assert check_file(tmp_path / "out", example, track=Track.EVIDENCE).is_valid


def test_a_track_that_is_not_there(task: Challenge, tmp_path: Path) -> None:
    said = [Annotation("gold", FEVER, name, name) for name in ("a", "b")]
    notes = [Note("a", "a", text=TEXT, split="train"), Note("b", "b", text=TEXT, split="test")]
    whole = Corpus.of(notes, said)
    with pytest.raises(OptionError, match="gold marked no evidence in test"):
        create(whole, tmp_path / "none", gold="gold", tracks=("codes", "evidence"))
    plain = create(whole, tmp_path / "plain", gold="gold")
    with pytest.raises(OptionError, match="plain has no track evidence; it has codes"):
        submit(plain, "X", run(tmp_path, PERFECT), track=Track.EVIDENCE)
    release(plain, tmp_path / "out")
    with pytest.raises(OptionError, match="no track evidence"):
        check_file(tmp_path / "out", run(tmp_path, PERFECT), track=Track.EVIDENCE)
    assert evidence_leaderboard(task, times=0).rows[0].is_human
    (tmp_path / "out" / "codes.csv").write_text("code,system\nX,Y\n")
    with pytest.raises(ChallengeError, match="is not as released"):
        check_file(tmp_path / "out", run(tmp_path, PERFECT))
