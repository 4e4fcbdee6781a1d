"""A corpus from data frames of polars and pandas, and back."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from auscult.core import Annotation, Code, CorpusError, FormatError, Note, Span
from auscult.corpus import Corpus
from auscult.corpus.compare import differences

pd = pytest.importorskip("pandas")

_NOTES: dict[str, list[Any]] = {
    "note_id": [11, 12, 13],
    "hadm_id": [100.0, 100.0, None],
    "subject_id": [1, 1, 2],
    "category": ["Radiology", None, "Nursing"],
    "time": [dt.datetime(2151, 3, 4, 5, 6, 7), None, None],
    "split": ["train", "train", "test"],
    "text": ["Fever, no cough.", "Pneumonia 🫁 today", None],
    "room": ["A", "B", "C"],
}
_CODES: dict[str, list[Any]] = {
    "note_id": [11.0, 12.0, None],
    "hadm_id": [None, None, 100],
    "code": ["r509", "J189", "99291"],
    "system": ["ICD-10-CM", "ICD-10-CM", "CPT"],
    "begin": [0, 0, None],
    "end": [5, 11, None],
    "score": [0.5, None, None],
}
Maker = Callable[[Any, Any], Corpus]


def by_polars(notes: Any, codes: Any = None, **options: Any) -> Corpus:
    made = [None if d is None else pl.DataFrame(d, strict=False) for d in (notes, codes)]
    assert made[0] is not None
    return Corpus.from_polars(made[0], made[1], **options)


def by_pandas(notes: Any, codes: Any = None, **options: Any) -> Corpus:
    made = [None if d is None else pd.DataFrame(d) for d in (notes, codes)]
    return Corpus.from_pandas(made[0], made[1], **options)


@pytest.mark.parametrize("make", [by_polars, by_pandas])
def test_what_a_researcher_has_becomes_a_corpus(make: Maker) -> None:
    with pytest.warns(UserWarning, match="1 column of the table of notes is not used: room"):
        corpus = make(_NOTES, _CODES)
    assert list(corpus.iter_notes()) == [
        Note("11", "100", "1", "Radiology", "2151-03-04T05:06:07", "Fever, no cough.", "train"),
        Note("12", "100", "1", None, None, "Pneumonia 🫁 today", "train"),
        Note("13", "13", "2", "Nursing", None, None, "test"),
    ]
    assert list(corpus.iter_annotations()) == [
        Annotation("gold", Code("ICD-10-CM", "R50.9"), "100", "11", (Span(0, 5),), 0.5),
        Annotation("gold", Code("ICD-10-CM", "J18.9"), "100", "12", (Span(0, 11),)),
        Annotation("gold", Code("CPT", "99291"), "100"),
    ]


@pytest.mark.parametrize("make", [by_polars, by_pandas])
def test_two_columns_are_enough(make: Callable[..., Corpus]) -> None:
    notes = {"NOTE_ID": ["a"], "TEXT": ["Fever."]}
    corpus = make(notes, {"note_id": ["a"], "code": ["4019"]}, system="ICD-9-CM", annotator="me")
    (one,) = corpus.iter_annotations()
    assert one == Annotation("me", Code("ICD-9-CM", "401.9"), "a", "a")
    assert make(notes).annotations.is_empty()


@pytest.mark.parametrize("make", [by_polars, by_pandas])
@pytest.mark.parametrize(
    ("notes", "codes", "said"),
    [
        ({"text": ["x"]}, None, "needs a column note_id; it has text"),
        ({"note_id": ["a"], "body": ["x"]}, None,
         "needs a column text; it has note_id, body. Rename yours to text"),
        ({"noteid": ["a"], "text": ["x"]}, None,
         "needs a column note_id; it has noteid, text. Did you mean noteid"),
        ({"note_id": ["a", "a"], "text": ["x", "y"]}, None, "notes row 1: duplicate note 'a'"),
        ({"note_id": ["a", None], "text": ["x", "y"]}, None, "notes row 1: a note needs"),
        ({"note_id": ["a"], "text": [7]}, None, "notes row 0: column text must be text, not int"),
        ({}, {"note_id": ["a"], "code": ["I10"]}, "needs a column system.*system="),
        ({}, {"code": ["I10"], "system": ["S"]}, "note_id or chart_id.*it has code, system"),
        ({}, {"note_id": ["a"], "code": [4019], "system": ["S"]}, "leading zeros"),
        ({}, {"note_id": ["a", "z"], "code": ["A", "B"], "system": ["S", "S"]},
         "annotations row 1: column note_id: there is no note 'z'"),
        ({}, {"chart_id": ["q"], "code": ["A"], "system": ["S"]}, "No chart_id of the annotations"),
        ({}, {"note_id": ["a"], "chart_id": ["q"], "code": ["A"], "system": ["S"]},
         "annotations row 0: column chart_id: note 'a' belongs to chart 'a', not 'q'"),
        ({}, {"note_id": ["a"], "code": ["A"], "system": ["S"], "begin": [0], "end": [99]},
         "annotations row 0: .*99"),
        ({}, {"note_id": ["a"], "code": ["A"], "system": ["S"], "begin": [3]},
         "annotations row 0: column end is missing"),
        ({}, {"note_id": ["a"], "code": ["A"], "system": ["S"], "begin": [0.5], "end": [2]},
         "annotations row 0: column begin must be an integer"),
        ({}, {"note_id": ["a"], "code": ["A"], "system": ["S"], "score": ["high"]},
         "annotations row 0: column score must be a number"),
        ({}, {"note_id": ["a"], "code": [""], "system": ["S"]}, "annotations row 0: .*a code"),
    ],
)  # fmt: skip
def test_errors_name_the_row_and_the_column(
    make: Maker, notes: dict[str, Any], codes: dict[str, Any] | None, said: str
) -> None:
    with pytest.raises((CorpusError, FormatError), match=said) as caught:
        make(notes or {"note_id": ["a"], "text": ["SECRET"]}, codes)
    assert "SECRET" not in str(caught.value)


@pytest.mark.parametrize("make", [by_polars, by_pandas])
def test_columns_that_are_not_used_are_named(make: Maker) -> None:
    notes = {"note_id": ["a"], "text": ["SECRET"], "Catgory": ["Nursing"], "ward": ["SECRET"]}
    codes = {"note_id": ["a"], "code": ["I10"], "system": ["ICD-10-CM"], "annotater": ["ann"]}
    with pytest.warns(UserWarning, match="not used") as caught:
        corpus = make(notes, codes)
    of_notes, of_codes = (str(one.message) for one in caught)
    assert "2 columns of the table of notes are not used: Catgory, ward. Catgory: Did" in of_notes
    assert "mean category?" in of_notes
    assert "SECRET" not in of_notes
    assert "of annotations is not used: annotater. annotater: Did you mean annotator?" in of_codes
    assert corpus.notes["category"].to_list() == [None]


def test_the_wrong_library_is_told() -> None:
    with pytest.raises(CorpusError, match=r"Corpus\.from_polars"):
        Corpus.from_pandas(pl.DataFrame(_NOTES, strict=False))
    with pytest.raises(CorpusError, match=r"Corpus\.from_pandas"):
        Corpus.from_polars(pd.DataFrame(_NOTES))


def test_tables_of_a_corpus_go_there_and_back() -> None:
    corpus = Corpus.of(
        [Note("n", "c", "s", "Nursing", "2150-01-01", "Fever, no cough.", meta={"a": "b"},
              read_by=("x",))],
        [
            Annotation("x", Code("ICD-10-CM", "R50.9"), "c", "n", (Span(0, 5), Span(7, 9)), 0.25),
            Annotation("y", Code("CPT", "99291"), "c"),
        ],
        pl.DataFrame({"record_id": ["r"], "chart_id": ["c"], "age": [70]}),
    )  # fmt: skip
    tables = (corpus.notes, corpus.all_annotations, corpus.records)
    assert differences(corpus, Corpus.from_polars(*tables)) == []
    frames = (None if table is None else table.to_pandas() for table in tables)
    assert differences(corpus, Corpus.from_pandas(*frames)) == []


def test_pandas_own_types_are_read() -> None:
    notes = pd.DataFrame(
        {
            "note_id": pd.array([1, 2], dtype="Int64"),
            "chart_id": pd.array([7, None], dtype="Int64"),
            "category": pd.Categorical(["a", None]),
            "time": pd.to_datetime(["2150-01-02 03:04", None]),
            "text": pd.array(["x", pd.NA], dtype="string"),
        }
    )
    first, second = Corpus.from_pandas(notes).iter_notes()
    assert first == Note("1", "7", None, "a", "2150-01-02T03:04:00", "x")
    assert second == Note("2", "2")


def test_the_example_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (Path(__file__).parents[2] / "docs" / "corpus.md").read_text(encoding="utf-8")
    example = page.split("## From your own data frames")[1].split("```python\n")[1].split("```")[0]
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(example, names)
    assert names["corpus"].annotations["code"].to_list() == ["R50.9", "R07.9"]
    assert Corpus.open("corpus").manifest.annotators == {"gold": 2}
