"""MCN's notes and norm files."""

from __future__ import annotations

from pathlib import Path

import pytest

from auscult.core import Annotation, Code, FormatError, Note, Span
from auscult.corpus import Corpus
from auscult.corpus.compare import differences
from auscult.corpus.formats import read, write

TEXT = "He has 🫀 diabetes\r\nand chest and back pain.\n"
NORM = "N001||C0011849||9||17\nN002||C0008031||23||28||38||42\nN007||CUI-less||33||42\n"


def put(folder: Path, *, norm: str = NORM, prefix: str = "") -> Path:
    for name, content in (("note/0034.txt", TEXT), ("norm/0034.norm", norm)):
        file = folder / f"{prefix}{name}"
        file.parent.mkdir(parents=True)
        file.write_text(content, encoding="utf-8", newline="")
    return folder


def test_lines_become_annotations(tmp_path: Path) -> None:
    corpus = read("mcn", put(tmp_path))
    assert list(corpus.iter_notes()) == [Note("0034", "0034", text=TEXT)]
    one, split, none = corpus.iter_annotations()
    assert one == Annotation("gold", Code("UMLS", "C0011849"), "0034", "0034", (Span(9, 17),))
    assert one.spans[0].of(TEXT) == "diabetes"
    assert [span.of(TEXT) for span in split.spans] == ["chest", "pain"]
    assert (str(none.code), none.meta) == ("UMLS CUI-less", {"id": "N007"})


def test_lines_are_written_back_to_the_byte(tmp_path: Path) -> None:
    corpus = read("mcn", put(tmp_path / "in"))
    assert write("mcn", corpus, tmp_path / "out") == []
    assert (tmp_path / "out" / "norm" / "0034.norm").read_bytes() == NORM.encode()
    assert (tmp_path / "out" / "note" / "0034.txt").read_bytes() == TEXT.encode()


def test_the_release_folders_name_their_split(tmp_path: Path) -> None:
    put(tmp_path, prefix="train/train_")
    (tmp_path / "test" / "test_note").mkdir(parents=True)
    (tmp_path / "test" / "test_note" / "0100.txt").write_text("no answers yet")
    corpus = read("mcn", tmp_path)
    assert {n.note_id: n.split for n in corpus.iter_notes()} == {"0034": "train", "0100": "test"}
    assert corpus.annotations.height == 3


def test_lists_name_the_split(tmp_path: Path) -> None:
    put(tmp_path)
    (tmp_path / "note" / "0035.txt").write_text("x")
    (tmp_path / "list").write_text("0034\r\n")
    (tmp_path / "other").write_text("0035.txt\n")
    corpus = read("mcn", tmp_path, train=tmp_path / "list", test=tmp_path / "other")
    assert {n.note_id: n.split for n in corpus.iter_notes()} == {"0034": "train", "0035": "test"}
    write("mcn", corpus, tmp_path / "out")
    assert (tmp_path / "out" / "train_file_list.txt").read_text() == "0034.txt\n"
    # Nobody has annotated 0035, which has no .norm file, until it is written with an empty one.
    assert [note.read_by for note in corpus.iter_notes()] == [(), ()]
    assert differences(corpus, read("mcn", tmp_path / "out"), ignore=["read_by"]) == []


def test_answers_without_notes(tmp_path: Path) -> None:
    put(tmp_path)
    (tmp_path / "note" / "0034.txt").unlink()
    corpus = read("mcn", tmp_path)
    assert [note.text for note in corpus.iter_notes()] == [None]
    assert [len(annotation.spans) for annotation in corpus.iter_annotations()] == [1, 2, 1]
    with pytest.raises(FormatError, match="need the text"):
        read("mcn", tmp_path, offsets="utf16")


def test_offsets_in_utf16(tmp_path: Path) -> None:
    corpus = read("mcn", put(tmp_path, norm="N001||C0011849||10||18\n"), offsets="utf16")
    assert [annotation.spans for annotation in corpus.iter_annotations()] == [(Span(9, 17),)]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("N002||C0011849||9", "pairs of begin and end"),
        ("N002||C0011849", "pairs of begin and end"),
        ("N002||||9||17", "pairs of begin and end"),
        ("N002|C0011849|9|17", "pairs of begin and end"),
        ("N002||C0011849||9||17||", "pairs of begin and end"),
        ("N002||C0011849||-9||17", "pairs of begin and end"),
        ("N002||C0011849||9||1e3", "pairs of begin and end"),
        ("N002||C0011849||17||9", "0 ≤ begin ≤ end"),
        ("N002||C0011849||9||170", "end 170 is past the note's 44 characters"),
    ],
)
def test_a_line_that_cannot_be_is_named(line: str, problem: str, tmp_path: Path) -> None:
    put(tmp_path, norm=f"N001||C0011849||9||17\n\n{line}\n")
    with pytest.raises(FormatError, match=problem) as caught:
        read("mcn", tmp_path)
    assert f"{tmp_path / 'norm' / '0034.norm'} row 3: " in str(caught.value)


def test_a_note_in_two_folders(tmp_path: Path) -> None:
    put(tmp_path, prefix="train_")
    put(tmp_path, prefix="test_")
    with pytest.raises(FormatError, match="note '0034' is already"):
        read("mcn", tmp_path)


def test_what_a_norm_file_cannot_say_is_a_loss(tmp_path: Path) -> None:
    note = Note("n", "c", category="Radiology", text="fever")
    span = (Span(0, 5),)
    corpus = Corpus.of(
        [note],
        [
            Annotation("gold", Code("UMLS", "C1"), "c", "n", span, score=0.5),
            Annotation("gold", Code("ICD-10-CM", "R50.9"), "c", "n", span),
            Annotation("gold", Code("UMLS", "C1|C2"), "c", "n", span),
            Annotation("gold", Code("UMLS", "C1"), "c", "n"),
            Annotation("gold", Code("UMLS", "C1"), "c"),
            Annotation("ann", Code("UMLS", "C1"), "c", "n", span),
        ],
    )
    losses = {loss.what: loss.count for loss in write("mcn", corpus, tmp_path / "out")}
    assert losses == {
        "annotations on a whole chart (note_id is null)": 1,
        "notes with a category": 1,
        "notes whose chart_id differs from their note_id": 1,
        "annotations with a score": 1,
        "annotations of a code system other than UMLS": 1,
        "annotations whose code contains | or a line break": 1,
        "annotations without spans": 1,
        "annotations by an annotator other than gold": 1,
    }
    assert (tmp_path / "out" / "norm" / "n.norm").read_text() == (
        "N001||C1||0||5\nN002||C1||0||5\n"
    )


def test_another_system(tmp_path: Path) -> None:
    corpus = read("mcn", put(tmp_path / "in"), system="SNOMED CT", annotator="ann")
    assert {str(a.code)[:9] for a in corpus.iter_annotations()} == {"SNOMED CT"}
    losses = write("mcn", corpus, tmp_path / "out", system="SNOMED CT")
    assert [loss.what for loss in losses] == ["annotations by an annotator other than gold"]
    back = read("mcn", tmp_path / "out", system="SNOMED CT", annotator="ann")
    assert differences(corpus, back) == []
