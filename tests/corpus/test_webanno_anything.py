"""WebAnno TSV with anything in it: identity, a second reader, and damaged files."""

from __future__ import annotations

import re
import tempfile
import warnings
from collections import Counter
from contextlib import suppress
from pathlib import Path

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.examples import examples

from auscult.core import Annotation, AuscultError, Code, Note, Span
from auscult.corpus import Corpus, formats
from auscult.corpus.compare import differences
from auscult.corpus.formats.webanno.escapes import (
    escape_text,
    escape_value,
    stack,
    unescape_text,
    unescape_value,
)

NAMED_ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
EXPORT = f"""\
#FORMAT=WebAnno TSV 3.3
#T_SP=de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS|PosValue|coarseValue
#T_SP={NAMED_ENTITY}|identifier|value
#T_SP=webanno.custom.Host|ROLE_webanno.custom.Host:of_webanno.custom.HostOfLink|{NAMED_ENTITY}|kind
#T_CH=de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink|referenceRelation|referenceType
#T_RL=webanno.custom.Relation|value|BT_{NAMED_ENTITY}


#Sentence.id=s1
#Text=Mother 😷 had
#Text=renal failure.
1-1\t0-6\tMother\tNN\t*\t*\tPERSON\t_\t_\t_\t*->1-1\t*[1]\t_\t_\t
1-2\t7-9\t😷\tSYM\t*\t_\t_\t_\t_\t_\t_\t_\t_\t_\t
1-3\t10-13\thad\tVB\t*\t_\t_\thas;has\t1-4[1];1-1\tx\t_\t_\t_\t_\t
1-4\t14-19\trenal\tJJ\t*\thttp://x/1\\_2[1]|*[2]\tDISEASE[1]|*[2]\t_\t_\t_\t_\t_\tof\t1-1[0_1]\t
1-5\t20-27\tfailure\tNN\t*\thttp://x/1\\_2[1]\tDISEASE[1]\t_\t_\t_\t_\t_\t_\t_\t
1-5.1\t20-24\tfail\t_\t_\thttp://x/\\*\tDISEASE\t_\t_\t_\t_\t_\t_\t_\t
1-6\t27-28\t.\t.\t*\t_\t_\t_\t_\t_\t_\t_\t_\t_\t

#Text=Dialysis
2-1\t31-39\tDialysis\tNN\t*\t_\t_\t_\t_\t_\t_\t_\t_\t_\t
"""
CHARACTERS = st.sampled_from(
    [
        *("e\u0301", "👩\u200d⚕\ufe0f", "\r\n"),
        *"aB7é🫀中 \u00a0\t\n\r.,;|[]_*\\#-<>\u2028\x0b\x01\x1f\x85",
    ]
)
TEXTS = st.lists(CHARACTERS, min_size=1, max_size=40).map("".join)
VALUES = st.text(
    st.sampled_from("aZ09.-> _*|[];\\\t\n🫀\x01") | st.characters(exclude_categories=["Cs"]),
    min_size=1,
    max_size=8,
).filter(lambda value: not set(value) & set("\r\0"))
METAS = st.dictionaries(VALUES, st.text(max_size=5), max_size=2)


@st.composite
def annotated(draw: st.DrawFn) -> Corpus:
    """A note of anything, its spans beginning and ending at or in words."""
    text = draw(TEXTS.filter(lambda text: not text[0].isspace()))
    solid = [at for at, character in enumerate(text) if not character.isspace()]

    def span() -> Span:
        first, last = sorted((draw(st.sampled_from(solid)), draw(st.sampled_from(solid))))
        return Span(first, draw(st.sampled_from([last + 1, last + 1, first])))

    note_id = draw(VALUES)
    chart_id = draw(VALUES)
    note = Note(
        note_id,
        chart_id,
        category=draw(st.none() | st.text(max_size=3).filter(lambda t: not set(t) & set("\r\0"))),
        text=text,
        split=draw(st.sampled_from([None, "train"])),
        meta=draw(METAS),
    )
    annotations = [
        Annotation(
            draw(VALUES),
            Code(draw(VALUES), draw(VALUES)),
            chart_id,
            note_id,
            tuple(span() for _ in range(draw(st.integers(1, 3)))),
            draw(st.none() | st.floats(allow_nan=False)),
            meta=draw(METAS),
        )
        for _ in range(draw(st.integers(0, 6)))
    ]
    return Corpus.of([note], annotations)


@given(annotated())
@settings(deadline=None, max_examples=examples(75))
def test_a_round_trip_is_the_identity(corpus: Corpus) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert formats.write("webanno", corpus, Path(folder, "out")) == []
        assert differences(corpus, formats.read("webanno", Path(folder, "out"))) == []


