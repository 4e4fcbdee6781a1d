"""UIMA CAS: what we write is judged by cassis, what cassis and INCEpTION write is read."""

from __future__ import annotations

import builtins
import json
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import cassis
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

from auscult.core import (
    Annotation,
    AuscultError,
    Code,
    FormatError,
    MissingExtraError,
    Note,
    OptionError,
    Span,
)
from auscult.corpus import Corpus, formats
from auscult.corpus.compare import differences
from auscult.corpus.formats.contract import Loss

NAMED_ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
ENCODINGS = ["xmi", "json"]
TEXT = "🫀 Fever,\r\n\tno\u00a0cough. e\u0301 \U0001f637 end"


def load(folder: Path, name: str) -> cassis.Cas:
    if name.endswith(".json"):
        with (folder / name).open("rb") as handle:
            return cassis.load_cas_from_json(handle)
    return cassis.load_cas_from_xmi(
        folder / name, typesystem=cassis.load_typesystem(folder / "TypeSystem.xml")
    )


def example() -> Corpus:
    def on(*words: str, who: str = "ann", value: str = "R50.9", **more: Any) -> Annotation:
        spans = tuple(Span(TEXT.index(word), TEXT.index(word) + len(word)) for word in words)
        return Annotation(who, Code("ICD-10-CM", value), "c1", "a/1", spans, **more)

    return Corpus.of(
        [
            Note("a/1", "c1", "s1", "Nursing", "2101-02-03", TEXT, "train", {"k": "v\n"}),
            Note("a/2", "c1", text=""),
            Note("a/3", "c3"),
        ],
        [
            on("🫀"),
            on("Fever"),
            on("Fever"),
            on("Fever", who="ben", score=0.1 + 0.2, meta={"why": "\x01?"[1:]}),
            on("ever,\r\n\tno"),
            on("\U0001f637 end", value="J00"),
            on("end", "Fever", value="X"),
            on(value="Z00"),
            Annotation("ann", Code("S", "chart"), "c1", score=1.0),
            Annotation("ann", Code("S", "chart"), "c3"),
        ],
    )


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_cassis_finds_each_word_where_we_put_it(tmp_path: Path, encoding: str) -> None:
    losses = formats.write("cas", example(), tmp_path / "out", encoding=encoding)
    assert losses == []
    cas = load(tmp_path / "out", f"a%2F1.{encoding}")
    assert cas.sofa_string == TEXT
    codes = cas.select("auscult.Code")
    assert Counter((fs.get_covered_text(), fs.code, fs.annotator, fs.part) for fs in codes) == {
        ("🫀", "R50.9", "ann", None): 1,
        ("Fever", "R50.9", "ann", None): 2,
        ("Fever", "R50.9", "ben", None): 1,
        ("ever,\r\n\tno", "R50.9", "ann", None): 1,
        ("\U0001f637 end", "J00", "ann", None): 1,
        ("end", "X", "ann", "1.1"): 1,
        ("Fever", "X", "ann", "1.2"): 1,
    }
    assert [fs.score for fs in codes if fs.annotator == "ben"] == [0.1 + 0.2]
    (about,) = cas.select("DocumentMetaData")
    assert (about.documentId, about.begin, about.end) == ("a/1", 0, len(TEXT))
    assert [fs.code for fs in cas.select("auscult.NoteCode")] == ["Z00"]
    assert [fs.code for fs in cas.select("auscult.ChartCode")] == ["chart"]
    assert differences(example(), formats.read("cas", tmp_path / "out")) == []


def test_offsets_in_the_files_count_utf16_units(tmp_path: Path) -> None:
    formats.write("cas", example(), tmp_path / "xmi")
    formats.write("cas", example(), tmp_path / "json", encoding="json")
    # A heart is two units, and so is a mask, which is code point 24 and therefore unit 25.
    assert 'begin="25" end="31" annotator="ann" code="J00"' in (
        tmp_path / "xmi" / "a%2F1.xmi"
    ).read_text(encoding="utf-8")
    plain = json.loads((tmp_path / "json" / "a%2F1.json").read_text(encoding="utf-8"))
    (mask,) = (fs for fs in plain["%FEATURE_STRUCTURES"] if fs.get("code") == "J00")
    assert (mask["begin"], mask["end"]) == (25, 31)


