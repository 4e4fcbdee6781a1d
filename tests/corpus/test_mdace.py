"""MDACE's chart files, with the text and the splits that come from elsewhere."""

from __future__ import annotations

import csv
import json
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auscult.core import Annotation, Code, FormatError, Note, Offsets, OptionError, Span, Unit
from auscult.corpus import Corpus
from auscult.corpus.compare import differences
from auscult.corpus.formats import read, write
from auscult.corpus.formats.shared.files import create_text

TEXT = "Admitted with\r\nhypertension 🫀 and sepsis."
HEADER = (
    *("ROW_ID", "SUBJECT_ID", "HADM_ID", "CHARTDATE", "CHARTTIME", "STORETIME"),
    *("CATEGORY", "DESCRIPTION", "CGID", "ISERROR", "TEXT"),
)


def _row(begin: int, end: int, code: str, system: str, kind: str = "Human") -> dict[str, Any]:
    return {
        "begin": begin,
        "end": end,
        "code": code,
        "code_system": system,
        "description": f"What {code} is",
        "type": kind,
    }


def _note(note_id: int, *rows: dict[str, Any], **more: Any) -> dict[str, Any]:
    entry = {"note_id": note_id, "category": "Physician", "description": "Report"}
    return {**entry, "annotations": list(rows), **more}


def _chart(path: Path, hadm_id: int, *notes: dict[str, Any], comment: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    chart = {"hadm_id": hadm_id, "comment": comment, "notes": list(notes)}
    path.write_text(json.dumps(chart) + "\n")
    return path


def _tree(root: Path) -> Path:
    """A chart in both revisions and both practices, as published."""
    hypertension = _row(15, 27, "I10", "ICD-10-CM")
    mapped = _row(15, 27, "401.9", "ICD-9-CM", "MapType.APPROX")
    visit = _row(0, 8, "99291", "CPT")
    inpatient, profee = root / "Inpatient", root / "Profee"
    seen = "Seen"
    _chart(inpatient / "ICD-10/1.0/70-ICD-10.json", 70, _note(1, hypertension), comment=seen)
    _chart(inpatient / "ICD-9/1.0/70-ICD-9.json", 70, _note(1, mapped), comment=seen)
    _chart(profee / "ICD-10/1.0/70-ICD-10.json", 70, _note(1, hypertension, visit), _note(2))
    _chart(profee / "ICD-9/1.0/70-ICD-9.json", 70, _note(1, mapped, mapped, visit), _note(2))
    return root


def _noteevents(path: Path, *rows: tuple[Any, ...]) -> Path:
    """A NOTEEVENTS file of (ROW_ID, HADM_ID, CHARTTIME, TEXT)."""
    with create_text(path) as file:
        writer = csv.writer(file, quoting=csv.QUOTE_NONNUMERIC)
        writer.writerow(HEADER)
        for row_id, hadm_id, time, text in rows:
            day = "2101-10-20"
            fields = [row_id, 7, hadm_id, day, time, None, "Physician ", "Report", None, None, text]
            writer.writerow(["" if field is None else field for field in fields])
    return path


def test_a_note_in_several_files_is_one_note(tmp_path: Path) -> None:
    corpus = read("mdace", _tree(tmp_path))
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
    corpus = read("mdace", _tree(tmp_path) / folder, **options)
    assert {a.annotator for a in corpus.iter_annotations()} == {annotator}


def test_without_such_a_folder_the_annotator_is_gold(tmp_path: Path) -> None:
    path = _chart(tmp_path / "70.json", 70, _note(1, _row(0, 3, "I10", "ICD-10-CM")))
    assert {a.annotator for a in read("mdace", path).iter_annotations()} == {"gold"}


@pytest.mark.parametrize("name", ["NOTEEVENTS.csv", "noteevents.csv.gz"])
def test_text_comes_from_noteevents_to_the_character(tmp_path: Path, name: str) -> None:
    source = _tree(tmp_path / "data")
    table = _noteevents(
        tmp_path / name,
        (2, 70, None, 'Other "note"\n'),
        (9, 71, None, "of no chart here"),
        (1, 70, "2101-10-20 19:08:00", TEXT),
    )
    for given_as in (table, tmp_path):
        corpus = read("mdace", source, noteevents=given_as)
        first, second = corpus.iter_notes()
        assert (first.text, second.text) == (TEXT, 'Other "note"\n')
        assert (first.subject_id, first.time) == ("7", "2101-10-20T19:08:00")
        assert second.time == "2101-10-20"
        covered = {a.code.value: a.spans[0].of(TEXT) for a in corpus.iter_annotations()}
        assert covered == {"I10": "hypertension", "401.9": "hypertension", "99291": "Admitted"}


def test_noteevents_fills_in_a_missing_category(tmp_path: Path) -> None:
    source = _chart(tmp_path / "70.json", 70, _note(1, category=None))
    table = _noteevents(tmp_path / "NOTEEVENTS.csv", (1, 70, None, TEXT))
    (note,) = read("mdace", source, noteevents=table).iter_notes()
    assert note.category == "Physician"


def test_notes_that_noteevents_lacks_are_counted(tmp_path: Path) -> None:
    source = _tree(tmp_path / "data")
    table = _noteevents(tmp_path / "NOTEEVENTS.csv", (1, 70, None, TEXT))
    with pytest.warns(UserWarning, match="1 of 2 notes are not there"):
        corpus = read("mdace", source, noteevents=table)
    assert [note.text for note in corpus.iter_notes()] == [TEXT, None]


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([(5, 70, None, TEXT)], "none of the 2 notes is there"),
        ([(1, 71, None, TEXT), (2, 70, None, "")], "belongs to admission '71', in MDACE to '70'"),
        ([(1, 70, None, TEXT), (1, 70, None, TEXT)], "ROW_ID '1' is there twice"),
        (
            [(1, 70, None, "short MARKER"), (2, 70, None, "")],
            r"70-ICD-10\.json: note '1', annotation 1: end 27 is past the note's 12 characters",
        ),
    ],
)
def test_noteevents_that_do_not_fit_are_errors(
    tmp_path: Path, rows: list[tuple[Any, ...]], problem: str
) -> None:
    source = _tree(tmp_path / "data")
    table = _noteevents(tmp_path / "NOTEEVENTS.csv", *rows)
    with pytest.raises(FormatError, match=problem) as caught:
        read("mdace", source, noteevents=table)
    assert "MARKER" not in str(caught.value)


