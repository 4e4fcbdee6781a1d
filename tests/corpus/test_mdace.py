"""MDACE's chart files, read and written."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.corpus import mdace_charts

from auscult.core import Annotation, Code, FormatError, Note, Offsets, OffsetUnit, OptionError, Span
from auscult.corpus import Corpus
from auscult.corpus.compare import differences
from auscult.corpus.formats import read, write


def test_a_note_in_several_files_is_one_note(tmp_path: Path) -> None:
    corpus = read("mdace", mdace_charts.tree(tmp_path))
    notes = list(corpus.iter_notes())
    assert [(n.note_id, n.chart_id, n.category, n.text) for n in notes] == [
        ("1", "70", "Physician", None),
        ("2", "70", "Physician", None),
    ]
    assert all(n.meta == {"description": "Report", "chart_comment": "Seen"} for n in notes)
    counted = Counter((a.annotator, str(a.code), a.spans[0]) for a in corpus.iter_annotations())
    assert counted == {
        ("inpatient", "ICD-10-CM I10", Span(15, 27)): 1,
        ("inpatient", "ICD-9-CM 401.9", Span(15, 27)): 1,
        ("profee", "ICD-10-CM I10", Span(15, 27)): 1,
        # Two codes may map to one: what a file says twice is there twice.
        ("profee", "ICD-9-CM 401.9", Span(15, 27)): 2,
        # What the two revisions say alike is said once.
        ("profee", "CPT 99291", Span(0, 8)): 1,
    }
    mapped = next(a for a in corpus.iter_annotations() if a.code.system == "ICD-9-CM")
    assert mapped.meta == {"description": "What 401.9 is", "type": "MapType.APPROX"}


@pytest.mark.parametrize(
    ("folder", "options", "annotator"),
    [
        ("Inpatient/ICD-10", {}, "inpatient"),
        ("Profee/ICD-10/1.0/70-ICD-10.json", {}, "profee"),
        ("Profee", {"annotator": "me"}, "me"),
    ],
)
def test_the_folder_names_the_annotator(
    tmp_path: Path, folder: str, options: dict[str, str], annotator: str
) -> None:
    corpus = read("mdace", mdace_charts.tree(tmp_path) / folder, **options)
    assert {a.annotator for a in corpus.iter_annotations()} == {annotator}


def test_without_such_a_folder_the_annotator_is_gold(tmp_path: Path) -> None:
    path = mdace_charts.chart(
        tmp_path / "70.json", 70, mdace_charts.note(1, mdace_charts.row(0, 3, "I10", "ICD-10-CM"))
    )
    assert {a.annotator for a in read("mdace", path).iter_annotations()} == {"gold"}


def test_unknown_options_are_errors(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="splitting"):
        read("mdace", mdace_charts.tree(tmp_path), splitting="other")


def test_the_official_scripts_text_is_checked(tmp_path: Path) -> None:
    fits = {**mdace_charts.row(15, 27, "I10", "ICD-10-CM"), "covered_text": "hypertension"}
    differs = {**mdace_charts.row(15, 27, "I15.9", "ICD-10-CM"), "covered_text": "hypotension"}
    source = mdace_charts.chart(
        tmp_path / "70.json", 70, mdace_charts.note(1, fits, differs, text=mdace_charts.TEXT)
    )
    corpus = read("mdace", source)
    assert [note.text for note in corpus.iter_notes()] == [mdace_charts.TEXT]
    assert [a.meta.get("quote") for a in corpus.iter_annotations()] == [None, "hypotension"]
    assert write("mdace", corpus, tmp_path / "out") == []
    assert differences(corpus, read("mdace", tmp_path / "out")) == []


@pytest.mark.parametrize("unit", [OffsetUnit.UTF16, OffsetUnit.UTF8])
def test_other_units_are_read_when_the_text_is_there(tmp_path: Path, unit: OffsetUnit) -> None:
    begin = mdace_charts.TEXT.index("sepsis")
    ends = Offsets(mdace_charts.TEXT, unit).span_from_codepoint(Span(begin, begin + 6))
    row = mdace_charts.row(*ends, "A41.9", "ICD-10-CM")
    source = mdace_charts.chart(
        tmp_path / "70.json", 70, mdace_charts.note(1, row, text=mdace_charts.TEXT)
    )
    (annotation,) = read("mdace", source, offsets=unit).iter_annotations()
    assert annotation.spans[0].of(mdace_charts.TEXT) == "sepsis"
    mdace_charts.chart(source, 70, mdace_charts.note(1, row))
    with pytest.raises(FormatError, match=r"70\.json: note '1', annotation 1: .* need the text"):
        read("mdace", source, offsets=unit)


def test_what_is_written_has_the_official_keys_and_numbers(tmp_path: Path) -> None:
    corpus = read("mdace", mdace_charts.tree(tmp_path / "data"))
    assert write("mdace", corpus, tmp_path / "out", suffix="both") == []
    files = sorted(
        path.relative_to(tmp_path / "out") for path in (tmp_path / "out").rglob("*.json")
    )
    assert list(map(str, files)) == ["Inpatient/70-both.json", "Profee/70-both.json"]
    chart = json.loads((tmp_path / "out" / "Inpatient" / "70-both.json").read_text())
    rows = [
        mdace_charts.row(15, 27, "I10", "ICD-10-CM"),
        mdace_charts.row(15, 27, "401.9", "ICD-9-CM", "MapType.APPROX"),
    ]
    # The official scripts pass the keys on to constructors, so another key would stop them.
    assert chart == {
        "hadm_id": 70,
        "comment": "Seen",
        "notes": [mdace_charts.note(1, *rows)],
    }
    profee = json.loads((tmp_path / "out" / "Profee" / "70-both.json").read_text())
    assert profee["notes"][1] == mdace_charts.note(2)  # read by that one, without a code
    assert differences(corpus, read("mdace", tmp_path / "out")) == []


def test_into_a_folder_that_names_the_annotator_it_is_written_flat(tmp_path: Path) -> None:
    corpus = read("mdace", mdace_charts.tree(tmp_path / "data") / "Inpatient" / "ICD-9")
    target = tmp_path / "out" / "Inpatient" / "ICD-9"
    assert write("mdace", corpus, target) == []
    assert [path.name for path in target.iterdir()] == ["70-ICD-9.json"]
    assert differences(corpus, read("mdace", target)) == []


def test_notes_without_annotations_survive_and_charts_without_notes_are_counted(
    tmp_path: Path,
) -> None:
    source = tmp_path / "data"
    mdace_charts.chart(source / "70.json", 70, mdace_charts.note(1), comment="nothing found")
    mdace_charts.chart(source / "71.json", 71)
    with pytest.warns(UserWarning, match="1 charts have no notes"):
        corpus = read("mdace", source)
    assert [note.chart_id for note in corpus.iter_notes()] == ["70"]
    assert write("mdace", corpus, tmp_path / "out") == []
    assert differences(corpus, read("mdace", tmp_path / "out")) == []


def test_keys_that_are_not_read_are_named(tmp_path: Path) -> None:
    source = mdace_charts.chart(tmp_path / "70.json", 70, mdace_charts.note(1, sections=[]))
    with pytest.warns(UserWarning, match="ignored the keys 'sections'"):
        read("mdace", source)


def test_what_the_files_cannot_hold_is_said(tmp_path: Path) -> None:
    code = Code("ICD-10-CM", "I10")
    corpus = Corpus.of(
        [
            Note("1", "70/a", "p", "Report", "2001", "Fever", "dev", {"chart_comment": "x"}),
            Note("2", "70/a", meta={"ward": "7"}),
        ],
        [
            Annotation("me", code, "70/a", "1", (Span(0, 2), Span(3, 5)), 0.5),
            Annotation("me", code, "70/a", "1", (Span(3, 9),), meta={"why": "because"}),
            Annotation("gold", code, "70/a", "1"),
            Annotation("gold", code, "70/a"),
        ],
    )
    losses = {str(loss) for loss in write("mdace", corpus, tmp_path / "out")}
    assert losses == {
        "1 annotations on a whole chart (note_id is null): left out",
        "2 annotations by the annotator me: "
        "the annotator is left out, so they read back as by gold",
        "1 notes with a subject_id: the subject_id is left out",
        "1 notes with a time: the time is left out",
        "1 notes with a split: the split is left out",
        "1 notes with meta 'ward': the meta is left out",
        "1 charts whose notes differ in their chart_comment (meta): all get the first one",
        "1 annotations with a score: the score is left out",
        "1 annotations with discontinuous spans: each span becomes an annotation of its own",
        "1 annotations with spans past the end of the note: left out",
        "1 annotations with meta 'why': the meta is left out",
        "1 annotations without spans: left out",
        "1 notes without readers (read_by): read back as read by gold",
    }
    back = read("mdace", tmp_path / "out")
    assert [(n.note_id, n.chart_id) for n in back.iter_notes()] == [("1", "70/a"), ("2", "70/a")]
    assert [a.spans for a in back.iter_annotations()] == [(Span(0, 2),), (Span(3, 5),)]


def _change(*path: str | int, to: object) -> Callable[[Any], Any]:
    def change(chart: Any) -> Any:
        inner = chart
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = to
        return chart

    return change


_ANNOTATION = ("notes", 0, "annotations", 0)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda _: [], "must be a JSON object, not a list"),
        (lambda _: None, "must be a JSON object, not null"),
        (_change("hadm_id", to=None), "hadm_id of the chart must be"),
        (_change("hadm_id", to=True), "hadm_id of the chart must be"),
        (_change("hadm_id", to=1.5), "hadm_id of the chart must be"),
        (_change("comment", to=5), "comment of the chart must be a string"),
        (_change("notes", to={}), "notes of the chart must be a list"),
        (_change("notes", 0, to="note"), "note number 1 must be a JSON object"),
        (_change("notes", 0, "note_id", to=[]), "note_id of note number 1"),
        (_change("notes", 0, "category", to=3), "category of note '1' must be a string"),
        (_change("notes", 0, "text", to=3), "text of note '1' must be a string"),
        (_change("notes", 0, "annotations", to=None), "annotations of note '1' must be a list"),
        (_change("notes", 0, "text", to="MARKER"), "end 27 is past the note's 6 characters"),
        (
            _change("notes", to=[mdace_charts.note(1), mdace_charts.note(1)]),
            "note '1' appears twice",
        ),
        (_change(*_ANNOTATION, to=1), "note '1', annotation 1 must be a JSON object"),
        (
            _change(*_ANNOTATION, "begin", to="15"),
            "begin of note '1', annotation 1 must be an integer",
        ),
        (_change(*_ANNOTATION, "begin", to=-1), "begin of note '1', annotation 1 is -1"),
        (_change(*_ANNOTATION, "begin", to=28), "begin 28 is after end 27"),
        (_change(*_ANNOTATION, "end", to=2.5), "end of note '1', annotation 1 must be an integer"),
        (_change(*_ANNOTATION, "end", to=10**30), "which is not a valid offset"),
        (_change(*_ANNOTATION, "code", to=""), "needs a code and a code_system"),
        (_change(*_ANNOTATION, "code_system", to=None), "needs a code and a code_system"),
        (_change(*_ANNOTATION, "type", to=[]), "type of note '1', annotation 1 must be a string"),
    ],
)
def test_wrong_values_are_errors_with_file_and_place(
    tmp_path: Path, change: Callable[[Any], Any], problem: str
) -> None:
    path = mdace_charts.chart(
        tmp_path / "70.json", 70, mdace_charts.note(1, mdace_charts.row(15, 27, "I10", "ICD-10-CM"))
    )
    path.write_text(json.dumps(change(json.loads(path.read_text()))))
    with pytest.raises(FormatError) as caught:
        read("mdace", tmp_path)
    assert problem in caught.value.problem
    assert caught.value.file == path
    assert "MARKER" not in str(caught.value)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b'{"hadm_id": 70, "notes": [{',
        b'{"hadm_id": 70, "notes": []} []',
        b'{"hadm_id": "\xff", "notes": []}',
        b'{"hadm_id": "\\ud800", "notes": []}',
        b'{"hadm_id": 70\0, "notes": []}',
        b'{"hadm_id": ' + b"7" * 10_000 + b', "notes": []}',
        b'{"hadm_id": 70, "notes": ' + b"[" * 100_000,
    ],
    ids=["empty", "truncated", "more", "bytes", "surrogate", "NUL", "number", "deep"],
)
def test_files_that_are_not_json_are_errors(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "70.json").write_bytes(raw)
    with pytest.raises(FormatError, match=r"70\.json"):
        read("mdace", tmp_path)


def test_files_that_contradict_each_other_are_errors(tmp_path: Path) -> None:
    mdace_charts.chart(tmp_path / "a.json", 70, mdace_charts.note(1, text="one MARKER"))
    mdace_charts.chart(tmp_path / "b.json", 71, mdace_charts.note(1))
    with pytest.raises(FormatError, match=r"b\.json: note '1' belongs to chart '70'"):
        read("mdace", tmp_path)
    mdace_charts.chart(tmp_path / "b.json", 70, mdace_charts.note(1, text="two MARKER"))
    with pytest.raises(FormatError, match=r"b\.json: note '1' has a different text") as caught:
        read("mdace", tmp_path)
    assert "MARKER" not in str(caught.value)


def test_a_folder_without_charts_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"no \*\.json"):
        read("mdace", tmp_path)


def test_no_notes_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="no notes"):
        write("mdace", Corpus.of(), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


_WORDS = st.text('aé🫀\u0301 \r\n\0"\\\ufeff', max_size=15)
_META = st.fixed_dictionaries({}, optional={"description": _WORDS, "type": _WORDS})


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.none() | _WORDS, st.none() | _WORDS, st.integers(0, 2)),
        min_size=1,
        max_size=4,
    ),
    st.data(),
)
def test_made_up_charts_come_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory,
    made: list[tuple[str | None, str | None, int]],
    data: st.DataObject,
) -> None:
    notes, annotations = [], []
    who = st.sampled_from(["gold", "inpatient", "profee"])
    for i, (text, category, chart) in enumerate(made):
        note = Note(f"{i:02}", str(chart), category=category, text=text)
        notes.append(note)
        edge = st.integers(0, 40 if text is None else len(text))
        for a, b, annotator, meta in data.draw(
            st.lists(st.tuples(edge, edge, who, _META), max_size=4)
        ):
            span = Span(min(a, b), max(a, b))
            code = Code("ICD-10-CM", "I10")
            annotations.append(
                Annotation(annotator, code, note.chart_id, note.note_id, (span,), meta=meta)
            )
    corpus = Corpus.of(notes, annotations)
    target = tmp_path_factory.mktemp("mdace") / "out"
    # A note that a chart lists without an annotation was read by whoever annotated the others.
    assert {loss.column for loss in write("mdace", corpus, target)} <= {"notes.read_by"}
    assert differences(corpus, read("mdace", target), ignore=["read_by"]) == []
