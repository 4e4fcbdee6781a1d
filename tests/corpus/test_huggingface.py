"""Hugging Face datasets: there and back, through their own files too, and rows of others."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import datasets
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

from auscult.core import Annotation, Code, CorpusError, MissingExtraError, Note, Span
from auscult.corpus import Corpus, Manifest
from auscult.corpus.compare import differences

TEXT = "🫀 Fever, no cough."


@pytest.fixture(autouse=True)
def _quiet() -> None:
    datasets.disable_progress_bars()


def example() -> Corpus:
    """Two annotators, a chart of two notes, one without notes, and annotations at every level."""
    fever = Code("ICD-10-CM", "R50.9")
    return Corpus.of(
        [
            Note("n1", "c1", "s1", "Nursing", "2101-02-03", TEXT, "train", {"k": "v"}),
            Note("n2", "c1", text="Cough"),
            Note("n3", "c3"),
        ],
        [
            Annotation("ann", fever, "c1", "n1", (Span(2, 7),), 0.1 + 0.2, meta={"why": "🫀"}),
            Annotation("ben", fever, "c1", "n1", (Span(0, 1), Span(9, 17))),
            Annotation("ann", fever, "c1", "n1", (Span(2, 7),)),
            Annotation("ann", fever, "c1", "n1", (Span(2, 7),)),
            Annotation("ann", fever, "c1", "n2"),
            Annotation("ann", fever, "c1"),
            Annotation("ann", fever, "c9", score=1.0),
            Annotation("ann", fever, "c1", "gone", (Span(1, 2),)),
            Annotation("ann", fever, "elsewhere", "n1", (Span(1, 2),)),
        ],
        manifest=Manifest(name="ward", description="d", license="CC0-1.0", source="s"),
    )


def test_a_row_is_a_note_with_its_annotations() -> None:
    rows = example().to_hf()
    assert rows.num_rows == 5  # three notes, and the two charts that have none
    first = rows[0]
    assert (first["note_id"], first["text"]) == ("n1", TEXT)
    assert first["annotations"][:2] == [
        {
            "annotator": "ann",
            "system": "ICD-10-CM",
            "code": "R50.9",
            "spans": [{"begin": 2, "end": 7}],
            "score": 0.1 + 0.2,
            "status": "given",
            "meta": '{"why": "🫀"}',
        },
        {
            "annotator": "ben",
            "system": "ICD-10-CM",
            "code": "R50.9",
            "spans": [{"begin": 0, "end": 1}, {"begin": 9, "end": 17}],
            "score": None,
            "status": "given",
            "meta": None,
        },
    ]
    assert [a["note_id"] for a in first["chart_annotations"]] == [None, "gone"]
    assert rows[1]["chart_annotations"] == []
    assert [(row["note_id"], row["chart_id"]) for row in rows][3:] == [
        (None, "c9"),
        (None, "elsewhere"),
    ]


def test_there_and_back_is_the_identity() -> None:
    corpus = example()
    rows = corpus.to_hf()
    back = Corpus.from_hf(rows)
    assert differences(corpus, back) == []
    assert back.manifest == corpus.manifest
    assert differences(corpus, Corpus.from_hf(rows.shuffle(seed=3))) == []
    empty = Corpus.of()
    assert differences(empty, Corpus.from_hf(empty.to_hf())) == []
    assert differences(Corpus.of([Note("n", "n")]), Corpus.from_hf(rows.select([]))) != []


def test_a_selection_is_a_selection() -> None:
    corpus = Corpus.from_hf(example().to_hf().select([1]))
    assert [note.note_id for note in corpus.iter_notes()] == ["n2"]
    assert [a.note_id for a in corpus.iter_annotations()] == ["n2"]


def test_files_of_datasets_come_back(tmp_path: Path) -> None:
    corpus = example()
    rows = corpus.to_hf()
    rows.save_to_disk(tmp_path / "disk")
    rows.to_parquet(tmp_path / "rows.parquet")
    for read in (
        datasets.load_from_disk(tmp_path / "disk"),
        datasets.Dataset.from_parquet(str(tmp_path / "rows.parquet"), cache_dir=tmp_path / "c"),
    ):
        assert differences(corpus, Corpus.from_hf(read)) == []


def test_splits_name_the_notes_split() -> None:
    rows = example().to_hf()
    parts = datasets.DatasetDict({"train": rows.select([0]), "dev": rows.select([1, 2])})
    corpus = Corpus.from_hf(parts)  # a mapping of parts is read like its parts
    assert {note.note_id: note.split for note in corpus.iter_notes()} == {
        "n1": "train",
        "n2": "dev",
        "n3": "dev",
    }


def test_rows_of_others_need_little() -> None:
    rows = datasets.Dataset.from_list(
        [
            {
                "note_id": 7,
                "text": "Fever",
                "other": 1.5,
                "annotations": [{"system": "S", "code": "C", "spans": [{"begin": 0, "end": 5}]}],
            },
            {"note_id": 8, "text": "x", "other": 2.5, "annotations": []},
        ]
    )
    corpus = Corpus.from_hf(rows)
    assert list(corpus.iter_notes()) == [Note("7", "7", text="Fever"), Note("8", "8", text="x")]
    assert list(corpus.iter_annotations()) == [
        Annotation("gold", Code("S", "C"), "7", "7", (Span(0, 5),))
    ]


CODE = {"system": "S", "code": "C"}


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([{"id": "1"}], "has no column note_id; it has id"),
        ([{"note_id": "1"}, {"note_id": "1"}], "2 rows share a note_id with another"),
        ([{"note_id": None, "text": "x"}, {"note_id": "1", "text": "y"}], "1 rows .* no note_id"),
        ([{"note_id": "1", "annotations": ["x"]}], "annotations is List.*list of structs"),
        ([{"note_id": "1", "annotations": [{"code": "C"}]}], "in annotations lack system"),
        ([{"note_id": "1", "annotations": [{"system": "", "code": "C"}]}], "1 .* have no system"),
        (
            [{"note_id": "1", "annotations": [{**CODE, "spans": [{"begin": 5, "end": 3}]}]}],
            "1 annotations of the dataset have a span that is not 0 ≤ begin ≤ end",
        ),
        (
            [{"note_id": "1", "annotations": [{**CODE, "spans": 3}]}],
            "cannot be converted to the corpus schema",
        ),
        ([{"note_id": "1", "meta": "not JSON"}], "1 values in meta are not a JSON object"),
        (
            [{"chart_annotations": [{**CODE, "spans": [{"begin": 0, "end": 1}]}], "note_id": "1"}],
            "have spans but no note_id",
        ),
    ],
)
def test_what_is_no_corpus_says_why(rows: list[dict[str, Any]], problem: str) -> None:
    with pytest.raises(CorpusError, match=problem):
        Corpus.from_hf(datasets.Dataset.from_list(rows))


def test_streams_are_refused() -> None:
    with pytest.raises(
        CorpusError, match=r"got IterableDataset\. Load the dataset without streaming"
    ):
        Corpus.from_hf(example().to_hf().to_iterable_dataset())


def test_records_are_said_to_be_left_out() -> None:
    corpus = Corpus.of([Note("n", "n")], records=pl.DataFrame({"record_id": ["r"]}))
    with pytest.warns(UserWarning, match="records of the corpus are not part of the dataset"):
        corpus.to_hf()


def test_without_datasets_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    genuine = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "datasets":
            raise ImportError(name)
        return genuine(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"pip install 'auscult\[hf\]'"):
        example().to_hf()


IDS = st.sampled_from(["a", "b", "c", "🫀"])
TEXTS = st.text(st.sampled_from("aé🫀\u0301\u00a0 \t\r\n\0"), max_size=12)


@st.composite
def corpora(draw: st.DrawFn) -> Corpus:
    notes = [
        Note(note_id, draw(IDS), text=draw(st.none() | TEXTS), category=draw(st.none() | TEXTS))
        for note_id in draw(st.lists(IDS, unique=True))
    ]

    def annotation() -> Annotation:
        note_id = draw(st.none() | IDS)
        ends = st.tuples(st.integers(0, 12), st.integers(0, 12)).map(sorted)
        spans = draw(st.lists(ends, max_size=3)) if note_id else []
        return Annotation(
            draw(TEXTS),
            Code("S", draw(IDS)),
            draw(IDS),
            note_id,
            tuple(Span(*pair) for pair in spans),
            draw(st.none() | st.floats(allow_nan=False)),
            meta=draw(st.dictionaries(TEXTS, TEXTS, max_size=2)),
        )

    return Corpus.of(notes, [annotation() for _ in range(draw(st.integers(0, 8)))])


@given(corpora())
@settings(deadline=None, max_examples=examples(40))
def test_any_corpus_comes_back(corpus: Corpus) -> None:
    assert differences(corpus, Corpus.from_hf(corpus.to_hf())) == []
