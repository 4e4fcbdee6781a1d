"""MIMIC-III: the demo's tables, tables made up here, and whatever a corpus may hold."""

from __future__ import annotations

import csv
import json
import tempfile
from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

from auscult.core import Annotation, AuscultError, Code, FormatError, Note, Span
from auscult.corpus import Corpus
from auscult.corpus.compare import differences
from auscult.corpus.formats import Loss, read, write
from auscult.corpus.formats.shared.files import create_text

HEADER = "ROW_ID,SUBJECT_ID,HADM_ID,CHARTDATE,CHARTTIME,STORETIME,CATEGORY,DESCRIPTION,CGID,ISERROR"
TEXT = 'He said "no 🫀 pain".\r\nPlan:\n- rest, fluids\r\n'


def make_tables(folder: Path, *, packed: bool = False) -> Path:
    """A small hospital: two admissions of one patient, a patient without any."""
    tables = {
        "NOTEEVENTS": [
            [*HEADER.split(","), "TEXT"],
            ["1", "7", "70", "2101-10-20", "2101-10-20 19:08:00", "2101-10-21 01:00:00",
             "Physician ", "Résumé \"A\"\\B", "14", "", TEXT],
            ["2", "7", "70", "2101-10-22", "", "", "Discharge summary", "Report", "", "", "Home."],
            ["3", "7", "", "2101-12-01", "2101-12-02 00:30:00", "", "ECG", "", "", "", "Sinus."],
            ["4", "7", "71", "2102-01-01", "", "", "Nursing", "", "", "1", "Wrong patient."],
        ],
        "ADMISSIONS": [
            ["ROW_ID", "SUBJECT_ID", "HADM_ID", "ADMITTIME", "DIAGNOSIS"],
            ["11", "7", "70", "2101-10-20 19:00:00", "SEPSIS, UNSPECIFIED"],
            ["12", "7", "71", "2102-01-01 00:00:00", ""],
        ],
        "PATIENTS": [
            ["ROW_ID", "SUBJECT_ID", "GENDER"],
            ["21", "7", "F"],
            ["22", "8", "M"],
        ],
        "DIAGNOSES_ICD": [
            ["ROW_ID", "SUBJECT_ID", "HADM_ID", "SEQ_NUM", "ICD9_CODE"],
            ["31", "7", "70", "1", "3893"],
            ["32", "7", "70", "2", "E8600"],
            ["33", "7", "70", "3", ""],
            ["34", "9", "90", "1", "V4582"],
        ],
        "PROCEDURES_ICD": [
            ["ROW_ID", "SUBJECT_ID", "HADM_ID", "SEQ_NUM", "ICD9_CODE"],
            ["41", "7", "70", "1", "3893"],
        ],
        "CPTEVENTS": [
            ["ROW_ID", "SUBJECT_ID", "HADM_ID", "COSTCENTER", "CPT_CD", "SECTIONHEADER"],
            ["51", "7", "71", "ICU", "99291", "Evaluation"],
        ],
    }  # fmt: skip
    folder.mkdir(exist_ok=True)
    for name, rows in tables.items():
        file = folder / (f"{name}.csv.gz" if packed else f"{name}.csv")
        with create_text(file) as handle:
            csv.writer(handle).writerows(rows)
    return folder


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    return make_tables(tmp_path / "mimic")


def read_quietly(source: Path, **options: object) -> Corpus:
    with pytest.warns(UserWarning, match="1 rows without a code"):
        return read("mimic3", source, **options)


def given_code(system: str, value: str, chart: str, **meta: str) -> Annotation:
    return Annotation("model", Code(system, value), chart, meta=meta)


@pytest.mark.real
def test_the_demo_has_the_published_figures(shared_data: Path) -> None:
    corpus = read("mimic3", shared_data / "mimic3_demo")
    assert corpus.records is not None
    records = corpus.records
    assert len(records) == 129
    assert records["subject_id"].n_unique() == 100
    assert records["gender"].null_count() == 0
    assert corpus.notes.is_empty()
    systems = Counter(corpus.annotations["system"])
    assert systems["ICD-9-CM"] == 1_761
    with (shared_data / "mimic3_demo" / "PROCEDURES_ICD.csv").open() as procedures:
        assert systems["ICD-9-PCS"] == sum(1 for _ in procedures) - 1