def test_broken_noteevents_are_errors(tmp_path: Path) -> None:
    source = _tree(tmp_path / "data")
    whole = _noteevents(tmp_path / "NOTEEVENTS.csv.gz", (1, 70, None, TEXT)).read_bytes()
    (tmp_path / "cut.csv.gz").write_bytes(whole[:-12])
    with pytest.raises(FormatError, match="gzip"):
        read("mdace", source, noteevents=tmp_path / "cut.csv.gz")
    (tmp_path / "columns.csv").write_text("ROW_ID,HADM_ID\n1,70\n")
    with pytest.raises(FormatError, match="TEXT"):
        read("mdace", source, noteevents=tmp_path / "columns.csv")
    (tmp_path / "folder").mkdir()
    with pytest.raises(FormatError, match="no NOTEEVENTS"):
        read("mdace", source, noteevents=tmp_path / "folder")
    with pytest.raises(FormatError):
        read("mdace", source, noteevents=tmp_path / "missing.csv")


def _splits(folder: Path, **files: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / f"MDace-{name.replace('_', '-')}.csv").write_text(content)
    return folder


def test_splits_come_from_their_files(tmp_path: Path) -> None:
    source = tmp_path / "data"
    for chart in (70, 71, 72, 73):
        _chart(source / f"{chart}.json", chart, _note(chart))
    folder = _splits(
        tmp_path / "splits",
        ev_train="70\n",
        ev_val="71\r\n\r\n",
        ev_test="72",
        code_ev_train="72\n",
        code_ev_test="70\n",
    )

    def split(**options: str) -> dict[str, str | None]:
        corpus = read("mdace", source, splits=folder, **options)
        return {note.chart_id: note.split for note in corpus.iter_notes()}

    assert split() == {"70": "train", "71": "val", "72": "test", "73": None}
    assert split(splitting="code-ev") == {"70": "test", "71": None, "72": "train", "73": None}


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({}, "no MDace-ev-train.csv"),
        ({"ev_train": "70\n", "ev_test": "8\n70\n"}, r"MDace-ev-test\.csv row 2: chart '70'"),
        ({"ev_train": "hadm_id,split\n"}, r"MDace-ev-train\.csv row 1: one chart id"),
        ({"ev_train": "1\n2\n"}, "none of the charts"),
    ],
)
def test_splits_that_do_not_fit_are_errors(
    tmp_path: Path, files: dict[str, str], problem: str
) -> None:
    folder = _splits(tmp_path / "splits", **files)
    with pytest.raises(FormatError, match=problem):
        read("mdace", _tree(tmp_path / "data"), splits=folder)


