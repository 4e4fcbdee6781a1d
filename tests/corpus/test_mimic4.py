"""MIMIC-IV: the demo's tables, and tables made up here."""

from __future__ import annotations

import csv
import gzip
import tempfile
from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

from auscult.core import Annotation, Code, FormatError, Note, Span
from auscult.corpus import Corpus
from auscult.corpus.compare import differences
from auscult.corpus.formats import read, write
from auscult.corpus.formats.shared.files import create_text

TEXT = 'He said "no 🫀 pain".\r\nPlan:\n- rest, fluids\r\n'
NOTE_HEADER = "note_id,subject_id,hadm_id,note_type,note_seq,charttime,storetime,text".split(",")  # noqa: SIM905 - as it stands in the file


def make_tables(folder: Path, *, packed: bool = False) -> Path:
    """One admission with codes of three kinds, and notes within and outside it."""
    tables = {
        "hosp/admissions": [
            ["subject_id", "hadm_id", "admittime", "race"],
            ["7", "70", "2130-05-06 08:00:00", "OTHER"],
        ],
        "hosp/patients": [["subject_id", "gender", "anchor_age"], ["7", "F", "61"]],
        "hosp/diagnoses_icd": [
            ["subject_id", "hadm_id", "seq_num", "icd_code", "icd_version"],
            ["7", "70", "1", "3893", "9"],
            ["7", "70", "2", "E119", "10"],
            ["7", "70", "3", "E8600", "9"],
            ["7", "70", "4", "I10    ", "10"],
        ],
        "hosp/procedures_icd": [
            ["subject_id", "hadm_id", "seq_num", "chartdate", "icd_code", "icd_version"],
            ["7", "70", "1", "2130-05-07", "3893", "9"],
            ["7", "70", "2", "2130-05-07", "02HV33Z", "10"],
        ],
        "hosp/hcpcsevents": [
            ["subject_id", "hadm_id", "chartdate", "hcpcs_cd", "seq_num", "short_description"],
            ["7", "70", "2130-05-06", "99218", "1", "Observation care"],
            ["7", "70", "2130-05-06", "G0378", "2", "Hospital observation per hr"],
        ],
        "note/discharge": [
            NOTE_HEADER,
            ["7-DS-1", "7", "70", "DS", "1", "2130-05-09 00:00:00", "2130-05-10 01:00:00", TEXT],
        ],
        "note/radiology": [
            NOTE_HEADER,
            ["7-RR-1", "7", "70", "RR", "1", "2130-05-06 09:30:00", "", "Clear."],
            ["7-RR-2", "7", "", "AR", "2", "", "", "Addendum."],
        ],
    }
    for name, rows in tables.items():
        file = folder / (f"{name}.csv.gz" if packed else f"{name}.csv")
        file.parent.mkdir(parents=True, exist_ok=True)
        with create_text(file) as handle:
            csv.writer(handle).writerows(rows)
    return folder


@pytest.mark.real
def test_the_demo_has_the_published_figures(shared_data: Path) -> None:
    corpus = read("mimic4", shared_data / "mimic4_demo")
    assert corpus.records is not None
    assert len(corpus.records) == 275
    assert corpus.records["subject_id"].n_unique() == 100
    assert corpus.notes.is_empty()
    systems = Counter(corpus.annotations["system"])
    assert systems["ICD-9-CM"] + systems["ICD-10-CM"] == 4_506
    with gzip.open(shared_data / "mimic4_demo/hosp/diagnoses_icd.csv.gz", "rt") as file:
        assert systems["ICD-10-CM"] == sum(line.endswith(",10\n") for line in file)


@pytest.mark.real
def test_the_demo_is_written_back(shared_data: Path, tmp_path: Path) -> None:
    source = shared_data / "mimic4_demo"
    corpus = read("mimic4", source)
    assert write("mimic4", corpus, tmp_path / "out") == []
    assert differences(corpus, read("mimic4", tmp_path / "out")) == []
    for table in ("admissions", "diagnoses_icd", "procedures_icd", "patients"):
        with gzip.open(source / "hosp" / f"{table}.csv.gz") as file:
            published = file.read()
        written = (tmp_path / "out" / "hosp" / f"{table}.csv").read_bytes()
        assert sorted(written.splitlines()) == sorted(published.splitlines())