@given(annotated())
@settings(deadline=None, max_examples=examples(50))
def test_a_reader_made_after_inceptions_sees_the_same(corpus: Corpus) -> None:
    with tempfile.TemporaryDirectory() as folder:
        formats.write("webanno", corpus, Path(folder, "out"))
        (file,) = Path(folder, "out").iterdir()
        text, found = as_inception_reads(file.read_bytes().decode())
    (note,) = corpus.iter_notes()
    assert note.text is not None
    assert text == note.text + "\n"
    units = [0]
    for character in note.text:
        units.append(units[-1] + len(character.encode("utf-16-le")) // 2)
    expected = Counter(
        (units[span.begin], units[span.end], a.annotator, a.code.system, a.code.value)
        for a in corpus.iter_annotations()
        for span in a.spans
    )
    assert expected == Counter(
        (begin, end, values["annotator"], values["system"], values["code"])
        for layer, begin, end, values in found
        if layer == "webanno.custom.Code"
    )


@given(TEXTS, st.lists(st.tuples(st.integers(0, 45), st.integers(0, 45)), max_size=5))
@settings(deadline=None, max_examples=examples(50))
def test_without_losses_nothing_is_lost(text: str, ranges: list[tuple[int, int]]) -> None:
    note = Note("n", "n", text=text)
    spans = [Span(*sorted(pair)) for pair in ranges]
    corpus = Corpus.of([note], [Annotation("a", Code("S", "C"), "n", "n", (s,)) for s in spans])
    with tempfile.TemporaryDirectory() as folder:
        losses = formats.write("webanno", corpus, Path(folder, "out"))
        back = formats.read("webanno", Path(folder, "out"))
    assert bool(losses) == bool(differences(corpus, back))


@given(st.text(), st.text(st.characters(exclude_categories=["Cs"])))
def test_escapes_come_back(value: str, line: str) -> None:
    assert unescape_value(escape_value(value)) == value
    assert stack(f"{escape_value(value)}[7]|*[8]") == [(value, 7), (None, 8)]
    assert unescape_text(escape_text(line)) == line
    assert not set(escape_text(line)) & set("\t\n\r")


@given(st.data())
@settings(deadline=None, max_examples=examples(120))
def test_mutated_files_raise_nothing_but_our_errors(data: st.DataObject) -> None:
    raw = bytearray(EXPORT.encode())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(raw)))
        cut = data.draw(st.integers(0, 12))
        raw[at : at + cut] = data.draw(
            st.sampled_from([b"", b"\t", b"\n", b"|", b"[", b"]", b"\\", b"#", b"-", b"\xff", b"9"])
            | st.binary(max_size=4)
        )
    assume(bytes(raw) != EXPORT.encode())
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        file = Path(folder, "n1.tsv")
        file.write_bytes(raw)
        with suppress(AuscultError):
            corpus = formats.read("webanno", file)
            (note,) = corpus.iter_notes()
            for annotation in corpus.iter_annotations():
                assert all(span.end <= len(note.text or "") for span in annotation.spans)


def as_inception_reads(content: str) -> tuple[str, list[tuple[str, int, int, dict[str, str]]]]:
    """The text and spans of a file, read step by step as INCEpTION's own reader does.

    Counts in UTF-16 units by holding the text as such; splits stacks at any bar without a
    backslash before it; ends the text with a line break.
    """

    def units(text: str) -> list[bytes]:
        raw = text.encode("utf-16-le")
        return [raw[at : at + 2] for at in range(0, len(raw), 2)]

    def replace_each(text: str, pairs: dict[str, str]) -> str:
        return re.sub("|".join(map(re.escape, pairs)), lambda m: pairs[m[0]], text)

    in_value = {"\\" + c: c for c in ("\\", "[", "]", "|", "_", "->", ";", "*")}
    in_value |= {"\\t": "\t", "\\n": "\n"}
    in_text = {"\\" + chr(i): chr(i) for i in range(32) if not 7 < i < 14}
    in_text |= {"\\t": "\t", "\\n": "\n", "\\f": "\f", "\\r": "\r", "\\b": "\b", "\\\\": "\\"}
    lines = re.split("\r\n|\r|\n", content)
    assert lines.pop() == ""
    columns: list[tuple[str, str]] = []
    at = 1
    while lines[at]:
        name, *features = lines[at].removeprefix("#T_SP=").split("|")
        columns += [(name, feature) for feature in features]
        at += 1
    assert lines[at + 1] == ""
    text: list[bytes] = []
    sentence = ""
    found: list[tuple[str, list[int], dict[str, str]]] = []
    numbered: dict[int, tuple[str, list[int], dict[str, str]]] = {}
    for line in lines[at + 2 :]:
        if line.startswith("#Text="):
            sentence += replace_each(line.removeprefix("#Text="), in_text) + "\n"
        elif line:
            fields = line.split("\t")
            assert len(fields) == 3 + len(columns) + 1
            begin, end = map(int, fields[1].split("-"))
            if sentence:
                if len(text) > begin:
                    assert text.pop() == b"\n\0"
                text += units(" " * (begin - len(text))) + units(sentence)
                sentence = ""
            here: dict[str, list[tuple[str, list[int], dict[str, str]]]] = {}
            for (layer, feature), cell in zip(columns, fields[3:], strict=False):
                if cell == "_":
                    continue
                for level, value in enumerate(re.split(r"(?<!\\)\|", cell)):
                    number = None
                    if value.endswith("]") and not value.endswith("\\]"):
                        value, _, last = value.rpartition("[")
                        number = int(last[:-1])
                    there = here.setdefault(layer, [])
                    if len(there) <= level:
                        known = numbered.get(number) if number is not None else None
                        if known:
                            known[1][1] = end
                        else:
                            known = (layer, [begin, end], {})
                            found.append(known)
                        there.append(known)
                    if number is not None:
                        numbered[number] = there[level]
                    if value != "*":
                        there[level][2][feature] = replace_each(value, in_value)
    whole = b"".join(text).decode("utf-16-le")
    return whole, [(layer, begin, end, values) for layer, (begin, end), values in found]