@pytest.mark.real
def test_the_demo_is_written_back_to_the_byte_but_for_the_case_of_headers(
    shared_data: Path, tmp_path: Path
) -> None:
    source = shared_data / "mimic3_demo"
    corpus = read("mimic3", source)
    assert write("mimic3", corpus, tmp_path / "out") == []
    assert differences(corpus, read("mimic3", tmp_path / "out")) == []
    for table in ("ADMISSIONS", "PATIENTS", "DIAGNOSES_ICD", "PROCEDURES_ICD", "CPTEVENTS"):
        header, rows = (source / f"{table}.csv").read_bytes().split(b"\n", 1)
        assert (tmp_path / "out" / f"{table}.csv").read_bytes() == header.upper() + b"\n" + rows


def test_notes_keep_every_character_and_know_their_chart_and_time(tables: Path) -> None:
    notes = {note.note_id: note for note in read_quietly(tables).iter_notes()}
    assert notes["1"] == Note(
        "1", "70", "7", "Physician", "2101-10-20T19:08:00", TEXT,
        meta={"cgid": "14", "description": 'Résumé "A"\\B', "storetime": "2101-10-21 01:00:00"},
    )  # fmt: skip
    assert notes["1"].text == TEXT
    assert (notes["2"].time, notes["2"].meta) == ("2101-10-22", {"description": "Report"})
    assert notes["3"].chart_id == "subject:7"
    assert notes["3"].meta == {"chartdate": "2101-12-01"}


def test_meta_is_the_same_json_as_elsewhere(tables: Path) -> None:
    corpus = read_quietly(tables)
    for meta in corpus.notes["meta"].drop_nulls():
        assert meta == json.dumps(json.loads(meta), ensure_ascii=False, sort_keys=True)


def test_notes_flagged_as_errors_are_left_out_unless_asked_for(tables: Path) -> None:
    assert [n.note_id for n in read_quietly(tables).iter_notes()] == ["1", "2", "3"]
    kept = read_quietly(tables, keep_errors=True)
    assert [n.note_id for n in kept.iter_notes()] == ["1", "2", "3", "4"]
    assert [n.meta for n in kept.iter_notes()][-1] == {"iserror": "1"}


def test_categories_choose_notes_in_any_case(tables: Path) -> None:
    corpus = read_quietly(tables, categories=["physician", "ECG"])
    assert [n.note_id for n in corpus.iter_notes()] == ["1", "3"]


def test_codes_are_dotted_and_diagnosis_and_procedure_stay_apart(tables: Path) -> None:
    annotations = list(read_quietly(tables, annotator="model").iter_annotations())
    assert annotations == [
        given_code("ICD-9-CM", "389.3", "70", row_id="31", seq_num="1"),
        given_code("ICD-9-CM", "E860.0", "70", row_id="32", seq_num="2"),
        given_code("ICD-9-CM", "V45.82", "90", row_id="34", seq_num="1", subject_id="9"),
        given_code("ICD-9-PCS", "38.93", "70", row_id="41", seq_num="1"),
        given_code("CPT", "99291", "71", row_id="51", costcenter="ICU", sectionheader="Evaluation"),
    ]


def test_records_are_admissions_with_their_patients_and_patients_without_any(tables: Path) -> None:
    corpus = read_quietly(tables)
    assert corpus.records is not None
    assert corpus.records.to_dicts() == [
        {"record_id": "70", "chart_id": "70", "subject_id": "7", "row_id": "11",
         "admittime": "2101-10-20 19:00:00", "diagnosis": "SEPSIS, UNSPECIFIED",
         "patient_row_id": "21", "gender": "F"},
        {"record_id": "71", "chart_id": "71", "subject_id": "7", "row_id": "12",
         "admittime": "2102-01-01 00:00:00", "diagnosis": None,
         "patient_row_id": "21", "gender": "F"},
        {"record_id": "subject:8", "chart_id": "subject:8", "subject_id": "8", "row_id": None,
         "admittime": None, "diagnosis": None, "patient_row_id": "22", "gender": "M"},
    ]  # fmt: skip