def test_notes_keep_every_character_and_know_their_chart_and_category(tmp_path: Path) -> None:
    notes = list(read("mimic4", make_tables(tmp_path)).iter_notes())
    assert notes == [
        Note("7-DS-1", "70", "7", "Discharge summary", "2130-05-09T00:00:00", TEXT,
             meta={"note_seq": "1", "storetime": "2130-05-10 01:00:00"}),
        Note("7-RR-1", "70", "7", "Radiology", "2130-05-06T09:30:00", "Clear.",
             meta={"note_seq": "1"}),
        Note("7-RR-2", "subject:7", "7", "Radiology", None, "Addendum.",
             meta={"note_seq": "2", "note_type": "AR"}),
    ]  # fmt: skip
    only = read("mimic4", tmp_path, categories=["radiology"])
    assert [n.note_id for n in only.iter_notes()] == ["7-RR-1", "7-RR-2"]


def test_codes_are_of_the_system_their_row_says(tmp_path: Path) -> None:
    annotations = list(read("mimic4", make_tables(tmp_path), annotator="model").iter_annotations())
    assert [(str(a.code), a.meta["seq_num"]) for a in annotations] == [
        ("ICD-9-CM 389.3", "1"),
        ("ICD-10-CM E11.9", "2"),
        ("ICD-9-CM E860.0", "3"),
        ("ICD-10-CM I10", "4"),
        ("ICD-9-PCS 38.93", "1"),
        ("ICD-10-PCS 02HV33Z", "2"),
        ("CPT 99218", "1"),
        ("HCPCS G0378", "2"),
    ]
    assert {(a.annotator, a.chart_id, a.note_id, a.spans) for a in annotations} == {
        ("model", "70", None, ())
    }


def test_tables_read_written_and_read_again_are_equal_packed_or_not(tmp_path: Path) -> None:
    corpus = read("mimic4", make_tables(tmp_path / "plain"))
    packed = read("mimic4", make_tables(tmp_path / "packed", packed=True))
    assert differences(corpus, packed) == []
    assert write("mimic4", packed, tmp_path / "out") == []
    assert differences(corpus, read("mimic4", tmp_path / "out")) == []
    assert differences(corpus, corpus.write(tmp_path / "corpus")) == []
    assert corpus.records is not None
    assert corpus.records.to_dicts() == [
        {"record_id": "70", "chart_id": "70", "subject_id": "7",
         "admittime": "2130-05-06 08:00:00", "race": "OTHER", "gender": "F", "anchor_age": "61"}
    ]  # fmt: skip


@pytest.mark.parametrize("part", ["hosp", "note"])
def test_either_folder_alone_and_tables_without_folders_are_read(tmp_path: Path, part: str) -> None:
    make_tables(tmp_path / "both")
    corpus = read("mimic4", tmp_path / "both")
    (tmp_path / "part").mkdir()
    (tmp_path / "both" / part).rename(tmp_path / "part" / part)
    alone = read("mimic4", tmp_path / "part")
    flat = read("mimic4", tmp_path / "part" / part)
    assert differences(alone, flat) == []
    counts = (alone.notes.height, alone.annotations.height)
    assert counts == ((0, 8) if part == "hosp" else (3, 0))
    assert write("mimic4", alone, tmp_path / "out") == []
    assert differences(alone, read("mimic4", tmp_path / "out")) == []
    assert corpus.manifest.name == "both"


def test_what_the_tables_cannot_hold_is_counted(tmp_path: Path) -> None:
    corpus = Corpus.of(
        [
            Note("1", "70", "7", "Nursing", text="Slept."),
            Note("2", "70", "7", "Radiology", text="Clear.", split="test"),
            Note("3", "70", "7", text="?"),
        ],
        [
            Annotation("billing", Code("ICD-10-CM", "I10"), "70", "2", (Span(0, 1),)),
            Annotation("billing", Code("HCPCS", "99218"), "70"),
            Annotation("billing", Code("MeSH", "D003920"), "70"),
            Annotation("nurse", Code("ICD-10-CM", "I10"), "70"),
        ],
        pl.DataFrame({"record_id": ["1"], "complaint": ["pain"]}),
    )
    losses = write("mimic4", corpus, tmp_path / "out")
    assert {(loss.what, loss.count) for loss in losses} == {
        ("notes of category Nursing", 1),
        ("notes without a category", 1),
        ("notes in a split", 1),
        ("annotations on one note", 1),
        ("annotations with spans", 1),
        ("codes that have the form of another code system", 1),
        ("codes of MeSH", 1),
        ("annotations by nurse", 1),
        ("records without a chart or a patient", 1),
    }
    assert [n.note_id for n in read("mimic4", tmp_path / "out").iter_notes()] == ["2"]