def test_unknown_options_are_errors(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="splitting"):
        read("mdace", _tree(tmp_path), splitting="other")


def test_the_official_scripts_text_is_checked(tmp_path: Path) -> None:
    fits = {**_row(15, 27, "I10", "ICD-10-CM"), "covered_text": "hypertension"}
    differs = {**_row(15, 27, "I15.9", "ICD-10-CM"), "covered_text": "hypotension"}
    source = _chart(tmp_path / "70.json", 70, _note(1, fits, differs, text=TEXT))
    corpus = read("mdace", source)
    assert [note.text for note in corpus.iter_notes()] == [TEXT]
    assert [a.meta.get("quote") for a in corpus.iter_annotations()] == [None, "hypotension"]
    assert write("mdace", corpus, tmp_path / "out") == []
    assert differences(corpus, read("mdace", tmp_path / "out")) == []


@pytest.mark.parametrize("unit", [Unit.UTF16, Unit.UTF8])
def test_other_units_are_read_when_the_text_is_there(tmp_path: Path, unit: Unit) -> None:
    begin = TEXT.index("sepsis")
    ends = Offsets(TEXT, unit).span_from_codepoint(Span(begin, begin + 6))
    row = _row(*ends, "A41.9", "ICD-10-CM")
    source = _chart(tmp_path / "70.json", 70, _note(1, row, text=TEXT))
    (annotation,) = read("mdace", source, offsets=unit).iter_annotations()
    assert annotation.spans[0].of(TEXT) == "sepsis"
    _chart(source, 70, _note(1, row))
    with pytest.raises(FormatError, match=r"70\.json: note '1', annotation 1: .* need the text"):
        read("mdace", source, offsets=unit)


def test_what_is_written_has_the_official_keys_and_numbers(tmp_path: Path) -> None:
    corpus = read("mdace", _tree(tmp_path / "data"))
    assert write("mdace", corpus, tmp_path / "out", suffix="both") == []
    files = sorted(
        path.relative_to(tmp_path / "out") for path in (tmp_path / "out").rglob("*.json")
    )
    assert list(map(str, files)) == ["Inpatient/70-both.json", "Profee/70-both.json"]
    chart = json.loads((tmp_path / "out" / "Inpatient" / "70-both.json").read_text())
    rows = [
        _row(15, 27, "I10", "ICD-10-CM"),
        _row(15, 27, "401.9", "ICD-9-CM", "MapType.APPROX"),
    ]
    # The official scripts pass the keys on to constructors, so another key would stop them.
    assert chart == {"hadm_id": 70, "comment": "Seen", "notes": [_note(1, *rows), _note(2)]}
    assert differences(corpus, read("mdace", tmp_path / "out")) == []


def test_into_a_folder_that_names_the_annotator_it_is_written_flat(tmp_path: Path) -> None:
    corpus = read("mdace", _tree(tmp_path / "data") / "Inpatient" / "ICD-9")
    target = tmp_path / "out" / "Inpatient" / "ICD-9"
    assert write("mdace", corpus, target) == []
    assert [path.name for path in target.iterdir()] == ["70-ICD-9.json"]
    assert differences(corpus, read("mdace", target)) == []


