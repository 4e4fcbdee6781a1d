"""PubTator files."""

from __future__ import annotations

import gzip
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auscult.core import Annotation, Code, FormatError, Note, Offsets, OffsetUnit, OptionError, Span
from auscult.corpus import Corpus
from auscult.corpus.compare import differences
from auscult.corpus.formats import read, write

TITLE = "Gout and 🫀 failure"
ABSTRACT = "Juvenile or adult diabetes | a review."
EXAMPLE = f"""\
12|t|{TITLE}
12|a|{ABSTRACT}
12\t0\t4\tGout\tDisease\tD006073
12\t9\t18\t🫀 failure\tDisease\tMESH:D006333
12\t19\t45\tJuvenile or adult diabetes\tComposite\tD003922|OMIM:125853+C0011860
12\t37\t45\tdiabete\tModifier\t-1

13|t|A title alone
13\t2\t7\ttitle\tT170,T078\tC0025663
"""


def _write(folder: Path, content: str | bytes, name: str = "some.txt") -> Path:
    folder.mkdir(exist_ok=True)
    raw = content if isinstance(content, bytes) else content.encode()
    (folder / name).write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
    return folder / name


def test_lines_become_annotations(tmp_path: Path) -> None:
    corpus = read("pubtator", _write(tmp_path, EXAMPLE))
    first, second = corpus.iter_notes()
    assert (first.note_id, first.chart_id) == ("12", "12")
    assert first.text == f"{TITLE}\n{ABSTRACT}"
    assert second.text == "A title alone"
    assert [(str(a.code), a.spans[0]) for a in corpus.iter_annotations()] == [
        ("MeSH D006073", Span(0, 4)),
        ("MeSH D006333", Span(9, 18)),
        ("MeSH D003922", Span(19, 45)),
        ("OMIM 125853", Span(19, 45)),
        ("UMLS C0011860", Span(19, 45)),
        ("MeSH CUI-less", Span(37, 45)),
        ("UMLS C0025663", Span(2, 7)),
    ]
    assert [a.meta["type"] for a in corpus.iter_annotations()] == [
        *("Disease", "Disease", "Composite", "Composite", "Composite", "Modifier", "T170,T078")
    ]
    assert [a.meta.get("quote") for a in corpus.iter_annotations()] == [
        *(None, None, None, None, None, "diabete", None)
    ]


@pytest.mark.parametrize("name", ["out.txt", "out.txt.gz"])
def test_the_file_is_written_again_as_it_was(tmp_path: Path, name: str) -> None:
    corpus = read("pubtator", _write(tmp_path / "in", EXAMPLE, "in.txt.gz"))
    assert write("pubtator", corpus, tmp_path / name) == []
    raw = (tmp_path / name).read_bytes()
    assert (gzip.decompress(raw) if name.endswith(".gz") else raw).decode() == EXAMPLE
    assert differences(corpus, read("pubtator", tmp_path / name)) == []


@pytest.mark.parametrize(
    ("ids", "codes"),
    [
        ("D003922", ["MeSH D003922"]),
        ("C000591739", ["MeSH C000591739"]),
        ("MESH:C535468", ["MeSH C535468"]),
        ("mesh:D003922", ["MeSH D003922"]),
        ("UMLS:C0011860", ["UMLS C0011860"]),
        ("C0011860", ["UMLS C0011860"]),
        ("HP:0001250", ["HPO HP:0001250"]),
        ("ICD-10-CM:I10", ["ICD-10-CM I10"]),
        (" D003922 + D006333", ["MeSH D003922", "MeSH D006333"]),
        ("D003922|-1", ["MeSH D003922", "MeSH CUI-less"]),
        ("-", ["MeSH CUI-less"]),
        ("", ["MeSH CUI-less"]),
        ("7157", ["MeSH 7157"]),
        ("D003922|D003922", ["MeSH D003922", "MeSH D003922"]),
        ("tmVar:c|SUB|C|12|T;HGVS:c.12C>T", ["tmVar c|SUB|C|12|T;HGVS:c.12C>T"]),
    ],
)
def test_ids_name_their_system_and_are_written_again(
    tmp_path: Path, ids: str, codes: list[str]
) -> None:
    line = f"12|t|Gout\n12\t0\t4\tGout\tDisease\t{ids}\textra\n"
    corpus = read("pubtator", _write(tmp_path, line))
    assert [str(a.code) for a in corpus.iter_annotations()] == codes
    assert write("pubtator", corpus, tmp_path / "out.txt") == []
    assert (tmp_path / "out.txt").read_text() == line