WORDS = st.text(st.characters(codec="utf-8") | st.sampled_from('",\r\n\\ 🫀é\0'), max_size=6)
IDS = st.sampled_from(["1", "2", "3.0", "subject:1", " "])
NOTES = st.builds(
    Note,
    IDS,
    IDS,
    st.none() | IDS,
    st.sampled_from(["Discharge summary", "Radiology", "Nursing", None]),
    st.sampled_from(["2101-10-20", "2101-10-20T19:08:00", "2101-10-20 19:08:00", "", None]),
    st.none() | WORDS,
    meta=st.dictionaries(st.sampled_from(["note_seq", "note_type", "other"]), WORDS),
)
ANNOTATIONS = st.builds(
    Annotation,
    st.just("billing"),
    st.builds(
        Code,
        st.sampled_from(["ICD-9-CM", "ICD-10-CM", "ICD-9-PCS", "ICD-10-PCS", "CPT", "HCPCS"]),
        st.sampled_from(["401.9", "38.93", "I10", "E11.9", "02HV33Z", "99291", "G0378", "a.b"]),
    ),
    IDS,
    meta=st.dictionaries(st.sampled_from(["seq_num", "subject_id"]), WORDS),
)


@settings(max_examples=examples(50), deadline=None)
@given(notes=st.lists(NOTES, max_size=2), annotations=st.lists(ANNOTATIONS, max_size=2))
def test_a_corpus_without_losses_reads_back_equal_and_no_loss_is_silent(
    notes: list[Note], annotations: list[Annotation]
) -> None:
    corpus = Corpus.of(notes, annotations)
    with tempfile.TemporaryDirectory() as folder:
        losses = write("mimic4", corpus, Path(folder) / "out")
        found = differences(corpus, read("mimic4", Path(folder) / "out"))
    assert bool(losses) == bool(found), (losses, found)


DAMAGED = {
    "missing column": (
        "note/discharge",
        b"charttime,storetime,text",
        b"charttime,storetime,txt",
        1,
    ),
    "unheard-of version": ("hosp/diagnoses_icd", b"E119,10", b"E119,11", 3),
    "no version": ("hosp/procedures_icd", b"02HV33Z,10", b"02HV33Z,", 3),
    "NUL": ("note/radiology", b"Clear.", b"Cl\0ear.", 2),
    "wrong encoding": ("note/radiology", b"Clear.", b"Cl\xe9ar.", 2),
    "quote not closed": ("note/radiology", b"Clear.", b'"Clear.', 2),
    "too few fields": ("hosp/admissions", b",OTHER", b"", 2),
    "note without id": ("note/radiology", b"7-RR-2", b"", 3),
    "empty file": ("hosp/patients", None, b"", None),
}


@pytest.mark.parametrize(("table", "old", "new", "row"), DAMAGED.values(), ids=DAMAGED)
def test_a_malformed_table_is_named_and_nothing_is_written(
    tmp_path: Path, table: str, old: bytes | None, new: bytes, row: int | None
) -> None:
    file = make_tables(tmp_path / "mimic") / f"{table}.csv"
    content = file.read_bytes()
    assert old is None or old in content
    file.write_bytes(new if old is None else content.replace(old, new, 1))
    with pytest.raises(FormatError) as caught:
        read("mimic4", tmp_path / "mimic").write(tmp_path / "corpus")
    assert (caught.value.file, caught.value.row) == (file, row)
    assert [path.name for path in tmp_path.iterdir()] == ["mimic"]
    assert "Clear" not in str(caught.value)


def test_tables_one_folder_further_down_are_pointed_at(tmp_path: Path) -> None:
    make_tables(tmp_path / "mimic")
    with pytest.raises(FormatError, match=f"{tmp_path / 'mimic'} has such tables"):
        read("mimic4", tmp_path)


def test_a_truncated_archive_is_named(tmp_path: Path) -> None:
    file = make_tables(tmp_path, packed=True) / "note" / "discharge.csv.gz"
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(FormatError, match=r"discharge.csv.gz: the gzip file is truncated"):
        read("mimic4", tmp_path)


def test_a_folder_without_the_tables_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="none of hosp/admissions"):
        read("mimic4", tmp_path)