def test_notes_without_annotations_survive_and_charts_without_notes_are_counted(
    tmp_path: Path,
) -> None:
    source = tmp_path / "data"
    _chart(source / "70.json", 70, _note(1), comment="nothing found")
    _chart(source / "71.json", 71)
    with pytest.warns(UserWarning, match="1 charts have no notes"):
        corpus = read("mdace", source)
    assert [note.chart_id for note in corpus.iter_notes()] == ["70"]
    assert write("mdace", corpus, tmp_path / "out") == []
    assert differences(corpus, read("mdace", tmp_path / "out")) == []


def test_keys_that_are_not_read_are_named(tmp_path: Path) -> None:
    source = _chart(tmp_path / "70.json", 70, _note(1, sections=[]))
    with pytest.warns(UserWarning, match="keys that are not read: 'sections'"):
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
        "1 charts whose notes differ in their chart_comment (meta): all get the same",
        "1 annotations with a score: the score is left out",
        "1 annotations with discontinuous spans: each of the spans on its own",
        "1 annotations with spans past the note's text: left out",
        "1 annotations with meta 'why': the meta is left out",
        "1 annotations without spans: left out",
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
        (_change("notes", to=[_note(1), _note(1)]), "note '1' is there twice"),
        (_change(*_ANNOTATION, to=1), "note '1', annotation 1 must be a JSON object"),
        (
            _change(*_ANNOTATION, "begin", to="15"),
            "begin of note '1', annotation 1 must be a whole",
        ),
        (_change(*_ANNOTATION, "begin", to=-1), "begin of note '1', annotation 1 is -1"),
        (_change(*_ANNOTATION, "begin", to=28), "begin 28 is after end 27"),
        (_change(*_ANNOTATION, "end", to=2.5), "end of note '1', annotation 1 must be a whole"),
        (_change(*_ANNOTATION, "end", to=10**30), "which is no offset"),
        (_change(*_ANNOTATION, "code", to=""), "needs a code and a code_system"),
        (_change(*_ANNOTATION, "code_system", to=None), "needs a code and a code_system"),
        (_change(*_ANNOTATION, "type", to=[]), "type of note '1', annotation 1 must be a string"),
    ],
)
def test_wrong_values_are_errors_with_file_and_place(
    tmp_path: Path, change: Callable[[Any], Any], problem: str
) -> None:
    path = _chart(tmp_path / "70.json", 70, _note(1, _row(15, 27, "I10", "ICD-10-CM")))
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
    _chart(tmp_path / "a.json", 70, _note(1, text="one MARKER"))
    _chart(tmp_path / "b.json", 71, _note(1))
    with pytest.raises(FormatError, match=r"b\.json: note '1' belongs to chart '70'"):
        read("mdace", tmp_path)
    _chart(tmp_path / "b.json", 70, _note(1, text="two MARKER"))
    with pytest.raises(FormatError, match=r"b\.json: note '1' has another text") as caught:
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
    assert write("mdace", corpus, target) == []
    assert differences(corpus, read("mdace", target)) == []


REAL = {
    "Inpatient/ICD-10": (302, 604, {"ICD-10-CM": 3662, "ICD-10-PCS": 272, "ICD-9-CM": 2}),
    "Inpatient/ICD-9": (302, 604, {"ICD-9-CM": 3662, "ICD-9-PCS": 272}),
    "Profee/ICD-10": (52, 588, {"ICD-10-CM": 5217, "CPT": 346}),
    "Profee/ICD-9": (52, 588, {"ICD-9-CM": 5217, "CPT": 346}),
}


@pytest.mark.real
@pytest.mark.parametrize("folder", REAL)
def test_the_published_counts(shared_data: Path, folder: str) -> None:
    charts, notes, systems = REAL[folder]
    corpus = read("mdace", shared_data / "mdace" / "data" / folder)
    assert corpus.notes.collect()["note_id"].n_unique() == notes
    assert len(corpus.chart_ids()) == charts
    annotations = corpus.annotations.collect()
    assert dict(annotations["system"].value_counts().iter_rows()) == systems
    assert sum(systems.values()) in (3936, 3934, 5563)
    assert set(annotations["annotator"]) == {folder.split("/")[0].lower()}


