"""BioC in XML and JSON, as others write it and as we do."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from tests.contracts.corpora import HELD, corpora

from auscult.core import Annotation, Code, FormatError, Note, Span
from auscult.corpus import Corpus
from auscult.corpus.compare import differences
from auscult.corpus.formats import read, write

XML = """\
<?xml version='1.0' encoding='utf-8' standalone='yes'?>
<!DOCTYPE collection SYSTEM "BioC.dtd">
<collection>
<source>PubTator</source><date>20200101</date><key>BioC.key</key>
<document><id>123</id><infon key="license">CC0</infon>
<passage><infon key="type">title</infon><offset>0</offset><text>Fever &amp; 🫀 pain</text>
<annotation id="1"><infon key="type">Disease</infon><infon key="identifier">MESH:D005334</infon>
<location offset="0" length="5"/><text>Fever</text></annotation>
</passage>
<passage><infon key="type">abstract</infon><offset>15</offset>
<sentence><offset>15</offset><text>It hurts.</text></sentence>
<sentence><offset>26</offset><text>BRCA1 twice.</text>
<annotation id="2"><infon key="type">Gene</infon><infon key="identifier">672;675</infon>
<location offset="26" length="4"/><location offset="32" length="5"/><text>BRCA twice</text>
</annotation>
<annotation id="3"><infon key="type">Finding</infon><infon key="curator">x</infon></annotation>
</sentence></passage>
<relation id="R1"><node refid="1" role="a"/></relation>
</document>
</collection>
"""
TEXT = "Fever & 🫀 pain\nIt hurts.  BRCA1 twice."


def document(**changes: Any) -> dict[str, Any]:
    mark = {
        "id": "1",
        "infons": {"identifier": "MESH:D005334", "type": "Disease", "valid": True, "name": None},
        "text": "Fever",
        "locations": [{"offset": 0, "length": 5}],
    }
    passage = {"infons": {}, "offset": 0, "text": "Fever", "annotations": [mark]}
    return {"id": "123", "infons": {}, "passages": [passage], "relations": [], **changes}


def put(folder: Path, name: str, value: Any) -> Path:
    file = folder / name
    file.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return file


@pytest.mark.filterwarnings("ignore:.*relations")
def test_xml_of_others(tmp_path: Path) -> None:
    corpus = read("bioc", put(tmp_path, "a.xml", XML))
    (note,) = corpus.iter_notes()
    assert (note.note_id, note.chart_id, note.text) == ("123", "123", TEXT)
    assert note.meta["license"] == "CC0"
    assert json.loads(note.meta["passages"]) == [
        [0, 14, {"type": "title"}],
        [15, 38, {"type": "abstract"}],
    ]
    fever, one, two, finding = corpus.iter_annotations()
    assert fever == Annotation(
        "gold", Code("MeSH", "D005334"), "123", "123", (Span(0, 5),), meta={"type": "Disease"}
    )
    assert [one.code, two.code] == [Code("Gene", "672"), Code("Gene", "675")]
    assert [span.of(TEXT) for span in one.spans] == ["BRCA", "twice"]
    assert one.spans == two.spans
    assert (finding.code, finding.spans, finding.meta) == (
        *(Code("bioc", "Finding"), ()),
        {"curator": "x"},
    )


def test_relations_are_counted(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="1 relations were skipped"):
        read("bioc", put(tmp_path, "a.xml", XML))


@pytest.mark.filterwarnings("ignore:.*relations")
@pytest.mark.parametrize("target", ["out", "out.xml", "out.json", "out.xml.gz", "out.json.gz"])
def test_what_others_wrote_comes_back(target: str, tmp_path: Path) -> None:
    corpus = read("bioc", put(tmp_path, "a.xml", XML))
    assert write("bioc", corpus, tmp_path / target) == []
    assert differences(corpus, read("bioc", tmp_path / target)) == []


def test_xml_to_the_byte(tmp_path: Path) -> None:
    corpus = Corpus.of(
        [Note("n1", "c1", category="Radiology", text="a < b\r\nfever")],
        [
            Annotation("gold", Code("MeSH", "D005334"), "c1", "n1", (Span(7, 12),), 0.5),
            Annotation("ann", Code("bioc", "Sign"), "c1", "n1", meta={"score": 'a "b"'}),
        ],
    )
    assert write("bioc", corpus, tmp_path / "out.xml") == []
    assert (tmp_path / "out.xml").read_bytes().decode() == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<!DOCTYPE collection SYSTEM "BioC.dtd">\n'
        "<collection><source>corpus</source><date></date><key></key>\n"
        '<document><id>n1</id><infon key="chart_id">c1</infon>'
        '<infon key="category">Radiology</infon>\n'
        "<passage><offset>0</offset><text>a &lt; b&#13;\nfever</text>\n"
        '<annotation id="1"><infon key="type">MeSH</infon>'
        '<infon key="identifier">MESH:D005334</infon><infon key="score">0.5</infon>'
        '<location offset="7" length="5"/><text>fever</text></annotation>\n'
        '<annotation id="2"><infon key="type">Sign</infon><infon key="annotator">ann</infon>'
        '<infon key="meta:score">a "b"</infon></annotation></passage>\n'
        "</document>\n"
        "</collection>\n"
    )
    assert differences(corpus, read("bioc", tmp_path / "out.xml")) == []


@settings(deadline=None, max_examples=60)
@given(corpora(HELD["bioc"]))
def test_json_holds_what_xml_holds(
    tmp_path_factory: pytest.TempPathFactory, corpus: Corpus
) -> None:
    target = tmp_path_factory.mktemp("bioc") / "out.json"
    assert write("bioc", corpus, target) == []
    assert differences(corpus, read("bioc", target)) == []


def test_control_characters_are_a_loss_in_xml_only(tmp_path: Path) -> None:
    corpus = Corpus.of([Note("n", "n", text="a\x01\x00b")])
    losses = write("bioc", corpus, tmp_path / "out.xml")
    assert [(loss.count, loss.became) for loss in losses] == [(2, "written as U+FFFD")]
    assert [n.text for n in read("bioc", tmp_path / "out.xml").iter_notes()] == ["a\ufffd\ufffdb"]
    assert write("bioc", corpus, tmp_path / "out.json") == []
    assert differences(corpus, read("bioc", tmp_path / "out.json")) == []


@pytest.mark.parametrize(
    "value",
    [
        {"source": "x", "documents": [document(), document(id=456)]},
        [document(), document(id=456)],
        [{"documents": [document()]}, {"documents": [document(id=456)]}],
        {"PubTator3": [document(), document(id=456)]},
        json.dumps(document()) + "\n\n" + json.dumps(document(id=456)) + "\n",
        json.dumps({"documents": [document(), document(id=456)]}, indent=1),
    ],
    ids=["collection", "list", "collections", "pubtator", "lines", "indented"],
)
def test_json_of_others(value: Any, tmp_path: Path) -> None:
    corpus = read("bioc", put(tmp_path, "a.json", value))
    assert [(n.note_id, n.text) for n in corpus.iter_notes()] == [
        ("123", "Fever"),
        ("456", "Fever"),
    ]
    first, _ = corpus.iter_annotations()
    assert (str(first.code), first.spans) == ("MeSH D005334", (Span(0, 5),))
    assert first.meta == {"type": "Disease", "valid": "true"}


@pytest.mark.parametrize(
    ("infons", "options", "expected"),
    [
        ({"type": "Disease", "identifier": "MESH:D1|OMIM:222100"}, {}, ["MeSH D1", "OMIM 222100"]),
        ({"type": "Disease", "identifier": "D005334"}, {}, ["MeSH D005334"]),
        ({"type": "Disease", "MESH": "D005334"}, {}, ["MeSH D005334"]),
        ({"type": "Gene", "NCBI Gene": "672"}, {}, ["NCBI Gene 672"]),
        ({"type": "Gene", "identifier": "672"}, {"system": "Entrez"}, ["Entrez 672"]),
        ({"type": "Sign", "cui": "C0015967"}, {"identifier": ["cui"]}, ["UMLS C0015967"]),
        ({"type": "Sign", "identifier": "-"}, {}, ["bioc Sign"]),
        ({"identifier": "HP:0001945"}, {}, ["HPO HP:0001945"]),
        ({"identifier": "C0015967, C0000001"}, {}, ["UMLS C0015967", "UMLS C0000001"]),
        ({}, {}, ["bioc annotation"]),
    ],
)
def test_infons_that_hold_codes(
    infons: dict[str, str], options: dict[str, Any], expected: list[str], tmp_path: Path
) -> None:
    value = document()
    value["passages"][0]["annotations"][0]["infons"] = infons
    corpus = read("bioc", put(tmp_path, "a.json", value), **options)
    assert [str(annotation.code) for annotation in corpus.iter_annotations()] == expected


@pytest.mark.parametrize(("unit", "at"), [("codepoint", 6), ("utf16", 7), ("utf8", 9)])
def test_offsets_in_other_units(unit: str, at: int, tmp_path: Path) -> None:
    mark = {"infons": {}, "text": "pain", "locations": [{"offset": at + 1, "length": 4}]}
    passages = [
        {"offset": 0, "text": "a 🫀 b."},
        {"offset": at, "text": " pain", "annotations": [mark]},
    ]
    corpus = read("bioc", put(tmp_path, "a.json", document(passages=passages)), offsets=unit)
    (note,), (annotation,) = corpus.iter_notes(), corpus.iter_annotations()
    assert note.text == "a 🫀 b. pain"
    assert annotation.spans == (Span(7, 11),)
    assert annotation.meta == {}


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (document(id=""), "document 1 is not valid BioC: id: "),
        (document(passages=[{"text": "x"}]), "passages.0.offset: Field required"),
        (document(passages=[{"offset": -1}]), "passages.0.offset: "),
        (document(passages=[{"offset": "x"}]), "passages.0.offset: "),
        (document(passages=[{"offset": 10**12, "text": "x"}]), "begins at 1000000000000"),
        (
            document(passages=[{"offset": 0, "text": "abc"}, {"offset": 2, "text": "d"}]),
            "begins at 2, before the previous one ends at 3.*--offsets",
        ),
        ([document(), document()], "duplicate document '123'"),
        ({"a": 1}, "neither documents nor passages"),
        ("", "is not JSON"),
        ('{"documents": [', "is not JSON"),
    ],
)
def test_json_that_cannot_be_is_named(value: Any, problem: str, tmp_path: Path) -> None:
    file = put(tmp_path, "a.json", value)
    with pytest.raises(FormatError, match=problem) as caught:
        read("bioc", file)
    assert str(caught.value).startswith(str(file))


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('offset="0" length="5"', 'offset="0" length="500"', "row 7: .*end 500 is past the note's"),
        ('offset="0" length="5"', 'offset="0"', "row 5: document 1 .*length: Field required"),
        ("<offset>15<", "<offset>3<", "row 10: a passage begins at 3"),
        ("</passage>", "", "row 19: is not well-formed XML"),
        ("<id>123</id>", "", "row 5: document 1 is not valid BioC: id"),
        (
            "<!DOCTYPE collection SYSTEM",
            '<!DOCTYPE c [<!ENTITY x "y">]><!--',
            "defines an XML entity",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:.*relations")
def test_xml_that_cannot_be_is_named(old: str, new: str, problem: str, tmp_path: Path) -> None:
    file = put(tmp_path, "a.xml", XML.replace(old, new))
    with pytest.raises(FormatError, match=problem) as caught:
        read("bioc", file)
    assert str(caught.value).startswith(str(file))
    assert "hurts" not in str(caught.value)


def test_quotes_give_the_unit_away(tmp_path: Path) -> None:
    mark = {"infons": {}, "text": "pain", "locations": [{"offset": 5, "length": 4}]}
    value = document(passages=[{"offset": 0, "text": "a 🫀 pain", "annotations": [mark]}])
    with pytest.raises(FormatError, match=r"document '123': .*pass --offsets utf16"):
        read("bioc", put(tmp_path, "a.json", value))


def test_a_folder_of_files(tmp_path: Path) -> None:
    put(tmp_path, "a.json", document(id="1"))
    (tmp_path / "b.json.gz").write_bytes(gzip.compress(json.dumps(document(id="2")).encode()))
    put(tmp_path, "README.md", "no BioC")
    assert [note.note_id for note in read("bioc", tmp_path).iter_notes()] == ["1", "2"]


def test_passages_that_no_longer_fit_are_a_loss(tmp_path: Path) -> None:
    note = Note("n", "n", text="other text", meta={"passages": '[[0, 14, {"type": "title"}]]'})
    losses = write("bioc", Corpus.of([note]), tmp_path / "out.xml")
    assert [loss.count for loss in losses] == [1]
    assert [(n.text, n.meta) for n in read("bioc", tmp_path / "out.xml").iter_notes()] == [
        ("other text", {})
    ]
