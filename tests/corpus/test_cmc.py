"""The 2007 challenge's XML."""

from __future__ import annotations

import gzip
import json
from collections import Counter, defaultdict
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auscult.core import Annotation, Code, FormatError, Note, Span
from auscult.corpus import Corpus
from auscult.corpus.compare import differences
from auscult.corpus.formats import read, write

EXAMPLE = """<?xml version="1.0" standalone="yes"?>
<docs>
  <doc id="11" type="RADIOLOGY_REPORT">
    <codes>
      <code origin="CMC_MAJORITY" type="ICD-9-CM">786.2</code>
      <code origin="COMPANY1" type="ICD-9-CM"> 780.6 </code>
    </codes>
    <texts>
      <text origin="HOSPITAL" type="CLINICAL_HISTORY">Cough &lt; 3 days.</text>
      <text origin="HOSPITAL" type="IMPRESSION"> Clear. </text>
    </texts>
  </doc>
  <doc id="12" type="RADIOLOGY_REPORT">
    <texts><text origin="HOSPITAL" type="IMPRESSION">Normal.</text></texts>
  </doc>
</docs>
"""


def _write(folder: Path, content: str | bytes) -> Path:
    path = folder / "some.xml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_a_document_is_a_note_of_its_parts(tmp_path: Path) -> None:
    corpus = read("cmc", _write(tmp_path, EXAMPLE))
    first, second = corpus.iter_notes()
    assert (first.note_id, first.chart_id, first.category) == ("11", "11", "RADIOLOGY_REPORT")
    assert first.text == "CLINICAL_HISTORY:\nCough < 3 days.\n\nIMPRESSION:\n Clear. "
    places = json.loads(first.meta["parts"])
    assert [first.text[begin:end] for _, _, begin, end in places] == ["Cough < 3 days.", " Clear. "]
    assert [tuple(place[:2]) for place in places] == [
        ("HOSPITAL", "CLINICAL_HISTORY"),
        ("HOSPITAL", "IMPRESSION"),
    ]
    assert second.text == "IMPRESSION:\nNormal."
    assert [(a.annotator, str(a.code), a.note_id, a.spans) for a in corpus.iter_annotations()] == [
        ("CMC_MAJORITY", "ICD-9-CM 786.2", "11", ()),
        ("COMPANY1", "ICD-9-CM 780.6", "11", ()),
    ]


def test_a_code_without_origin_is_the_annotators_that_was_said(tmp_path: Path) -> None:
    path = _write(tmp_path, EXAMPLE.replace(' origin="COMPANY1"', ""))
    who = [a.annotator for a in read("cmc", path).iter_annotations()]
    assert who == ["CMC_MAJORITY", "gold"]
    who = [a.annotator for a in read("cmc", path, annotator="me").iter_annotations()]
    assert who == ["CMC_MAJORITY", "me"]


@pytest.mark.parametrize("name", ["again.xml", "again.xml.gz"])
def test_the_structure_is_written_again(tmp_path: Path, name: str) -> None:
    corpus = read("cmc", _write(tmp_path, EXAMPLE))
    assert write("cmc", corpus, tmp_path / name) == []
    assert differences(corpus, read("cmc", tmp_path / name)) == []
    raw = (tmp_path / name).read_bytes()
    written = gzip.decompress(raw) if name.endswith(".gz") else raw
    assert _shape(written) == _shape(EXAMPLE.replace(" 780.6 ", "780.6").encode())


def _shape(raw: bytes) -> list[object]:
    """Everything in a file but its indentation."""
    leaves = ("code", "text")
    return [
        (element.tag, element.attrib, element.text if element.tag in leaves else None)
        for element in ElementTree.fromstring(raw).iter()
    ]


def test_what_the_xml_cannot_hold_is_said(tmp_path: Path) -> None:
    code = Code("ICD-9-CM", "786.2")
    corpus = Corpus.of(
        [
            Note("1", "chart", "patient", None, "2001-01-01", "Bell \x07 cough", "train"),
            Note("2", "2", text="edited", meta={"parts": '[[null, "IMPRESSION", 12, 14]]'}),
        ],
        [
            Annotation("a", code, "chart", "1", (Span(7, 12),), 0.5),
            Annotation("a", code, "chart", "1", (Span(0, 4),)),
            Annotation("a", code, "chart"),
            Annotation("a", Code("ICD-9-CM", "786.2 "), "2", "2", meta={"why": "because"}),
        ],
    )
    losses = {str(loss) for loss in write("cmc", corpus, tmp_path / "out.xml")}
    assert losses == {
        "1 annotations on a whole chart (note_id is null): left out",
        "1 notes with a subject_id: the subject_id is left out",
        "1 notes with a time: the time is left out",
        "1 notes with a split: the split is left out",
        "1 notes whose chart_id differs from their note_id: the chart_id reads back as the note_id",
        "1 annotations with a score: the score is left out",
        "2 annotations with spans: the spans are left out",
        "1 annotations of the same code on different spans: written once",
        "1 control characters (text, ids or codes): written as U+FFFD",
        "1 notes whose parts (meta) do not match their text: written as one part",
        "1 annotations with meta 'why': the meta is left out",
        "1 codes with leading or trailing white space: written without it",
    }
    back = read("cmc", tmp_path / "out.xml")
    assert [note.text for note in back.iter_notes()] == ["Bell \ufffd cough", "edited"]
    assert [a.code for a in back.iter_annotations()] == [code, code]


