"""CodiEsp's folders of texts and tables."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auscult.core import Annotation, Code, FormatError, Note, Offsets, OffsetUnit, OptionError, Span
from auscult.corpus import Corpus
from auscult.corpus.compare import differences
from auscult.corpus.formats import read, write

TEXT = "Varón con 🫀 sano.\nTos, fiebre\ny dolor torácico agudo.\n"
X = """\
caso-1\tDIAGNOSTICO\tr50.9\tfiebre\t23 29
caso-1\tDIAGNOSTICO\tr07.9\tagudo dolor\t47 52;32 37
caso-1\tPROCEDIMIENTO\tbw03zzz\ttorácic\t38 46
"""
D = "caso-1\tr50.9\ncaso-1\tr07.9\ncaso-1\tr05\n"
P = "caso-1\tbw03zzz\n"


def _split(folder: Path, split: str = "dev", **changes: str | bytes) -> Path:
    """A folder of one split, with the tables as given."""
    root = folder / split
    (root / "text_files").mkdir(parents=True)
    (root / "text_files" / "caso-1.txt").write_bytes(TEXT.encode())
    for letter, rows in {"X": X, "D": D, "P": P, **changes}.items():
        raw = rows if isinstance(rows, bytes) else rows.encode()
        (root / f"{split}{letter}.tsv").write_bytes(raw)
    return root


def test_rows_become_annotations(tmp_path: Path) -> None:
    corpus = read("codiesp", _split(tmp_path))
    (note,) = corpus.iter_notes()
    assert (note.note_id, note.chart_id, note.split, note.text) == ("caso-1", "caso-1", "dev", TEXT)
    found = {str(a.code): a for a in corpus.iter_annotations()}
    assert {code: a.spans for code, a in found.items()} == {
        "ICD-10-CM R50.9": (Span(23, 29),),
        "ICD-10-CM R07.9": (Span(47, 52), Span(32, 37)),
        "ICD-10-PCS BW03ZZZ": (Span(38, 46),),
        "ICD-10-CM R05": (),
    }
    assert found["ICD-10-CM R50.9"].spans[0].of(TEXT) == "fiebre"
    assert found["ICD-10-PCS BW03ZZZ"].meta == {"quote": "torácic"}
    assert not any(a.meta for code, a in found.items() if code != "ICD-10-PCS BW03ZZZ")
    assert {a.annotator for a in found.values()} == {"gold"}


def test_a_folder_of_splits_is_read_whole(tmp_path: Path) -> None:
    _split(tmp_path, "train")
    other = _split(tmp_path, "test", X="", D="", P="")
    (other / "text_files" / "caso-1.txt").rename(other / "text_files" / "caso-2.txt")
    notes = [(note.note_id, note.split) for note in read("codiesp", tmp_path).iter_notes()]
    assert notes == [("caso-1", "train"), ("caso-2", "test")]


def test_tables_may_be_missing(tmp_path: Path) -> None:
    root = _split(tmp_path)
    for letter in "XDP":
        (root / f"dev{letter}.tsv").unlink()
    corpus = read("codiesp", root)
    assert len(list(corpus.iter_notes())) == 1
    assert list(corpus.iter_annotations()) == []


def test_english_has_codes_and_no_spans(tmp_path: Path) -> None:
    root = _split(tmp_path)
    (root / "text_files_en").mkdir()
    (root / "text_files_en" / "caso-1.txt").write_text("Cough, fever")
    corpus = read("codiesp", tmp_path, language="en")
    assert [note.text for note in corpus.iter_notes()] == ["Cough, fever"]
    assert Counter(str(a.code) for a in corpus.iter_annotations()) == {
        "ICD-10-CM R50.9": 1,
        "ICD-10-CM R07.9": 1,
        "ICD-10-CM R05": 1,
        "ICD-10-PCS BW03ZZZ": 1,
    }
    assert all(not a.spans and not a.meta for a in corpus.iter_annotations())
    assert write("codiesp", corpus, tmp_path / "out", language="en") == []
    assert differences(corpus, read("codiesp", tmp_path / "out", language="en")) == []


def test_tables_are_written_as_published(tmp_path: Path) -> None:
    corpus = read("codiesp", _split(tmp_path / "in"))
    assert write("codiesp", corpus, tmp_path / "out") == []
    assert (tmp_path / "out" / "dev" / "devX.tsv").read_text() == X
    assert (tmp_path / "out" / "dev" / "devD.tsv").read_text() == D
    assert (tmp_path / "out" / "dev" / "devP.tsv").read_text() == P
    assert (tmp_path / "out" / "dev" / "text_files" / "caso-1.txt").read_text() == TEXT
    assert differences(corpus, read("codiesp", tmp_path / "out")) == []


@pytest.mark.parametrize("unit", [OffsetUnit.UTF16, OffsetUnit.UTF8])
def test_other_units_are_named_and_read(tmp_path: Path, unit: OffsetUnit) -> None:
    begin, end = Offsets(TEXT, unit).span_from_codepoint(Span(23, 29))
    root = _split(tmp_path, X=f"caso-1\tDIAGNOSTICO\tr50.9\tfiebre\t{begin} {end}\n")
    with pytest.raises(FormatError, match=f"devX.tsv row 1: .*pass --offsets {unit}"):
        read("codiesp", root)
    spans = [a.spans for a in read("codiesp", root, offsets=unit).iter_annotations() if a.spans]
    assert spans == [(Span(23, 29),)]


@pytest.mark.parametrize(
    ("letter", "rows", "row"),
    [
        ("X", X + "caso-1\tDIAGNOSTICO\tr50.9\tfiebre\n", 4),
        ("X", X + "caso-1\tDIAGNOSTICO\tr50.9\tfie\tbre\t23 29\n", 4),
        ("X", X + "caso-9\tDIAGNOSTICO\tr50.9\tfiebre\t23 29\n", 4),
        ("X", X + "caso-1\tDIAGNOSIS\tr50.9\tfiebre\t23 29\n", 4),
        ("X", X + "caso-1\tDIAGNOSTICO\t \tfiebre\t23 29\n", 4),
        ("X", X + "\ncaso-1\tDIAGNOSTICO\tr50.9\tfiebre\t23-29\n", 5),
        ("X", X + "caso-1\tDIAGNOSTICO\tr50.9\tfiebre\t-3 29\n", 4),
        ("X", X + "caso-1\tDIAGNOSTICO\tr50.9\tfiebre\t29 23\n", 4),
        ("X", X + "caso-1\tDIAGNOSTICO\tr50.9\tfiebre\t23 300\n", 4),
        ("X", X + f"caso-1\tDIAGNOSTICO\tr50.9\tfiebre\t1 {'9' * 5000}\n", 4),
        ("X", X[:-10], 3),
        ("X", X.encode("iso-8859-1"), 3),
        ("X", X + "\0", 4),
        ("D", D + "caso-1\n", 4),
        ("D", D + "caso-1\tDIAGNOSTICO\tr50.9\n", 4),
        ("P", "caso-9\tbw03zzz\n", 1),
        ("P", "caso-1\t\n", 1),
    ],
)
def test_malformed_tables_are_errors_with_file_and_row(
    tmp_path: Path, letter: str, rows: str | bytes, row: int
) -> None:
    root = _split(tmp_path, "dev", **{letter: rows})
    with pytest.raises(FormatError) as caught:
        read("codiesp", root)
    assert (caught.value.file, caught.value.row) == (root / f"dev{letter}.tsv", row)
    assert "fiebre" not in str(caught.value)


def _empty(root: Path) -> None:
    (root / "text_files" / "caso-1.txt").unlink()


def _latin(root: Path) -> None:
    (root / "text_files" / "caso-1.txt").write_bytes("Varón".encode("iso-8859-1"))


def _no_texts(root: Path) -> None:
    shutil.rmtree(root / "text_files")


def _two_tables(root: Path) -> None:
    (root / "devX.tsv").rename(root / "aX.tsv")
    (root / "bX.tsv").write_text("")


def _twice(root: Path) -> None:
    _split(root.parent, "train")


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (_empty, "no \\*.txt file"),
        (_latin, "caso-1.txt row 1: byte 0xf3"),
        (_no_texts, "folder text_files"),
        (_two_tables, "more than one"),
        (_twice, "another split"),
    ],
)
def test_malformed_folders_are_errors(
    tmp_path: Path, damage: Callable[[Path], None], problem: str
) -> None:
    damage(_split(tmp_path))
    with pytest.raises(FormatError, match=problem):
        read("codiesp", tmp_path)


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FormatError, match="expected a folder"):
        read("codiesp", tmp_path / "file")


def test_what_the_tables_cannot_hold_is_said(tmp_path: Path) -> None:
    code = Code("ICD-10-CM", "R50.9")
    span = (Span(0, 5),)
    corpus = Corpus.of(
        [
            Note("1", "chart", "p", "Report", "2001", "Fever", "dev"),
            Note("a/b", "a/b", text="", split=None),
            Note("3", "3", split="dev"),
        ],
        [
            Annotation("gold", code, "chart", "1", span, 0.5, meta={"why": "because"}),
            Annotation("gold", code, "chart", "1"),
            Annotation("me", Code("ICD-9-CM", "780.6"), "chart", "1", span),
            Annotation("gold", code, "3", "3", (Span(0, 5),)),
            Annotation("gold", Code("ICD-10-PCS", "not a\tcode"), "chart", "1"),
            Annotation("gold", Code("ICD-10-PCS", "Not A Code"), "chart", "1"),
            Annotation("gold", code, "chart"),
        ],
    )
    losses = {str(loss) for loss in write("codiesp", corpus, tmp_path / "out")}
    assert losses == {
        "1 annotations on a whole chart (note_id is null): left out",
        "1 annotations by the annotator me: "
        "the annotator is left out, so they read back as by gold",
        "1 notes with a subject_id: the subject_id is left out",
        "1 notes with a category: the category is left out",
        "1 notes with a time: the time is left out",
        "1 notes whose chart_id differs from their note_id: the chart_id reads back as the note_id",
        "1 notes without a split: written in the split unsplit",
        "1 notes without text: written with an empty text",
        "1 notes whose note_id is not a valid file name: the note_id is changed",
        "1 annotations with a score: the score is left out",
        "1 annotations with meta 'why': the meta is left out",
        "1 annotations with codes of the system ICD-9-CM: left out",
        "1 annotations with spans past the end of the note: the spans are left out",
        "1 annotations without spans whose code the note already has: left out",
        "1 annotations with malformed codes: left out",
        "1 annotations with malformed codes: read back in lower case",
    }
    back = read("codiesp", tmp_path / "out")
    assert {(n.note_id, n.split) for n in back.iter_notes()} == {
        ("1", "dev"),
        ("3", "dev"),
        ("note-1", "unsplit"),
    }
    assert Counter(a.code.value for a in back.iter_annotations()) == {"R50.9": 2, "not a code": 1}


def test_no_notes_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="no notes"):
        write("codiesp", Corpus.of(), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


@settings(deadline=None)
@given(
    st.text("aé🫀\u0301 \t\r\n\ufeff\u0085;", max_size=30),
    st.lists(st.tuples(st.sampled_from(["R50.9", "I10", "E11.9"]), st.integers(0, 3)), max_size=5),
    st.data(),
)
def test_made_up_notes_come_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory,
    text: str,
    codes: list[tuple[str, int]],
    data: st.DataObject,
) -> None:
    edge = st.integers(0, len(text))
    annotations: list[Annotation] = []
    for value, parts in codes:
        pairs = data.draw(st.lists(st.tuples(edge, edge), min_size=parts, max_size=parts))
        spans = tuple(Span(min(pair), max(pair)) for pair in pairs)
        if spans or value not in {a.code.value for a in annotations}:
            annotations.append(Annotation("gold", Code("ICD-10-CM", value), "n", "n", spans))
    spanned = {a.code for a in annotations if a.spans}
    annotations = [a for a in annotations if a.spans or a.code not in spanned]
    corpus = Corpus.of([Note("n", "n", text=text, split="train")], annotations)
    target = tmp_path_factory.mktemp("codiesp") / "out"
    assert write("codiesp", corpus, target) == []
    assert differences(corpus, read("codiesp", target)) == []


@pytest.mark.real
@pytest.mark.parametrize(
    ("split", "notes", "rows", "discontinuous"),
    [("train", 500, 9181, 1787), ("dev", 250, 4477, 966)],
)
def test_the_published_counts(
    shared_data: Path, split: str, notes: int, rows: int, discontinuous: int
) -> None:
    corpus = read("codiesp", shared_data / "codiesp" / split)
    annotations = corpus.annotations
    assert corpus.lazy_notes.select(pl.len()).collect().item() == notes
    assert set(corpus.notes["split"]) == {split}
    assert annotations.height == rows
    assert annotations.filter(pl.col("spans").list.len() > 1).height == discontinuous
    assert annotations.filter(pl.col("spans").list.len() == 0).height == 0
    assert (annotations["code"] == annotations["code"].str.to_uppercase()).all()


@pytest.mark.real
def test_seven_quotes_are_off_by_one_character(shared_data: Path) -> None:
    corpus = read("codiesp", shared_data / "codiesp")
    texts = {note.note_id: note.text or "" for note in corpus.iter_notes()}
    off = [a for a in corpus.iter_annotations() if "quote" in a.meta]
    assert len(off) == 7
    for annotation in off:
        pointed = " ".join(s.of(texts[annotation.note_id or ""]) for s in annotation.spans)
        assert annotation.meta["quote"] in (pointed[:-1], pointed[1:])


@pytest.mark.real
@pytest.mark.parametrize("language", ["es", "en"])
def test_the_published_folders_come_back(shared_data: Path, tmp_path: Path, language: str) -> None:
    corpus = read("codiesp", shared_data / "codiesp", language=language)
    assert write("codiesp", corpus, tmp_path / "out", language=language) == []
    again = read("codiesp", tmp_path / "out", language=language)
    assert differences(corpus, again) == []


@pytest.mark.real
@pytest.mark.parametrize("split", ["train", "dev"])
def test_the_published_tables_are_written_again(
    shared_data: Path, tmp_path: Path, split: str
) -> None:
    source = shared_data / "codiesp" / split
    write("codiesp", read("codiesp", source), tmp_path / "out")
    target = tmp_path / "out" / split
    assert (target / f"{split}X.tsv").read_bytes() == (source / f"{split}X.tsv").read_bytes()
    for letter in "DP":
        name = f"{split}{letter}.tsv"
        rows, published = ((f / name).read_text().splitlines() for f in (target, source))
        assert sorted(rows) == sorted(published)
    for text in (source / "text_files").iterdir():
        assert (target / "text_files" / text.name).read_bytes() == text.read_bytes()