def test_ids_that_show_no_system_are_of_the_one_that_was_said(tmp_path: Path) -> None:
    line = "12|t|TP53 here\n12\t0\t4\tTP53\tGene\t7157\n12\t5\t9\there\tGene\t-1\n"
    corpus = read("pubtator", _write(tmp_path, line), system="NCBI Gene")
    codes = [str(a.code) for a in corpus.iter_annotations()]
    assert codes == ["NCBI Gene 7157", "NCBI Gene CUI-less"]
    assert write("pubtator", corpus, tmp_path / "out.txt", system="NCBI Gene") == []
    assert (tmp_path / "out.txt").read_text() == line


def test_without_an_id_the_span_is_kept(tmp_path: Path) -> None:
    corpus = read("pubtator", _write(tmp_path, "12|t|Gout\n12\t0\t4\tGout\tDisease\n"))
    assert [str(a.code) for a in corpus.iter_annotations()] == ["MeSH CUI-less"]
    assert write("pubtator", corpus, tmp_path / "out.txt") == []
    assert differences(corpus, read("pubtator", tmp_path / "out.txt")) == []


def test_the_same_abstract_twice_is_two_notes_of_one_chart(tmp_path: Path) -> None:
    block = "12|t|Gout\n12|a|Pain\n12\t0\t4\tGout\tDisease\tD006073\n"
    with pytest.warns(UserWarning, match="is repeated 2 times more"):
        corpus = read("pubtator", _write(tmp_path, f"{block}\n{block}\n{block}"))
    assert [(n.note_id, n.chart_id) for n in corpus.iter_notes()] == [
        *(("12", "12"), ("12#2", "12"), ("12#3", "12"))
    ]
    assert [a.note_id for a in corpus.iter_annotations()] == ["12", "12#2", "12#3"]
    assert write("pubtator", corpus, tmp_path / "out.txt") == []
    assert (tmp_path / "out.txt").read_text() == f"{block}\n{block}\n{block}"


def test_a_folder_is_searched_to_the_bottom(tmp_path: Path) -> None:
    for name in ("train", "devel"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "corpus.txt").write_text(f"{name}|t|Gout\n")
    assert {note.note_id for note in read("pubtator", tmp_path).iter_notes()} == {"train", "devel"}


def test_line_ends_and_blank_lines_do_not_count(tmp_path: Path) -> None:
    loose = "\n\n" + EXAMPLE.replace("\n", "\r\n").replace("13|t|", "\r\n\r\n13|t|") + "\r\n\r\n"
    plain = read("pubtator", _write(tmp_path, EXAMPLE, "plain.txt"))
    assert differences(plain, read("pubtator", _write(tmp_path, loose, "loose.txt"))) == []


def test_a_folder_of_files_is_read_whole(tmp_path: Path) -> None:
    _write(tmp_path, EXAMPLE, "a.txt")
    _write(tmp_path, "14|t|Gout", "b.pubtator.gz")
    _write(tmp_path, "not of the corpus", "LICENSE")
    assert [n.note_id for n in read("pubtator", tmp_path).iter_notes()] == ["12", "13", "14"]


def test_relations_are_counted_and_left_out(tmp_path: Path) -> None:
    path = _write(
        tmp_path, "12|t|Gout\n12\tCID\tD006073\tD003922\n12\t0\t4\tGout\tDisease\tD006073\n"
    )
    with pytest.warns(UserWarning, match="1 relations were skipped"):
        corpus = read("pubtator", path)
    assert len(list(corpus.iter_annotations())) == 1


@pytest.mark.parametrize("unit", [OffsetUnit.UTF16, OffsetUnit.UTF8])
def test_other_units_are_named_and_read(tmp_path: Path, unit: OffsetUnit) -> None:
    begin, end = Offsets(TITLE, unit).span_from_codepoint(Span(11, 18))
    path = _write(tmp_path, f"12|t|{TITLE}\n12\t{begin}\t{end}\tfailure\tDisease\tD006333\n")
    with pytest.raises(FormatError, match=f"some.txt row 2: .*pass --offsets {unit}"):
        read("pubtator", path)
    (annotation,) = read("pubtator", path, offsets=unit).iter_annotations()
    assert annotation.spans == (Span(11, 18),)