def test_tables_read_written_and_read_again_are_equal_packed_or_not(tmp_path: Path) -> None:
    corpus = read_quietly(make_tables(tmp_path / "plain"), keep_errors=True)
    packed = read_quietly(make_tables(tmp_path / "packed", packed=True), keep_errors=True)
    assert differences(corpus, packed) == []
    assert write("mimic3", packed, tmp_path / "out") == []
    assert differences(corpus, read("mimic3", tmp_path / "out", keep_errors=True)) == []
    for table in ("ADMISSIONS", "PATIENTS", "PROCEDURES_ICD"):
        original = (tmp_path / "plain" / f"{table}.csv").read_text()
        assert (tmp_path / "out" / f"{table}.csv").read_text() == original
    written = corpus.write(tmp_path / "corpus")
    assert differences(corpus, written) == []
    assert written.manifest.systems == {"CPT": 1, "ICD-9-CM": 3, "ICD-9-PCS": 1}


@pytest.mark.parametrize("kept", [{"NOTEEVENTS"}, {"ADMISSIONS"}, {"NOTEEVENTS", "PATIENTS"},
                                  {"NOTEEVENTS", "PROCEDURES_ICD"}])  # fmt: skip
def test_any_part_of_the_tables_goes_there_and_back(tables: Path, kept: set[str]) -> None:
    for file in tables.iterdir():
        if file.stem not in kept:
            file.unlink()
    corpus = read("mimic3", tables)
    assert write("mimic3", corpus, tables / "out") == []
    assert differences(corpus, read("mimic3", tables / "out")) == []


def test_ids_that_passed_through_a_float_column_still_find_their_admission(tables: Path) -> None:
    file = tables / "NOTEEVENTS.csv"
    file.write_bytes(file.read_bytes().replace(b"1,7,70,", b"1,7.0,70.0,"))
    note = next(iter(read_quietly(tables).iter_notes()))
    assert (note.chart_id, note.subject_id) == ("70", "7")


def test_what_the_tables_cannot_hold_is_counted(tmp_path: Path) -> None:
    sepsis, pain = Code("ICD-9-CM", "995.91"), Code("UMLS", "C0030193")
    corpus = Corpus.of(
        [Note("1", "70", "7", " ECG", "yesterday", "a\0b", "train", {"color": "red"})],
        [
            Annotation("billing", sepsis, "70", "1", (Span(0, 1),), 0.5, meta={"type": "Human"}),
            Annotation("billing", pain, "70"),
            Annotation("nurse", sepsis, "70"),
        ],
        pl.DataFrame({"record_id": ["r"], "chart_id": ["70"], "subject_id": ["7"], "age": [71]}),
    )
    losses = write("mimic3", corpus, tmp_path / "out")
    assert {(loss.what, loss.count) for loss in losses} == {
        ("categories that are blank or have surrounding white space", 1),
        ("notes in a split", 1),
        ("texts with NUL characters", 1),
        ("notes with meta beyond the table's columns", 1),
        ("annotations by nurse", 1),
        ("codes of UMLS", 1),
        ("annotations on one note", 1),
        ("annotations with spans", 1),
        ("annotations with a score", 1),
        ("annotations with meta beyond the table's columns", 1),
        ("values of record_id in records", 1),
        ("the column age of records, of type Int64", 1),
    }
    again = read("mimic3", tmp_path / "out")
    assert [n.text for n in again.iter_notes()] == ["a\ufffdb"]
    assert [a.code for a in again.iter_annotations()] == [sepsis]


