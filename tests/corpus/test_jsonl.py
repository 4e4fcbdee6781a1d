"""JSON Lines: the shapes other programs rely on, read strictly and written exactly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auscult.core import Annotation, Code, FormatError, Note, OptionError, Span, Status
from auscult.corpus import Corpus
from auscult.corpus.compare import differences
from auscult.corpus.formats import read, write
from auscult.corpus.formats.jsonl import lines as jsonl_lines
from auscult.corpus.formats.shared import rows

NOTE = {
    "note_id": "n1",
    "chart_id": "c1",
    "subject_id": None,
    "category": "Radiology",
    "time": "2151-03-04",
    "text": 'Fever 🫀 of 39 °C,\r\n"no" cough.',
}
ANNOTATION = {
    "note_id": "n1",
    "chart_id": "c1",
    "annotator": "ann",
    "system": "ICD-10-CM",
    "code": "R50.9",
    "spans": [[0, 5], [11, 13]],
    "score": 0.25,
}


def put(folder: Path, name: str, *lines: dict[str, Any] | str) -> Path:
    file = folder / f"{name}.jsonl"
    file.write_text(
        "".join((x if isinstance(x, str) else json.dumps(x)) + "\n" for x in lines), newline=""
    )
    return file


def only(corpus: Corpus) -> Annotation:
    (annotation,) = corpus.iter_annotations()
    return annotation


def test_the_contract_to_the_byte(tmp_path: Path) -> None:
    corpus = Corpus.of(
        [
            Note("n1", "c1", None, "Radiology", "2151-03-04", NOTE["text"]),
            Note("n2", "c1", read_by=("ann",)),
        ],
        [
            Annotation(
                "ann", Code("ICD-10-CM", "R50.9"), "c1", "n1", (Span(0, 5), Span(11, 13)), 0.25
            ),
            Annotation(
                "ann",
                Code("ICD-10-CM", "I10"),
                "c1",
                status=Status.ASKED,
                meta={"why": "é", "a": "\n"},
            ),
        ],
    )
    assert write("jsonl", corpus, tmp_path / "out") == []
    assert (tmp_path / "out" / "notes.jsonl").read_text(encoding="utf-8").splitlines() == [
        '{"note_id":"n1","chart_id":"c1","subject_id":null,"category":"Radiology",'
        '"time":"2151-03-04","text":"Fever 🫀 of 39 °C,\\r\\n\\"no\\" cough."}',
        '{"note_id":"n2","chart_id":"c1","subject_id":null,"category":null,"time":null,'
        '"text":null,"read_by":["ann"]}',
    ]
    assert (tmp_path / "out" / "annotations.jsonl").read_text(encoding="utf-8").splitlines() == [
        '{"note_id":"n1","chart_id":"c1","annotator":"ann","system":"ICD-10-CM","code":"R50.9",'
        '"spans":[[0,5],[11,13]],"score":0.25,"status":"given"}',
        '{"note_id":null,"chart_id":"c1","annotator":"ann","system":"ICD-10-CM","code":"I10",'
        '"spans":[],"score":null,"status":"asked","meta":{"a": "\\n", "why": "é"}}',
    ]


def test_split_and_meta_only_where_there_is_something_to_say(tmp_path: Path) -> None:
    notes = [Note("n1", "n1", split='"dev"', meta={"k": "v"}), Note("n2", "n2", split="x")]
    write("jsonl", Corpus.of([*notes, Note("n3", "n3")]), tmp_path / "out")
    lines = (tmp_path / "out" / "notes.jsonl").read_text().splitlines()
    said = [json.loads(line) for line in lines]
    assert [set(line) - set(NOTE) for line in said] == [{"split", "meta"}, {"split"}, set()]
    assert said[0]["split"] == '"dev"'
    assert said[0]["meta"] == {"k": "v"}


def test_lines_of_another_program(tmp_path: Path) -> None:
    put(tmp_path, "notes", NOTE)
    put(tmp_path, "annotations", ANNOTATION, "", ANNOTATION | {"note_id": None, "spans": []})
    corpus = read("jsonl", tmp_path)
    (note,) = corpus.iter_notes()
    assert note == Note("n1", "c1", None, "Radiology", "2151-03-04", NOTE["text"])
    first, second = corpus.iter_annotations()
    code = Code("ICD-10-CM", "R50.9")
    assert first == Annotation("ann", code, "c1", "n1", (Span(0, 5), Span(11, 13)), 0.25)
    assert second == Annotation("ann", code, "c1", None, (), 0.25)


def test_what_a_line_leaves_out(tmp_path: Path) -> None:
    put(tmp_path, "notes", {"note_id": "n1", "chart_id": "c9", "text": "x"}, {"note_id": 7})
    put(
        tmp_path,
        "annotations",
        {"note_id": "n1", "system": "S", "code": "1"},
        {"note_id": 7, "system": "S", "code": "2"},
        {"note_id": "elsewhere", "system": "S", "code": "3", "annotator": "ann"},
    )
    corpus = read("jsonl", tmp_path, annotator="me")
    assert [note.chart_id for note in corpus.iter_notes()] == ["c9", "7"]
    found = [(a.note_id, a.chart_id, a.annotator) for a in corpus.iter_annotations()]
    assert found == [("n1", "c9", "me"), ("7", "7", "me"), ("elsewhere", "elsewhere", "ann")]


def test_one_file_is_told_apart_by_its_keys(tmp_path: Path) -> None:
    notes = read("jsonl", put(tmp_path, "a", NOTE))
    assert (notes.notes.height, notes.annotations.height) == (1, 0)
    annotations = read("jsonl", put(tmp_path, "b", ANNOTATION))
    assert (annotations.notes.height, annotations.annotations.height) == (0, 1)
    with pytest.raises(FormatError, match="must be a note"):
        read("jsonl", put(tmp_path, "c", {"color": "red"}))


def test_keys_that_are_not_read_are_named(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="ignored the keys span, hue"):
        read("jsonl", put(tmp_path, "a", ANNOTATION | {"span": [0, 1], "hue": 1}))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"spans": [[0, 99]]}, r"end 99 is past the note's 30 characters. Offsets count Unicode"),
        ({"spans": [[5, 4]]}, "0 ≤ begin ≤ end"),
        ({"spans": [[-1, 4]]}, "0 ≤ begin ≤ end"),
        ({"spans": [0, 4]}, r"spans must be a list of \[begin, end\]"),
        ({"spans": [[0, 4, 5]]}, r"spans must be a list of \[begin, end\]"),
        ({"spans": [[0, None]]}, r"spans must be a list of \[begin, end\]"),
        ({"spans": [[0, 1.5]]}, r"spans must be a list of \[begin, end\]"),
        ({"spans": [[False, True]]}, r"spans must be a list of \[begin, end\]"),
        ({"spans": [[0, 2**70]]}, r"spans must be a list of \[begin, end\]"),
        ({"note_id": None}, "an annotation with spans needs a note_id"),
        ({"note_id": None, "chart_id": None, "spans": []}, "needs a note_id or a chart_id"),
        ({"code": ""}, "needs a system and a code"),
        ({"system": None}, "needs a system and a code"),
        ({"code": 401.9}, "code must be a string; got a number"),
        ({"annotator": ["x"]}, "annotator must be a string; got a list"),
        ({"score": "high"}, "score must be a finite number"),
        ({"score": True}, "score must be a finite number"),
        ({"meta": "x"}, "meta must be an object; got a string"),
    ],
)
def test_a_line_that_cannot_be_is_named(
    change: dict[str, Any], problem: str, tmp_path: Path
) -> None:
    put(tmp_path, "notes", NOTE)
    put(tmp_path, "annotations", ANNOTATION, "", ANNOTATION | change, ANNOTATION)
    with pytest.raises(FormatError, match=problem) as caught:
        read("jsonl", tmp_path)
    assert f"{tmp_path / 'annotations.jsonl'} row 3: " in str(caught.value)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('{"note_id": "n2", "text": "x"', "is not JSON"),
        ('{"note_id": "n2", "text": "a\tb"}', "is not JSON: Invalid control character"),
        ("[1]", "must be a JSON object; got a list"),
        ('{"note_id": "n2", "text": "\\ud83e"}', "half of a surrogate pair"),
        ('{"note_id": "n1", "text": "again"}', "duplicate note 'n1'"),
        ('{"text": "x"}', "a note needs a note_id"),
        ('{"note_id": "n2", "text": {"a": 1}}', "text must be a string; got an object"),
        ('{"note_id": "n2", "text": true}', "text must be a string; got true or false"),
        ('{"note_id": "n2", "x": ' + "[" * 200_000 + "}", "nested too deeply|is not JSON"),
    ],
)
def test_a_note_that_cannot_be_is_named(line: str, problem: str, tmp_path: Path) -> None:
    file = put(tmp_path, "notes", NOTE, line)
    with pytest.raises(FormatError, match=problem) as caught:
        read("jsonl", tmp_path)
    assert f"{file} row 2: " in str(caught.value)


def test_other_encodings_are_named(tmp_path: Path) -> None:
    file = put(tmp_path, "notes", NOTE)
    file.write_bytes(file.read_bytes() + '{"note_id": "n2", "text": "naïve"}'.encode("latin-1"))
    with pytest.raises(FormatError, match="row 2: byte 0xef is not UTF-8"):
        read("jsonl", tmp_path)


def test_escapes_marks_and_line_ends(tmp_path: Path) -> None:
    file = tmp_path / "notes.jsonl"
    line = json.dumps({"note_id": "n1", "text": "🫀 \u2028 \x00"})
    assert "\\ud83e\\udec0" in line
    file.write_bytes(b"\xef\xbb\xbf" + line.encode() + b"\r\n\r\n")
    (note,) = read("jsonl", file).iter_notes()
    assert note.text == "🫀 \u2028 \x00"


@pytest.mark.parametrize(("unit", "end"), [("utf16", 8), ("utf8", 10), ("codepoint", 7)])
def test_offsets_in_other_units(unit: str, end: int, tmp_path: Path) -> None:
    put(tmp_path, "notes", NOTE)
    put(tmp_path, "annotations", ANNOTATION | {"spans": [[6, end]]})
    assert only(read("jsonl", tmp_path, offsets=unit)).spans == (Span(6, 7),)


def test_offsets_that_do_not_fit_their_unit(tmp_path: Path) -> None:
    put(tmp_path, "notes", NOTE)
    put(tmp_path, "annotations", ANNOTATION, ANNOTATION | {"spans": [[6, 7]]})
    with pytest.raises(FormatError, match=r"row 2: .*in the middle of a character"):
        read("jsonl", tmp_path, offsets="utf16")
    (tmp_path / "notes.jsonl").unlink()
    with pytest.raises(FormatError, match="need the text of note 'n1'"):
        read("jsonl", tmp_path, offsets="utf16")


def test_records_come_back(tmp_path: Path) -> None:
    records = pl.DataFrame(
        {"record_id": ["a", "b"], "age": [7, None], "weight": [1.5, 2.0], "alive": [True, None]}
    )
    corpus = Corpus.of([Note("n", "n")], records=records)
    assert write("jsonl", corpus, tmp_path / "out") == []
    assert differences(corpus, read("jsonl", tmp_path / "out")) == []


def test_what_json_cannot_say_is_a_loss(tmp_path: Path) -> None:
    annotation = Annotation("a", Code("S", "1"), "c", score=float("nan"))
    losses = write("jsonl", Corpus.of([], [annotation]), tmp_path / "out")
    assert [str(loss) for loss in losses] == [
        "1 scores that are not finite numbers: written as null"
    ]
    assert only(read("jsonl", tmp_path / "out")).score is None


def test_it_is_written_as_a_folder(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="as a folder"):
        write("jsonl", Corpus.of(), tmp_path / "out.jsonl")
    assert list(tmp_path.iterdir()) == []


values = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3), st.just([]),
    st.lists(st.lists(st.integers(-3, 40), max_size=3), max_size=2),
    st.dictionaries(st.text(max_size=2), st.text(max_size=2), max_size=2),
)  # fmt: skip
proper = st.fixed_dictionaries(
    {"note_id": st.sampled_from(["n1", "n2"]), "system": st.just("S"), "code": st.text(min_size=1)},
    optional={
        "spans": st.lists(st.tuples(st.integers(0, 9), st.integers(9, 31)), max_size=2),
        "score": st.floats(allow_nan=False, allow_infinity=False),
    },
)
spoiled = st.tuples(proper, st.sampled_from([*rows.ANNOTATION, "other"]), values).map(
    lambda drawn: {**drawn[0], drawn[1]: drawn[2]}
)


@settings(deadline=None, max_examples=300)
@given(st.lists(st.one_of(proper, spoiled), min_size=1, max_size=4))
def test_the_quick_way_reads_what_the_slow_way_reads(
    tmp_path_factory: pytest.TempPathFactory, lines: list[dict[str, Any]]
) -> None:
    folder = tmp_path_factory.mktemp("quick")
    put(folder, "notes", NOTE)
    file = put(folder, "annotations", *lines)

    def outcome() -> list[Annotation] | str:
        try:
            return list(read("jsonl", folder).iter_annotations())
        except FormatError as error:
            return str(error)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("warnings.warn", lambda *_, **__: None)
        quick = outcome()
        scan = jsonl_lines.scan
        patch.setattr(jsonl_lines, "scan", lambda path, f: None if path == file else scan(path, f))
        assert quick == outcome()