@pytest.mark.parametrize(
    ("old", "new", "row"),
    [
        ("12|t|", "12|", 1),
        ("12|t|", "12|a|", 1),
        ("12|a|", "11|a|", 2),
        ("12\t0\t4", "11\t0\t4", 3),
        ("12\t0\t4", "12 0 4", 3),
        ("12\t0\t4", "12\tzero\t4", 3),
        ("12\t0\t4", "12\t0.0\t4", 3),
        ("12\t0\t4", "12\t-1\t4", 3),
        ("12\t0\t4", "12\t5\t4", 3),
        ("12\t0\t4", "12\t0\t444", 3),
        ("12\t0\t4", f"12\t0\t{'4' * 5000}", 3),
        ("\tDisease\tD006073", "", 3),
        ("13|t|", "12|t|", 9),
        ("13|t|", "12|a|", 8),
        ("Gout and", "Gout\0and", 1),
    ],
)
def test_malformed_files_are_errors_with_file_and_row(
    tmp_path: Path, old: str, new: str, row: int
) -> None:
    path = _write(tmp_path, EXAMPLE.replace(old, new, 1))
    with pytest.raises(FormatError) as caught:
        read("pubtator", path)
    assert (caught.value.file, caught.value.row) == (path, row)
    assert "Gout" not in str(caught.value)


def test_another_abstract_of_the_same_id_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"some\.txt row 4: the id '12'"):
        read("pubtator", _write(tmp_path, "12|t|Gout\n12|a|Pain\n\n12|t|Fever\n"))


def test_a_second_abstract_line_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="row 3"):
        read("pubtator", _write(tmp_path, "12|t|Gout\n12|a|Pain\n12|a|Pain\n"))


@pytest.mark.parametrize(
    ("name", "raw", "problem"),
    [
        ("some.txt", EXAMPLE.encode("utf-16"), "row 1: the file is UTF-16"),
        ("some.txt", "12|t|Día".encode("iso-8859-1"), "row 1: byte 0xed"),
        ("some.gz", b"12|t|Gout", "gzip"),
        ("some.gz", gzip.compress(EXAMPLE.encode())[:-20], "gzip"),
    ],
)
def test_undecodable_files_are_errors(tmp_path: Path, name: str, raw: bytes, problem: str) -> None:
    (tmp_path / name).write_bytes(raw)
    with pytest.raises(FormatError, match=problem):
        read("pubtator", tmp_path / name)


def test_what_the_lines_cannot_hold_is_said(tmp_path: Path) -> None:
    code = Code("MeSH", "D006073")
    corpus = Corpus.of(
        [
            Note("1", "chart", "p", "Report", "2001", "Gout\r\nor\npain", "dev"),
            Note("2|3", "2|3"),
            Note("9#2", "9", text="Gout", meta={"pubtator_id": "9"}),
        ],
        [
            Annotation("gold", code, "chart", "1", (Span(0, 4), Span(9, 13))),
            Annotation("gold", code, "chart", "1"),
            Annotation(
                "me", code, "chart", "1", (Span(6, 13),), 0.5, meta={"ids": "D1|D2", "x": "y"}
            ),
            Annotation("gold", code, "2|3", "2|3", (Span(0, 4),)),
            Annotation("gold", Code("A|B", "C"), "chart", "1", (Span(0, 4),)),
            Annotation("gold", code, "chart"),
        ],
    )
    losses = {str(loss) for loss in write("pubtator", corpus, tmp_path / "out.txt")}
    assert losses == {
        "1 annotations on a whole chart (note_id is null): left out",
        "1 annotations by the annotator me: "
        "the annotator is left out, so they read back as by gold",
        "1 notes with a subject_id: the subject_id is left out",
        "1 notes with a category: the category is left out",
        "1 notes with a time: the time is left out",
        "1 notes with a split: the split is left out",
        "1 notes with several lines of text: line breaks after the first become spaces",
        "3 notes whose chart_id differs from their note_id: the chart_id reads back as the note_id",
        "1 notes without text: written with an empty text",
        "2 notes without readers (read_by): read back as read by gold",
        "1 notes whose note_id PubTator cannot represent: the note_id is changed",
        "1 notes with meta 'pubtator_id': the meta is left out",
        "1 annotations with discontinuous spans: the spans become their whole extent",
        "1 annotations without spans: left out",
        "1 annotations with a score: the score is left out",
        "1 annotations with meta 'x': the meta is left out",
        "1 annotations with meta (type, ids, more) that does not match their code: adapted",
        "1 annotations with spans past the end of the note: left out",
        "1 annotations with codes that PubTator cannot represent: left out",
    }
    back = read("pubtator", tmp_path / "out.txt")
    notes = {note.note_id: note.text for note in back.iter_notes()}
    assert notes == {"1": "Gout \nor pain", "note-1": "", "9#2": "Gout"}
    assert [(a.code, a.spans[0]) for a in back.iter_annotations()] == [
        (code, Span(0, 13)),
        (code, Span(6, 13)),
    ]