WORDS = st.text(st.characters(codec="utf-8") | st.sampled_from('",\r\n\\ 🫀é\0'), max_size=6)
TIMES = st.sampled_from(
    ["2101-10-20", "2101-10-20T19:08:00", "2101-10-20 19:08:00", "then", "", " "]
)
IDS = st.sampled_from(["1", "2", "3.0", "subject:1", "subject:", " ", "x,y"])
METAS = st.dictionaries(
    st.sampled_from(["cgid", "chartdate", "iserror", "seq_num", "row_id"]), WORDS
)
NOTES = st.builds(
    Note, IDS, IDS, st.none() | IDS, st.none() | WORDS, st.none() | TIMES, st.none() | WORDS,
    st.none() | st.just("test"), METAS,
)  # fmt: skip
CODES = st.builds(
    Code,
    st.sampled_from(["ICD-9-CM", "ICD-9-PCS", "CPT", "UMLS"]),
    st.sampled_from(["401.9", "4019", "38.93", "E860.0", "99291", "v1", "a.b", " 1", "\0"]),
)
ANNOTATIONS = st.builds(
    Annotation, st.sampled_from(["billing", "nurse"]), CODES, IDS, st.none() | IDS,
    score=st.none() | st.just(0.5), meta=METAS,
)  # fmt: skip
COLUMNS = ["record_id", "chart_id", "subject_id", "row_id", "gender", "patient_gender", "new"]
RECORDS = st.none() | st.lists(
    st.tuples(IDS, IDS, st.none() | IDS, *[st.none() | WORDS] * 4), max_size=4
)


@settings(max_examples=examples(60), deadline=None)
@given(
    notes=st.lists(NOTES, max_size=3),
    annotations=st.lists(ANNOTATIONS, max_size=4),
    rows=RECORDS,
    columns=st.integers(3, 7),
)
def test_a_corpus_without_losses_reads_back_equal_and_no_loss_is_silent(
    notes: list[Note], annotations: list[Annotation], rows: list[tuple[str, ...]], columns: int
) -> None:
    records = None
    if rows is not None:
        records = pl.DataFrame(rows, dict.fromkeys(COLUMNS, pl.String), orient="row")
        records = records.select(COLUMNS[:columns])
    corpus = Corpus.of(notes, annotations, records)
    with tempfile.TemporaryDirectory() as folder:
        losses = write("mimic3", corpus, Path(folder) / "out")
        back = read("mimic3", Path(folder) / "out", keep_errors=True)
        found = differences(corpus, back)
    assert bool(losses) == bool(found), (losses, found)


CLEAN = st.text(
    st.characters(codec="utf-8", exclude_characters="\0") | st.sampled_from('",\r\n\\ 🫀é'),
    max_size=6,
)
CLEAN_IDS = st.sampled_from(["1", "2", "subject:1", "x,y"])
CLEAN_NOTES = st.builds(
    Note,
    CLEAN_IDS,
    CLEAN_IDS,
    st.none() | CLEAN_IDS,
    st.none() | CLEAN.filter(lambda category: category == category.strip() != ""),
    st.none() | st.sampled_from(["2101-10-20", "2101-10-20T19:08:00", "long ago"]),
    st.none() | CLEAN,
    meta=st.dictionaries(st.sampled_from(["cgid", "description", "storetime"]), CLEAN.filter(bool)),
)
CLEAN_ANNOTATIONS = st.builds(
    Annotation,
    st.just("billing"),
    st.sampled_from(
        [
            Code("ICD-9-CM", "389.3"),
            Code("ICD-9-CM", "V45.82"),
            Code("ICD-9-CM", "not.a code"),
            Code("ICD-9-PCS", "38.93"),
            Code("CPT", "99291"),
        ]
    ),
    CLEAN_IDS,
    meta=st.dictionaries(st.just("row_id"), CLEAN.filter(bool)),
)
CLEAN_RECORDS = st.none() | st.lists(
    st.tuples(CLEAN_IDS, st.just("1"), *[st.none() | CLEAN] * 3),
    max_size=3,
    unique_by=lambda r: r[0],
)


@settings(max_examples=examples(60), deadline=None)
@given(
    notes=st.lists(CLEAN_NOTES, max_size=4),
    annotations=st.lists(CLEAN_ANNOTATIONS, max_size=4),
    rows=CLEAN_RECORDS,
)
def test_all_that_the_tables_have_a_place_for_reads_back_equal(
    notes: list[Note], annotations: list[Annotation], rows: list[tuple[str, ...]] | None
) -> None:
    records = None
    if rows is not None:
        names = ["chart_id", "subject_id", "row_id", "admittime", "ward"]
        records = pl.DataFrame(rows, dict.fromkeys(names, pl.String), orient="row")
        records = records.with_columns(record_id="chart_id")
    corpus = Corpus.of(notes, annotations, records)
    with tempfile.TemporaryDirectory() as folder:
        assert write("mimic3", corpus, Path(folder) / "out") == []
        assert differences(corpus, read("mimic3", Path(folder) / "out")) == []