def test_control_characters_are_never_changed_silently(tmp_path: Path) -> None:
    text = "a\x01b\x00c\x0bd\ufffee"
    corpus = Corpus.of(
        [Note("n1", "n1", text=text)],
        [Annotation("a", Code("S", "C\x02"), "n1", "n1", (Span(8, 9),))],
    )
    assert formats.write("cas", corpus, tmp_path / "xmi") == [
        Loss("notes.text", "control characters, which XML does not allow", 5, "written as U+FFFD")
    ]
    back = formats.read("cas", tmp_path / "xmi")
    assert [note.text for note in back.iter_notes()] == ["a\ufffdb\ufffdc\ufffdd\ufffde"]
    assert [(a.code.value, a.spans) for a in back.iter_annotations()] == [
        ("C\ufffd", (Span(8, 9),))
    ]
    assert formats.write("cas", corpus, tmp_path / "json", encoding="json") == []
    assert differences(corpus, formats.read("cas", tmp_path / "json")) == []


def test_losses_are_said(tmp_path: Path) -> None:
    corpus = Corpus.of(
        [Note("n1", "c1", text="x"), Note("n2", "c1")],
        [
            Annotation("a", Code("S", "1"), "c1", "n1", (Span(0, 2),)),
            Annotation("a", Code("S", "2"), "other", "n1", (Span(0, 1),)),
            Annotation("a", Code("S", "3"), "c1", "gone"),
            Annotation("a", Code("S", "4"), "empty"),
            Annotation("a", Code("S", "5"), "c1", "n2", (Span(3, 9),)),
        ],
    )
    assert set(map(str, formats.write("cas", corpus, tmp_path / "out"))) == {
        "1 annotations with a span past the end of their note: left out",
        "1 annotations whose chart_id differs from their note's: read back with the note's "
        "chart_id",
        "1 annotations on notes that are not in the corpus: left out",
        "1 annotations on charts without a note: left out",
        "1 annotations on notes without text: their offsets stay in code points, since UTF-16 "
        "offsets cannot be computed",
    }
    back = formats.read("cas", tmp_path / "out")
    assert sorted((a.code.value, a.chart_id, a.spans) for a in back.iter_annotations()) == [
        ("2", "c1", (Span(0, 1),)),
        ("5", "c1", (Span(3, 9),)),
    ]


# Reading what others wrote


def foreign() -> cassis.Cas:
    """A CAS as INCEpTION makes it: DKPro's types, tokens, a custom layer, a link between spans."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of cassis, about its own files and about the name type
        types = cassis.load_dkpro_core_typesystem()
        layer = types.create_type("webanno.custom.Finding")
        types.create_feature(layer, "type", "uima.cas.String")
    types.create_feature(layer, "sure", "uima.cas.Boolean")
    types.create_feature(layer, "count", "uima.cas.Integer")
    types.create_feature(layer, "of", NAMED_ENTITY)
    cas = cassis.Cas(types, sofa_string="😷 had renal failure")
    entity = types.get_type(NAMED_ENTITY)
    linked = entity(begin=6, end=19, identifier="http://x/1", value="DISEASE")
    cas.add_all(
        [
            linked,
            entity(begin=0, end=1, value="PERSON"),
            entity(begin=2, end=5),
            layer(begin=6, end=11, type_="renal", sure=True, count=2, of=linked),
        ]
    )
    return cas


def save(cas: cassis.Cas, folder: Path, name: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if name.endswith(".json"):
        cas.to_json(folder / name)
    else:
        cas.to_xmi(folder / name)
        cas.typesystem.to_xml(folder / "TypeSystem.xml")


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_named_entities_are_read(tmp_path: Path, encoding: str) -> None:
    save(foreign(), tmp_path, f"n 1.{encoding}")
    for source in (tmp_path, tmp_path / f"n 1.{encoding}"):
        with pytest.warns(UserWarning, match="skipped 1 annotations without a code"):
            corpus = formats.read("cas", source, annotator="mary")
        assert list(corpus.iter_notes()) == [Note("n 1", "n 1", text="😷 had renal failure")]
        assert set(corpus.iter_annotations()) == {
            Annotation("mary", Code("DISEASE", "http://x/1"), "n 1", "n 1", (Span(6, 19),)),
            Annotation("mary", Code("NamedEntity", "PERSON"), "n 1", "n 1", (Span(0, 1),)),
        }


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_another_type_and_its_features_can_be_named(tmp_path: Path, encoding: str) -> None:
    save(foreign(), tmp_path, f"n1.{encoding}")
    corpus = formats.read("cas", tmp_path, type="Finding", code_feature="type", system="Local")
    assert list(corpus.iter_annotations()) == [
        Annotation(
            "gold",
            Code("Local", "renal"),
            "n1",
            "n1",
            (Span(6, 11),),
            meta={"sure": "true", "count": "2"},
        )
    ]
    with pytest.raises(FormatError, match="has no feature kind; it has type, sure, count, of"):
        formats.read("cas", tmp_path, type="webanno.custom.Finding", code_feature="kind")
    with pytest.raises(OptionError, match=r"There is no type 'webanno.custom.Findings'. Did you"):
        formats.read("cas", tmp_path, type="webanno.custom.Findings")


def test_a_project_export_has_a_folder_a_note_and_a_file_an_annotator(tmp_path: Path) -> None:
    for annotator in ("ann", "ben"):
        save(foreign(), tmp_path / "annotation" / "note 1.txt", f"{annotator}.xmi")
    (tmp_path / "exportedproject.json").write_text("{}")
    with pytest.warns(UserWarning, match="2 annotations without a code"):
        corpus = formats.read("cas", tmp_path)
    assert [note.note_id for note in corpus.iter_notes()] == ["note 1"]
    assert Counter(a.annotator for a in corpus.iter_annotations()) == {"ann": 2, "ben": 2}
    other = cassis.Cas(foreign().typesystem, sofa_string="another text")
    save(other, tmp_path / "annotation" / "note 1.txt", "carl.xmi")
    with pytest.raises(FormatError, match=r"carl\.xmi: its text differs"):
        formats.read("cas", tmp_path)


def test_a_text_without_codes_is_read_with_a_hint(tmp_path: Path) -> None:
    types = cassis.TypeSystem()
    types.create_type("my.Token")
    save(cassis.Cas(types, sofa_string="Fever"), tmp_path, "n1.xmi")
    with pytest.warns(UserWarning, match=r"Choose another with --type; the file has my\.Token"):
        corpus = formats.read("cas", tmp_path)
    assert [note.text for note in corpus.iter_notes()] == ["Fever"]


def test_text_in_another_view_is_found(tmp_path: Path) -> None:
    cas = cassis.Cas(foreign().typesystem)
    view = cas.create_view("plain")
    view.sofa_string = "🫀 ok"
    view.add(cas.typesystem.get_type(NAMED_ENTITY)(begin=2, end=4, value="X"))
    save(cas, tmp_path, "n1.xmi")
    corpus = formats.read("cas", tmp_path)
    assert [note.text for note in corpus.iter_notes()] == ["🫀 ok"]
    assert [a.spans for a in corpus.iter_annotations()] == [(Span(2, 4),)]


XMI = """<?xml version="1.0" encoding="UTF-8"?>
<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore"
  xmlns:auscult="http:///auscult.ecore" xmi:version="2.0">