@pytest.mark.real
def test_two_stray_codes_keep_their_system(shared_data: Path) -> None:
    corpus = read("mdace", shared_data / "mdace" / "data" / "Inpatient" / "ICD-10")
    stray = corpus.select(systems=["ICD-9-CM"]).iter_annotations()
    assert sorted(a.code.value for a in stray) == ["E860", "E861"]


@pytest.mark.real
def test_types_are_kept_as_written(shared_data: Path) -> None:
    corpus = read("mdace", shared_data / "mdace" / "data" / "Inpatient" / "ICD-9")
    assert Counter(a.meta["type"] for a in corpus.iter_annotations()) == {
        "Human": 2525,
        "MapType.APPROX": 687,
        "MapType.EXACT": 417,
        "MapType.MULTI_DESC": 181,
        "MapType.MULTI": 63,
        "MapType.NO_ENTRY": 61,
    }


@pytest.mark.real
@pytest.mark.parametrize("folder", REAL)
def test_the_published_files_are_written_again_byte_for_byte(
    shared_data: Path, tmp_path: Path, folder: str
) -> None:
    source = shared_data / "mdace" / "data" / folder
    corpus = read("mdace", source)
    assert write("mdace", corpus, tmp_path / "out") == []
    assert differences(corpus, read("mdace", tmp_path / "out")) == []
    published = {path.name: path.read_bytes() for path in source.rglob("*.json")}
    written = {path.name: path.read_bytes() for path in (tmp_path / "out").rglob("*.json")}
    assert written == published


@pytest.mark.real
def test_the_whole_of_it_comes_back(shared_data: Path, tmp_path: Path) -> None:
    corpus = read("mdace", shared_data / "mdace" / "data")
    # 118 notes are in both practices; the 346 CPT codes are in both revisions.
    assert corpus.notes.collect()["note_id"].n_unique() == 604 + 588 - 118
    assert corpus.annotations.select(pl.len()).collect().item() == 3936 + 3934 + 2 * 5563 - 346
    assert write("mdace", corpus, tmp_path / "out") == []
    assert differences(corpus, read("mdace", tmp_path / "out")) == []


@pytest.mark.real
@pytest.mark.parametrize(
    ("practice", "sizes"),
    [
        ("Inpatient", {"train": 181, "val": 60, "test": 61}),
        ("Profee", {"train": 31, "val": 10, "test": 11}),
    ],
)
def test_the_published_splits_cover_every_chart(
    shared_data: Path, practice: str, sizes: dict[str, int]
) -> None:
    root = shared_data / "mdace"
    source = root / "data" / practice / "ICD-10"
    corpus = read("mdace", source, splits=root / "splits" / practice)
    charts = corpus.notes.collect().unique("chart_id")
    assert dict(charts["split"].value_counts().iter_rows()) == sizes


@pytest.mark.real
@pytest.mark.parametrize(("practice", "notes"), [("Inpatient", 604), ("Profee", 588)])
def test_every_published_note_gets_its_text(
    shared_data: Path, tmp_path: Path, practice: str, notes: int
) -> None:
    """Made-up text for the real ids, long enough for the real spans: not one note is lost."""
    source = shared_data / "mdace" / "data" / practice / "ICD-10"
    bare = read("mdace", source)
    ends: dict[str, int] = Counter()
    for annotation in bare.iter_annotations():
        note_id = annotation.note_id or ""
        ends[note_id] = max(ends[note_id], annotation.spans[0].end)
    rows = [
        (int(n.note_id), int(n.chart_id), None, ("ab\r\n" * ends[n.note_id])[: ends[n.note_id]])
        for n in bare.iter_notes()
    ]
    table = _noteevents(tmp_path / "NOTEEVENTS.csv.gz", *reversed(rows))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        corpus = read("mdace", source, noteevents=table)
    lengths = {n.note_id: len(n.text or "") for n in corpus.iter_notes()}
    assert lengths == ends
    assert len(lengths) == notes
    assert differences(corpus, bare, ignore=("text", "subject_id", "time")) == []