def damage(file: Path, old: bytes, new: bytes) -> None:
    content = file.read_bytes()
    assert old in content
    file.write_bytes(content.replace(old, new, 1))


DAMAGED = {
    "missing column": ("NOTEEVENTS", b"TEXT", b"TXT", 1),
    "NUL": ("NOTEEVENTS", b"Home.", b"Ho\0me.", 3),
    "wrong encoding": ("NOTEEVENTS", b"Home.", b"caf\xe9", 3),
    "quote not closed": ("NOTEEVENTS", b"Home.", b'"Home.', 3),
    "quote not doubled": ("NOTEEVENTS", b'""no', b'"no', 2),
    "too few fields": ("ADMISSIONS", b"12,7,71,", b"12,7,", 3),
    "too many fields": ("PATIENTS", b"22,8,M", b"22,8,M,", 3),
    "note without id": ("NOTEEVENTS", b"2,7,70", b",7,70", 3),
    "note of no chart": ("NOTEEVENTS", b"3,7,,", b"3,,,", 4),
    "admission without id": ("ADMISSIONS", b"12,7,71,", b"12,7,,", 3),
    "admission twice": ("ADMISSIONS", b"12,7,71,", b"12,7,70.0,", 3),
    "patient twice": ("PATIENTS", b"22,8,M", b"22,7,M", 3),
    "code of no chart": ("DIAGNOSES_ICD", b"34,9,90", b"34,,", 5),
    "reserved column": ("ADMISSIONS", b"DIAGNOSIS", b"CHART_ID", 1),
    "column twice": ("ADMISSIONS", b"ADMITTIME", b"Diagnosis", 1),
    "empty file": ("DIAGNOSES_ICD", None, b"", None),
}


@pytest.mark.filterwarnings("ignore:.*rows without a code")
@pytest.mark.parametrize(("table", "old", "new", "row"), DAMAGED.values(), ids=DAMAGED)
def test_a_malformed_table_is_named_and_nothing_is_written(
    tables: Path, table: str, old: bytes | None, new: bytes, row: int | None, tmp_path: Path
) -> None:
    file = tables / f"{table}.csv"
    damage(file, file.read_bytes() if old is None else old, new)
    with pytest.raises(FormatError) as caught:
        read("mimic3", tables).write(tmp_path / "corpus")
    assert (caught.value.file, caught.value.row) == (file, row)
    assert [path.name for path in tmp_path.iterdir()] == ["mimic"]
    assert "Home" not in str(caught.value)


def test_a_truncated_archive_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    tables = make_tables(tmp_path / "mimic", packed=True)
    file = tables / "NOTEEVENTS.csv.gz"
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(FormatError, match=r"NOTEEVENTS.csv.gz: the gzip file is truncated"):
        read("mimic3", tables)


def test_tables_one_folder_further_down_are_pointed_at(tmp_path: Path) -> None:
    make_tables(tmp_path / "mimic")
    with pytest.raises(FormatError, match=f"{tmp_path / 'mimic'} has such tables"):
        read("mimic3", tmp_path)


def test_a_folder_without_the_tables_or_a_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="has neither NOTEEVENTS nor ADMISSIONS"):
        read("mimic3", tmp_path)
    (tmp_path / "file.csv").touch()
    with pytest.raises(AuscultError, match="expected a folder"):
        read("mimic3", tmp_path / "file.csv")
    with pytest.raises(AuscultError, match="Options: annotator, categories, keep_errors"):
        read("mimic3", tmp_path, color="red")


def test_a_loss_reads_as_a_sentence() -> None:
    loss = Loss("annotations", "annotations by nurse", 1_200, "left out")
    assert str(loss) == "1,200 annotations by nurse: left out"
