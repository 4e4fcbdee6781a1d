"""brat stand-off: every kind of line, the real MEDDOCAN, and files to the byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from auscult.core import Annotation, Code, FormatError, Note, Span
from auscult.corpus import Corpus
from auscult.corpus.compare import differences
from auscult.corpus.formats import read, write

TEXT = "Acute 🫀 renal\nfailure, no HTN.\n"
LINES = """\
T1\tDisorder 8 21\trenal failure
N1\tReference T1 UMLS:C0022660\tKidney Failure, Acute
A1\tNegation T1
A2\tCertainty T1 very likely
#1\tAnnotatorNotes T1\tsee the labs
T2\tDisorder 0 5;8 13\tAcute renal
T3\tSign 26 29\tHTN
N2\tReference T3 ICD-10-CM:I10\t
N3\tReference T3 UMLS:C0020538\tHypertension
R1\tCauses Arg1:T1 Arg2:T2
*\tEquiv T1 T2
E1\tChange:T2 Theme:T1
A3\tPast E1
"""


def put(folder: Path, ann: str = LINES, text: str | None = TEXT, name: str = "n1") -> Path:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.ann").write_text(ann, encoding="utf-8", newline="")
    if text is not None:
        (folder / f"{name}.txt").write_text(text, encoding="utf-8", newline="")
    return folder


def test_every_kind_of_line(tmp_path: Path) -> None:
    corpus = read("brat", put(tmp_path))
    (note,) = corpus.iter_notes()
    assert (note.note_id, note.chart_id, note.text) == ("n1", "n1", TEXT)
    assert note.meta["relations"].split("\n") == LINES.splitlines()[-4:]
    kidney, acute, *pressure = corpus.iter_annotations()
    assert kidney == Annotation(
        "gold",
        Code("UMLS", "C0022660"),
        "n1",
        "n1",
        (Span(8, 21),),
        meta={
            "type": "Disorder",
            "id": "T1",
            "reference": "Kidney Failure, Acute",
            "attribute:Negation": "",
            "attribute:Certainty": "very likely",
            "note:AnnotatorNotes": "see the labs",
        },
    )
    assert acute == Annotation(
        "gold", Code("brat", "Disorder"), "n1", "n1", (Span(0, 5), Span(8, 13)), meta={"id": "T2"}
    )
    assert [str(annotation.code) for annotation in pressure] == ["ICD-10-CM I10", "UMLS C0020538"]
    assert {annotation.spans for annotation in pressure} == {(Span(26, 29),)}
    assert pressure[0].meta == {"type": "Sign", "id": "T3"}
    assert pressure[1].meta == {"type": "Sign", "id": "T3", "reference": "Hypertension"}


def test_every_kind_of_line_is_written_back(tmp_path: Path) -> None:
    corpus = read("brat", put(tmp_path / "in"))
    assert write("brat", corpus, tmp_path / "out") == []
    assert (tmp_path / "out" / "n1.txt").read_bytes() == TEXT.encode()
    written = (tmp_path / "out" / "n1.ann").read_text(encoding="utf-8").splitlines()
    # attributes come in order of name, and two normalizations still share their T3
    assert sorted(line.split("\t", 1)[1] for line in written) == sorted(
        line.split("\t", 1)[1] for line in LINES.splitlines()
    )
    assert {line.split("\t")[0] for line in written if line[0] in "TRE"} == {
        *("T1", "T2", "T3", "R1", "E1")
    }
    assert differences(corpus, read("brat", tmp_path / "out")) == []


def test_plain_annotations_to_the_byte(tmp_path: Path) -> None:
    corpus = Corpus.of(
        [Note("ward/n 1", "ward/n 1", text=TEXT)],
        [
            Annotation("gold", Code("ICD-10-CM", "N17.9"), "ward/n 1", "ward/n 1", (Span(8, 21),)),
            Annotation("gold", Code("brat", "Sign"), "ward/n 1", "ward/n 1", (Span(26, 29),)),
            Annotation(
                "ann", Code("SNOMED CT", "14669001"), "ward/n 1", "ward/n 1", (Span(0, 5),), 0.5
            ),
        ],
    )
    assert write("brat", corpus, tmp_path / "out") == []
    assert (tmp_path / "out" / "ward" / "n 1.ann").read_text(encoding="utf-8") == (
        "T1\tICD-10-CM 8 21\trenal failure\n"
        "N1\tReference T1 ICD-10-CM:N17.9\t\n"
        "T2\tSign 26 29\tHTN\n"
        "T3\tSNOMED_CT 0 5\tAcute\n"
        '#1\tAuscult T3\t{"annotator": "ann", "code": "14669001", "score": 0.5, '
        '"system": "SNOMED CT"}\n'
    )
    assert differences(corpus, read("brat", tmp_path / "out")) == []


def test_a_folder_tree(tmp_path: Path) -> None:
    put(tmp_path, "", "one", "a/1")
    put(tmp_path, "T1\tX 0 3\ttwo\n", "two", "b/1")
    (tmp_path / "b" / "2.txt").write_text("without annotations")
    (tmp_path / "b" / ".hidden.txt").write_text("no note")
    (tmp_path / "annotation.conf").write_text("no note")
    corpus = read("brat", tmp_path)
    assert [note.note_id for note in corpus.iter_notes()] == ["a/1", "b/1", "b/2"]
    assert [annotation.note_id for annotation in corpus.iter_annotations()] == ["b/1"]
    alone = read("brat", tmp_path / "b" / "1.txt")
    assert [(note.note_id, note.text) for note in alone.iter_notes()] == [("1", "two")]


def test_ids_cannot_lead_out_of_the_folder(tmp_path: Path) -> None:
    notes = [Note(n, n, text="x") for n in ("../up", "/etc/x", "a//b", ".", "a.txt/b", "a", "%41")]
    assert write("brat", Corpus.of(notes), tmp_path / "deep" / "out") == []
    assert [path.name for path in tmp_path.iterdir()] == ["deep"]
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["out"]
    assert differences(Corpus.of(notes), read("brat", tmp_path / "deep" / "out")) == []


def test_without_text(tmp_path: Path) -> None:
    corpus = read("brat", put(tmp_path / "in", "T1\tX 3 400\tsome words\n", None))
    (note,), (annotation,) = corpus.iter_notes(), corpus.iter_annotations()
    assert note.text is None
    assert annotation.spans == (Span(3, 400),)
    assert annotation.meta == {"quote": "some words"}
    assert write("brat", corpus, tmp_path / "out") == []
    assert differences(corpus, read("brat", tmp_path / "out")) == []


def test_a_byte_order_mark_counts_as_a_character(tmp_path: Path) -> None:
    corpus = read("brat", put(tmp_path / "in", "T1\tX 1 6\tfever\n", "\ufefffever"))
    (annotation,) = corpus.iter_annotations()
    assert annotation.meta == {}
    write("brat", corpus, tmp_path / "out")
    assert (tmp_path / "out" / "n1.txt").read_bytes() == b"\xef\xbb\xbffever"


def test_windows_line_ends_in_the_ann_file(tmp_path: Path) -> None:
    corpus = read("brat", put(tmp_path, LINES.replace("\n", "\r\n")))
    assert differences(corpus, read("brat", put(tmp_path / "other"))) == []


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("T1\tX 0 99\tAcute", "end 99 is past the note's 31 characters"),
        ("T1\tX 5 0\tAcute", "0 ≤ begin ≤ end"),
        ("T1\tX -1 5\tAcute", r"expected T1<TAB>Type begin end<TAB>text"),
        ("T1\tX 0\tAcute", r"expected T1<TAB>Type begin end<TAB>text"),
        ("T1 X 0 5 Acute", r"expected T1<TAB>Type begin end<TAB>text"),
        ("T1\tX 0 5;\tAcute", r"expected T1<TAB>Type begin end<TAB>text"),
        ("T1\tX 0 ٣\tAcute", r"expected T1<TAB>Type begin end<TAB>text"),
        ("T9\tX 0 5\tAcute", "duplicate id 'T9'"),
        ("N1\tReference T9 UMLS", "expected N1<TAB>Reference"),
        ("Acute renal failure", "expected A1<TAB>Name"),
        ("what is this", "must begin with an id"),
        ("#1\tAuscult T9\t{", "is not JSON"),
        ("#1\tAuscult T9\t[]", "not in the form that Auscult writes"),
        ('#1\tAuscult T9\t{"score": "x"}', "not in the form that Auscult writes"),
        ('#1\tAuscult T9\t{"system": "", "code": ""}', "not in the form that Auscult writes"),
    ],
)
def test_a_line_that_cannot_be_is_named(line: str, problem: str, tmp_path: Path) -> None:
    put(tmp_path, f"T9\tX 0 5\tAcute\n{line}\n")
    with pytest.raises(FormatError, match=problem) as caught:
        read("brat", tmp_path)
    row = 1 if "Auscult" in line else 2  # a remark is about its annotation
    assert f"{tmp_path / 'n1.ann'} row {row}: " in str(caught.value)
    assert "renal" not in str(caught.value)


def test_offsets_in_utf16_are_noticed_and_read(tmp_path: Path) -> None:
    put(tmp_path, "T1\tX 9 22\trenal failure\nT2\tX 27 30\tHTN\n")
    with pytest.raises(FormatError, match="pass --offsets utf16"):
        read("brat", tmp_path)
    found = read("brat", tmp_path, offsets="utf16").iter_annotations()
    assert [annotation.spans for annotation in found] == [(Span(8, 21),), (Span(26, 29),)]


def test_a_quote_that_differs_is_kept(tmp_path: Path) -> None:
    corpus = read("brat", put(tmp_path / "in", "T1\tX 26 29\tHTX\nT2\tX 0 5\tAcute\n"))
    assert [a.meta for a in corpus.iter_annotations()] == [{"quote": "HTX"}, {}]
    assert write("brat", corpus, tmp_path / "out") == []
    assert differences(corpus, read("brat", tmp_path / "out")) == []


def test_lines_about_nothing_are_counted(tmp_path: Path) -> None:
    lines = "T1\tX 0 5\tAcute\nR1\tCauses Arg1:T1 Arg2:T7\nA1\tNegated T8\nA2\tSure R1\n"
    with pytest.warns(UserWarning, match="3 lines refer to ids that are not in their file"):
        corpus = read("brat", put(tmp_path, lines))
    assert [note.meta for note in corpus.iter_notes()] == [{}]


def test_relations_of_annotations_that_are_gone_are_a_loss(tmp_path: Path) -> None:
    corpus = read("brat", put(tmp_path / "in")).select(systems=["UMLS"])
    losses = write("brat", corpus, tmp_path / "out")
    assert [(loss.what, loss.count) for loss in losses] == [("relations in a note's meta", 4)]
    back = read("brat", tmp_path / "out")
    assert differences(corpus, back, ignore=["meta"]) == []
    assert [note.meta for note in back.iter_notes()] == [{}]


@pytest.mark.real
def test_meddocan(shared_data: Path, tmp_path: Path) -> None:
    corpus = read("brat", shared_data / "meddocan" / "dev")
    texts = {note.note_id: note.text or "" for note in corpus.iter_notes()}
    annotations = list(corpus.iter_annotations())
    assert (len(texts), len(annotations)) == (250, 5801)
    assert not any(annotation.meta for annotation in annotations), "every offset is exact"
    # the same by hand: the quoted column against the file's own characters
    quoted = 0
    for file in (shared_data / "meddocan" / "dev").glob("*.ann"):
        text = texts[file.stem]
        for line in file.read_text(encoding="utf-8").splitlines():
            _, place, quote = line.split("\t")
            begin, end = map(int, place.split(" ")[1:])
            quoted += text[begin:end] == quote
    assert quoted == 5801
    assert write("brat", corpus, tmp_path / "out") == []
    assert differences(corpus, read("brat", tmp_path / "out")) == []