def test_no_notes_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="no notes"):
        write("pubtator", Corpus.of(), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


_CODES = [
    *(Code("MeSH", "D006073"), Code("UMLS", "C0011860"), Code("OMIM", "125853")),
    *(Code("MeSH", "CUI-less"), Code("UMLS", "CUI-less"), Code("HPO", "HP:0001250")),
    *(Code("ICD-10-CM", "I10"), Code("SNOMED CT", "73211009"), Code("MeSH", "odd one")),
]
_LINE = st.text("aé🫀\u0301 \t\u0085\ufeff|+:", max_size=20)


@settings(deadline=None)
@given(_LINE, st.none() | _LINE, st.data())
def test_notes_from_elsewhere_come_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, title: str, abstract: str | None, data: st.DataObject
) -> None:
    text = title if abstract is None else f"{title}\n{abstract}"
    edge = st.integers(0, len(text))
    meta = st.fixed_dictionaries({}, optional={"type": st.sampled_from(["", "Disease", "MeSH"])})
    drawn = data.draw(st.lists(st.tuples(edge, edge, st.sampled_from(_CODES), meta), max_size=5))
    annotations = [
        Annotation("gold", code, "n", "n", (Span(min(a, b), max(a, b)),), meta=said)
        for a, b, code, said in drawn
        if said.get("type") != code.system  # that is what no type is written as
    ]
    corpus = Corpus.of([Note("n", "n", text=text)], annotations)
    target = tmp_path_factory.mktemp("pubtator") / "out.txt"
    assert write("pubtator", corpus, target) == []
    assert differences(corpus, read("pubtator", target)) == []


REAL = {
    "train": ("NCBItrainset_corpus.txt", 593, 5145),
    "devel": ("NCBIdevelopset_corpus.txt", 100, 787),
}


@pytest.mark.real
@pytest.mark.parametrize("split", REAL)
def test_the_published_counts(shared_data: Path, split: str) -> None:
    name, notes, lines = REAL[split]
    corpus = read("pubtator", shared_data / "ncbi_disease" / split / name)
    annotations = corpus.annotations
    assert corpus.lazy_notes.select(pl.col("note_id").n_unique()).collect().item() == notes
    assert annotations.select("note_id", "spans").n_unique() == lines
    assert set(annotations["system"]) == {"MeSH", "OMIM"}
    assert not annotations["code"].str.contains(r"[\s|+:]|^-").any()


@pytest.mark.real
def test_one_abstract_is_there_twice_and_one_quote_differs(shared_data: Path) -> None:
    corpus = read("pubtator", shared_data / "ncbi_disease" / "train")
    notes = list(corpus.iter_notes())
    (again,) = (note for note in notes if note.note_id != note.chart_id)
    (first,) = (note for note in notes if note.note_id == again.chart_id)
    assert again.text == first.text
    texts = {note.note_id: note.text or "" for note in notes}
    differ = [a for a in corpus.iter_annotations() if "quote" in a.meta]
    assert len({(a.note_id, a.spans) for a in differ}) == 1
    pointed = differ[0].spans[0].of(texts[differ[0].note_id or ""])
    assert pointed.startswith(differ[0].meta["quote"].rstrip())


@pytest.mark.real
@pytest.mark.parametrize("split", REAL)
def test_the_published_file_is_written_again_as_it_was(
    shared_data: Path, tmp_path: Path, split: str
) -> None:
    source = shared_data / "ncbi_disease" / split / REAL[split][0]
    corpus = read("pubtator", source)
    assert write("pubtator", corpus, tmp_path / "out.txt") == []
    assert differences(corpus, read("pubtator", tmp_path / "out.txt")) == []
    assert (tmp_path / "out.txt").read_bytes().strip() == source.read_bytes().strip()