_TEXT = st.text("aé🫀 \t\r\n<&>\"']\u0085\u2028\ufeff", max_size=20)


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.none() | _TEXT, st.none() | _TEXT, st.lists(st.sampled_from("ab\n"))),
        max_size=4,
    )
)
def test_notes_from_elsewhere_come_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory,
    made: list[tuple[str | None, str | None, list[str]]],
) -> None:
    notes = [
        Note(str(i), str(i), category=category, text=text)
        for i, (text, category, _) in enumerate(made)
    ]
    codes = [
        Annotation(annotator, Code("ICD-9-CM", "780.6"), str(i), str(i))
        for i, (_, _, annotators) in enumerate(made)
        for annotator in annotators
    ]
    corpus = Corpus.of(notes, codes)
    target = tmp_path_factory.mktemp("cmc") / "out.xml"
    # Whoever coded the others has read a document without a code.
    assert {loss.column for loss in write("cmc", corpus, target)} <= {"notes.read_by"}
    assert differences(corpus, read("cmc", target), ignore=["read_by"]) == []


@pytest.mark.parametrize(
    ("old", "new", "row"),
    [
        ("</docs>", "", 17),
        ("</docs>", "</docs><docs/>", 16),
        ("docs>", "collection>", 2),
        ('id="12"', 'id="11"', 13),
        ('id="12" ', "", 13),
        ("<codes>", "<labels>", 7),
        ("<codes>", "<codes><label/>", 4),
        (' type="ICD-9-CM"', "", 5),
        (">786.2<", "> <", 5),
        (">786.2<", "><b>786.2</b><", 5),
        ("Normal.", "Norm<i>al</i>.", 14),
        ("Normal.", "Norm\0al.", 14),
        ("Normal.", "&normal;", 14),
    ],
)
def test_malformed_files_are_errors_with_file_and_row(
    tmp_path: Path, old: str, new: str, row: int
) -> None:
    path = _write(tmp_path, EXAMPLE.replace(old, new))
    with pytest.raises(FormatError) as caught:
        read("cmc", path)
    assert (caught.value.file, caught.value.row) == (path, row)
    assert "Cough" not in str(caught.value)
    assert "Norm" not in str(caught.value)


def test_other_encodings_than_declared_are_errors(tmp_path: Path) -> None:
    path = _write(tmp_path, EXAMPLE.replace("Normal", "Día").encode("iso-8859-1"))
    with pytest.raises(FormatError, match="row 14"):
        read("cmc", path)


@pytest.mark.real
def test_the_challenges_documents(shared_data: Path) -> None:
    corpus = read("cmc", shared_data / "cmc2007" / "dev.xml")
    notes = list(corpus.iter_notes())
    assert len(notes) == len({note.note_id for note in notes}) == 699
    assert all(
        [kind for _, kind, _, _ in json.loads(note.meta["parts"])]
        == ["CLINICAL_HISTORY", "IMPRESSION"]
        for note in notes
    )
    by_annotator = Counter(a.annotator for a in corpus.iter_annotations())
    assert by_annotator == {
        "CMC_MAJORITY": 870,
        "COMPANY1": 998,
        "COMPANY2": 1008,
        "COMPANY3": 721,
    }


@pytest.mark.real
def test_two_of_three_make_the_majority(shared_data: Path) -> None:
    votes: dict[str | None, Counter[Code]] = defaultdict(Counter)
    majority: dict[str | None, set[Code]] = defaultdict(set)
    for annotation in read("cmc", shared_data / "cmc2007" / "dev.xml").iter_annotations():
        if annotation.annotator == "CMC_MAJORITY":
            majority[annotation.note_id].add(annotation.code)
        else:
            votes[annotation.note_id][annotation.code] += 1
    assert len(majority) == 699
    voted = {
        note_id: {code for code, times in counted.items() if times >= 2}
        for note_id, counted in votes.items()
    }
    assert voted == majority


@pytest.mark.real
def test_the_challenges_file_comes_back(shared_data: Path, tmp_path: Path) -> None:
    source = shared_data / "cmc2007" / "dev.xml"
    corpus = read("cmc", source)
    assert write("cmc", corpus, tmp_path / "out.xml") == []
    assert differences(corpus, read("cmc", tmp_path / "out.xml")) == []
    assert _shape((tmp_path / "out.xml").read_bytes()) == _shape(source.read_bytes())