<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" sofaString="🫀 secret"/>
<auscult:Code xmi:id="2" sofa="1" begin="3" end="9" code="C" system="S"/>
<cas:View sofa="1" members="2"/>
</xmi:XMI>
"""


@pytest.fixture
def with_types(tmp_path: Path) -> Path:
    """A folder with our type system."""
    formats.write("cas", Corpus.of(), tmp_path / "in")
    return tmp_path / "in"


def test_xmi_written_by_hand_is_read(with_types: Path) -> None:
    (with_types / "n1.xmi").write_text(XMI, encoding="utf-8")
    corpus = formats.read("cas", with_types)
    assert [(a.annotator, str(a.code), a.spans) for a in corpus.iter_annotations()] == [
        ("gold", "S C", (Span(2, 8),))
    ]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('end="9"', 'end="10"', ": an annotation begins or ends past the text"),
        ('begin="3"', 'begin="1"', ": an annotation begins or ends past the text or in the middle"),
        ('begin="3" end="9"', 'begin="9" end="3"', ": an annotation of type auscult.Code has no"),
        ('begin="3"', 'begin="x"', ": is not a UIMA CAS, or is damaged (ValueError)"),
        ('code="C"', 'cod="C"', ": is not a UIMA CAS, or is damaged (TypeError)"),
        ("auscult:Code", "auscult:Other", ": has a type that TypeSystem.xml does not declare"),
        ("</xmi:XMI>", "", " row 8: is not well-formed XML"),
        (
            "<xmi:XMI",
            '<!DOCTYPE x [<!ENTITY e "x">]>\n<xmi:XMI',
            " row 2: defines an XML entity",
        ),
        ("members=", "member=", None),
    ],
)
def test_malformed_xmi_is_named(with_types: Path, old: str, new: str, problem: str | None) -> None:
    file = with_types / "n1.xmi"
    file.write_text(XMI.replace(old, new), encoding="utf-8")
    if problem is None:  # an annotation that is in no view is not there
        assert list(formats.read("cas", with_types).iter_annotations()) == []
        return
    with pytest.raises(FormatError) as caught:
        formats.read("cas", with_types)
    assert str(caught.value).startswith(f"{file}{problem}")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", " row 1: is not JSON"),
        ('{\n"a": ]', " row 2: is not JSON"),
        ("[]", ": is not a UIMA CAS, or is damaged"),
        ('{"%TYPES": {}, "%FEATURE_STRUCTURES": []}', ": is not a UIMA CAS, or is damaged"),
    ],
)
def test_malformed_json_is_named(tmp_path: Path, content: str, problem: str) -> None:
    file = tmp_path / "n1.json"
    file.write_text(content)
    with pytest.raises(FormatError) as caught:
        formats.read("cas", tmp_path)
    assert str(caught.value).startswith(f"{file}{problem}")


def test_xmi_needs_its_type_system(tmp_path: Path) -> None:
    (tmp_path / "n1.xmi").write_text(XMI, encoding="utf-8")
    with pytest.raises(FormatError, match=r"n1\.xmi: XMI needs its type system"):
        formats.read("cas", tmp_path)
    (tmp_path / "TypeSystem.xml").write_text("<types/>")
    with pytest.raises(FormatError, match=r"TypeSystem\.xml: is not a UIMA type system|declare"):
        formats.read("cas", tmp_path)


def test_without_cassis_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    genuine = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "cassis":
            raise ImportError(name)
        return genuine(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"pip install 'auscult\[cas\]'"):
        formats.write("cas", example(), tmp_path / "out")


@pytest.mark.real
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_real_cases_come_back(shared_data: Path, tmp_path: Path, encoding: str) -> None:
    corpus = formats.read("codiesp", shared_data / "codiesp" / "dev")
    assert formats.write("cas", corpus, tmp_path / "out", encoding=encoding) == []
    assert differences(corpus, formats.read("cas", tmp_path / "out")) == []


# Anything at all

CHARACTERS = st.sampled_from(
    ["e\u0301", "\r\n", *"aB7é🫀中\U0001f637 \u00a0\t\n\r.,<>&'\"\u2028\u0085\ufffd"]
)
WORDS = st.lists(CHARACTERS, min_size=1, max_size=6).map("".join)
METAS = st.dictionaries(WORDS, WORDS, max_size=2)


@st.composite
def annotated(draw: st.DrawFn) -> Corpus:
    text = draw(st.lists(CHARACTERS, max_size=30).map("".join))
    ends = st.integers(0, len(text))
    note_id, chart_id = draw(WORDS), draw(WORDS)

    def annotation() -> Annotation:
        spans = draw(st.lists(st.tuples(ends, ends).map(sorted), max_size=3))
        where = draw(st.sampled_from([note_id, note_id, note_id, None]))
        return Annotation(
            draw(WORDS),
            Code(draw(WORDS), draw(WORDS)),
            chart_id,
            where,
            tuple(Span(*pair) for pair in spans) if where else (),
            draw(st.none() | st.floats(allow_nan=False)),
            meta=draw(METAS),
        )

    note = Note(note_id, chart_id, draw(st.none() | WORDS), text=text, meta=draw(METAS))
    return Corpus.of([note], [annotation() for _ in range(draw(st.integers(0, 5)))])


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(corpus=annotated())
@settings(deadline=None, max_examples=examples(40))
def test_a_round_trip_is_the_identity(encoding: str, corpus: Corpus) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert formats.write("cas", corpus, Path(folder, "out"), encoding=encoding) == []
        assert differences(corpus, formats.read("cas", Path(folder, "out"))) == []


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(data=st.data())
@settings(deadline=None, max_examples=examples(50))
def test_mutated_files_raise_nothing_but_our_errors(encoding: str, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        formats.write("cas", example(), Path(folder, "out"), encoding=encoding)
        file = Path(folder, "out", f"a%2F1.{encoding}")
        raw = bytearray(file.read_bytes())
        for _ in range(data.draw(st.integers(1, 4))):
            at = data.draw(st.integers(0, len(raw)))
            raw[at : at + data.draw(st.integers(0, 12))] = data.draw(
                st.sampled_from([b"", b'"', b"<", b"{", b"}", b"[", b"]", b"&", b"null", b"-1"])
                | st.binary(max_size=4)
            )
        file.write_bytes(raw)
        try:
            found = formats.read("cas", Path(folder, "out"))
        except AuscultError:
            return
        lengths = {note.note_id: len(note.text or "") for note in found.iter_notes()}
        for one in found.iter_annotations():
            assert all(span.end <= lengths[one.note_id or ""] for span in one.spans)
