"""The table of codes: rows, quotes, findings; and coding notes in one call."""

from __future__ import annotations

from pathlib import Path

import pytest

import auscult
from auscult.core import Annotation, Code, Note, OptionError, Span, Status
from auscult.corpus import Corpus
from auscult.corpus.code_rows import code_rows

_CM = "ICD-10-CM"


def on(value: str, *spans: tuple[int, int], score: float = 0.5, **more: str) -> Annotation:
    placed = tuple(Span(*span) for span in spans)
    return Annotation("m", Code(_CM, value), "c", "n", placed, score, meta=more)


def test_mentions_of_a_code_are_one_row() -> None:
    text = "Type 2 diabetes,  with \n CKD. TYPE 2 diabetes. T2DM."
    rows = code_rows(
        [Note("n", "c", text=text)],
        [
            on("E11.22", (0, 15), (25, 28), score=0.7, why="first"),
            on("E11.22", (30, 45), score=0.7, why="second"),
            on("E11.22", (0, 15), score=0.7, why="first"),
            on("E11.22", (47, 51), score=0.7, why="first"),
            on("I10", score=0.9),
        ],
    )
    assert [row.code.value for row in rows] == ["I10", "E11.22"]
    assert rows[1].evidence == "Type 2 diabetes … CKD | TYPE 2 diabetes | T2DM"
    assert len(rows[1].mentions) == 4
    assert rows[1].why == "first; second"
    assert (rows[0].evidence, rows[0].mentions, rows[0].why) == ("", (), "")
    assert "diabetes" not in repr(rows).lower()
    assert "T2DM" not in repr(rows[1])
    assert "T2DM" not in repr(list(rows))


def test_rows_follow_the_notes_and_then_the_scores() -> None:
    notes = [Note("b", "1", text="x"), Note("a", "2", text="x")]
    given = [
        Annotation("m", Code(_CM, value), chart, note, (), score)
        for value, chart, note, score in [
            ("I10", "2", "a", 0.9), ("J44.9", "1", "b", 0.3), ("E11.9", "1", "b", 0.8),
        ]
    ]  # fmt: skip
    assert [(r.note_id, r.code.value) for r in code_rows(notes, given)] == [
        ("b", "E11.9"), ("b", "J44.9"), ("a", "I10"),
    ]  # fmt: skip


def test_findings_stand_with_the_codes_they_concern() -> None:
    rows = {
        row.code.value: row
        for row in code_rows([], [on("E10.9"), on("E11.9"), on("J45"), on("I10")])
    }
    [conflict] = [one for one in rows["E10.9"].problems if one.rule == "excludes1"]
    assert conflict in rows["E11.9"].problems
    assert not [one for one in rows["I10"].problems if one.rule == "excludes1"]
    assert rows["J45"].billable is False
    assert "not-billable" in {one.rule for one in rows["J45"].problems}
    assert rows["I10"].billable is True
    assert rows["I10"].reminders
    assert set(rows["I10"].reminders).isdisjoint(rows["I10"].problems)
    twice = code_rows([], [on("I10", (0, 1)), on("I10", (2, 3))])
    assert not [one for one in twice[0].findings if one.rule == "duplicate-code"]


def test_charts_are_checked_apart() -> None:
    given = [
        Annotation("m", Code(_CM, "E10.9"), "c1", "n1"),
        Annotation("m", Code(_CM, "E11.9"), "c2", "n2"),
    ]
    rows = code_rows([], given)
    assert not [one for row in rows for one in row.problems if one.rule == "excludes1"]


def test_only_given_codes_are_rows_and_any_system_is_fine() -> None:
    ranked = Annotation("m", Code(_CM, "I10"), "c", "n", (), 0.1, Status.RANKED)
    other = Annotation("m", Code("UMLS", "C0004096"), "c", "n")
    [row] = code_rows([], [ranked, other])
    assert (row.code.system, row.billable, row.score, row.findings) == ("UMLS", None, None, ())


def test_rows_are_a_table() -> None:
    made = code_rows([Note("n", "c", text="COPD")], [on("J44.9", (0, 4), why="COPD → J44.9")])
    [row] = made.to_polars().rows(named=True)
    assert row["note"] == "n"
    assert row["code"] == "J44.9"
    assert row["evidence"] == "COPD"
    assert row["spans"] == "0-4"
    assert row["billable"] is True
    assert code_rows([], []).to_polars().columns == list(row)
    assert "quotes text" in made._repr_html_()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("notes")
    (place / "a.txt").write_text("Admitted with pneumonia. No chest pain.", encoding="utf-8")
    (place / "b.txt").write_text("Nothing of note.", encoding="utf-8")
    return place


def test_a_folder_is_coded_in_one_call(folder: Path) -> None:
    coded = auscult.code_notes(folder)
    [row] = coded.rows
    assert (row.note_id, row.code.value, row.evidence) == ("a", "J18.9", "pneumonia")
    assert coded.without_codes == ("b",)
    assert coded.about["Model"] == "codebook"
    assert coded.about["ICD-10-CM release"] == "2026"
    assert "pneumonia" not in repr(coded)
    none = auscult.code_notes(folder, auscult.load_model("codebook"), threshold=1)
    assert none.without_codes == ("a", "b")
    assert none.about["Threshold"] == "1.00"


def test_a_corpus_is_coded_too(folder: Path, tmp_path: Path) -> None:
    texts = ("Pneumonia.", "Type 2 diabetes mellitus.")
    notes = [Note(f"n{at}", "visit", text=text) for at, text in enumerate(texts)]
    Corpus.of(notes).write(tmp_path / "corpus")
    coded = auscult.code_notes(tmp_path / "corpus")
    assert {(row.chart_id, row.note_id) for row in coded.rows} == {("visit", "n0"), ("visit", "n1")}
    with pytest.raises(OptionError, match=r"is a corpus\. Pass one corpus"):
        auscult.code_notes([tmp_path / "corpus", folder])
