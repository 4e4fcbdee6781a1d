"""Made-up corpora for the contract of formats, and what each format can hold of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from dataclasses import fields as dataclass_fields

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from auscult.core import Annotation, Code, Note, Span, Status
from auscult.corpus import Corpus
from auscult.corpus.formats.shared.readers import marked_read

MARKER = "ZQXJ"
"""A word that is in the text of every sample, and in nothing else."""

# Everything that has ever moved an offset, or ended a field too early.
_PIECES = (
    *("fever", "no cough", "HTN", "38.5°C", "naïve", "中文", " ", "  ", ".", ", ", "#Text="),
    *("🫀", "👩🏽‍⚕️", "e\u0301", "\u200d", "\ufeff", "\u00a0", "\u2028", "\x85", "\t", "\n", "\r\n"),
    *('"', "'", '""', "|", "||", "[", "]", "[1]", "{", "}", "<b>", "&amp;", "&", "]]>", "<"),
    *("\\", "\\n", "_", "*", ";", ":", "->", "%41", "#", "T1", "-1", "1|t|", "/", "../", "N001||"),
)
_CONTROLS = ("\0", "\x01", "\x0b", "\x0c", "\x1c", "\x7f", "\r")
_NOT_XML = "\0\x01\x0b\x0c\x1c"
_BREAKS = "\t\n\r\0\x0b\x0c\x1c\x85\u2028"
_WORD = st.text("abcXYZ019", min_size=1, max_size=6)


def texts(without: str = "") -> SearchStrategy[str]:
    """Texts of awkward pieces, none with a character of `without`."""
    usable = [piece for piece in (*_PIECES, *_CONTROLS) if not set(piece) & set(without)]
    return st.lists(st.sampled_from(usable), max_size=12).map("".join)


def names(without: str = "") -> SearchStrategy[str]:
    """Ids, categories, codes: mostly plain, at times awkward, never empty or edged with blanks."""
    awkward = texts(without + "\ufeff").filter(lambda name: name.strip() == name != "")
    return st.one_of(_WORD, awkward)


def metas(without: str = "") -> SearchStrategy[dict[str, str]]:
    """A few keys with awkward values, most often none."""
    some = st.dictionaries(names(without), texts(without), min_size=1, max_size=2)
    return st.one_of(st.just({}), st.just({}), some)


def fields(without: str = "", *only: str) -> dict[str, SearchStrategy[str | None]]:
    """Values for the fields of a note, each of which may be missing."""
    every = ("subject_id", "category", "time", "split")
    return {name: st.one_of(st.none(), names(without)) for name in only or every}


@dataclass(frozen=True)
class Holds:
    """What a format can hold of a corpus: where a strategy is missing, nothing but the plainest.

    `spans` are the numbers of spans an annotation may have; a format without any holds none.
    Without `read_by`, the only annotator there is has read all notes: that is what a format has
    that knows no readers, but takes a document without an annotation for read; with `reads_splits`
    a document of a split in which others are annotated.
    """

    text: SearchStrategy[str | None]
    note_id: SearchStrategy[str]
    code: SearchStrategy[Code]
    chart_id: SearchStrategy[str] | None = None
    fields: dict[str, SearchStrategy[str | None]] = field(default_factory=dict)
    note_meta: SearchStrategy[dict[str, str]] = field(default_factory=lambda: st.just({}))
    annotator: SearchStrategy[str] = field(default_factory=lambda: st.just("gold"))
    score: SearchStrategy[float | None] = field(default_factory=st.none)
    status: SearchStrategy[Status] = field(default_factory=lambda: st.just(Status.GIVEN))
    meta: SearchStrategy[dict[str, str]] = field(default_factory=lambda: st.just({}))
    read_by: SearchStrategy[tuple[str, ...]] | None = None
    reads_splits: bool = False
    spans: tuple[int, ...] = (0, 1, 2, 3)
    empty_spans: bool = True
    on_charts: bool = False
    on_notes: bool = True
    other_charts: bool = False
    twice: bool = True


_SCORES = st.one_of(st.none(), st.floats(0, 1), st.floats(allow_nan=False, allow_infinity=False))
_CODES = st.builds(Code, names(), names())
_NOBODY: SearchStrategy[tuple[str, ...]] = st.just(())


def _readers(who: SearchStrategy[str]) -> SearchStrategy[tuple[str, ...]]:
    some = st.lists(who, min_size=1, max_size=2, unique=True).map(tuple)
    return st.one_of(_NOBODY, some)


ANYTHING = Holds(
    text=st.one_of(st.none(), texts(), texts()),
    note_id=names(),
    code=_CODES,
    chart_id=names(),
    fields=fields(),
    note_meta=metas(),
    annotator=st.one_of(st.just("gold"), names()),
    score=_SCORES,
    status=st.sampled_from(Status),
    meta=metas(),
    read_by=_readers(names()),
    on_charts=True,
    other_charts=True,
)


def _some(number: int) -> SearchStrategy[int]:
    return st.integers(0, number)


@st.composite
def _spans(draw: DrawFn, length: int, count: int, *, empty: bool) -> tuple[Span, ...]:
    """Spans in order, anywhere from edge to edge."""
    # distinct ends are what keeps each span from being empty
    count = count if empty else min(count, (length + 1) // 2)
    ends = st.lists(_some(length), min_size=2 * count, max_size=2 * count, unique=not empty)
    inner = sorted(draw(ends))
    return tuple(Span(b, e) for b, e in zip(inner[::2], inner[1::2], strict=True))


@st.composite
def corpora(draw: DrawFn, holds: Holds = ANYTHING) -> Corpus:
    """A few notes with annotations that nest, overlap, repeat and lie on every edge."""
    note_ids = draw(st.lists(holds.note_id, min_size=1, max_size=3, unique=True))
    charts = [draw(holds.chart_id) for _ in note_ids] if holds.chart_id is not None else note_ids
    notes = [
        Note(
            note_id,
            chart_id,
            text=draw(holds.text),
            meta=draw(holds.note_meta),
            read_by=() if holds.read_by is None else draw(holds.read_by),
            **{name: draw(value) for name, value in holds.fields.items()},
        )
        for note_id, chart_id in zip(note_ids, charts, strict=True)
    ]
    annotations: list[Annotation] = []
    for _ in range(draw(st.sampled_from((3, 1, 2, 5, 0, 4))) if holds.spans else 0):
        if annotations and holds.twice and draw(st.integers(0, 3)) == 0:  # stacked on another
            other = draw(st.sampled_from(annotations))
            annotations.append(
                replace(other, code=draw(st.one_of(st.just(other.code), holds.code)))
            )
            continue
        note = draw(st.sampled_from(notes))
        whole = not holds.on_notes or (holds.on_charts and draw(st.integers(0, 4)) == 0)
        count = 0 if whole else draw(st.sampled_from(holds.spans))
        length = 30 if note.text is None else len(note.text)
        spans = draw(_spans(length, count, empty=holds.empty_spans))
        if not spans and 0 not in holds.spans and not whole:
            continue
        elsewhere = holds.other_charts and draw(st.integers(0, 3)) == 0
        annotations.append(
            Annotation(
                draw(holds.annotator),
                draw(holds.code),
                draw(names(_NOT_XML)) if elsewhere else note.chart_id,
                None if whole else note.note_id,
                spans,
                draw(holds.score),
                draw(holds.status),
                draw(holds.meta),
            )
        )
    if holds.read_by is None:
        parts = {note.split for note in notes} if holds.reads_splits else {None}
        for part in parts:
            here = [note for note in notes if part in (None, note.split)]
            ids = {note.note_id for note in here}
            read = marked_read(here, [one for one in annotations if one.note_id in ids])
            notes = [*(note for note in notes if note.note_id not in ids), *read]
    return Corpus.of(notes, annotations)


def _codes(system: str, values: SearchStrategy[str] = _WORD) -> SearchStrategy[Code]:
    return st.builds(Code, st.just(system), values)


def _optional(strategy: SearchStrategy[str]) -> SearchStrategy[str | None]:
    return st.one_of(st.none(), strategy, strategy)


def _one_of(*values: str) -> SearchStrategy[str]:
    return st.sampled_from(values)


_PLAIN = Holds(text=texts(_NOT_XML), note_id=_WORD, code=_codes("ICD-10-CM"), read_by=_NOBODY)
_GIVEN = st.just(Status.GIVEN)
_CSV = texts("\0")
_TIMES = _one_of("2151-03-04", "2151-03-04T05:06:07")
_ICD9 = st.one_of(
    _codes("ICD-9-CM", _one_of("389.3", "401.9", "V10.11", "E860.0")),
    _codes("ICD-9-PCS", _one_of("38.93", "96.04")),
)
_ICD10 = _codes("ICD-10-CM", _one_of("I10", "E11.9", "T36.0X5A"))
_CPT = _codes("CPT", _one_of("99213", "0001F"))
# A table of admissions says a chart's patient once, so here each patient has one chart.
_MIMIC = replace(
    _PLAIN, text=_optional(_CSV), annotator=st.just("billing"), on_charts=True, on_notes=False
)

HELD: dict[str, Holds] = {
    "jsonl": ANYTHING,
    "csv": replace(
        ANYTHING,
        text=_optional(texts("\0")),
        note_id=names("\0"),
        chart_id=names("\0"),
        fields=fields("\0"),
        note_meta=metas("\0"),
        annotator=names("\0"),
        code=st.builds(Code, names("\0"), names("\0")),
        meta=metas("\0"),
        read_by=_readers(names("\0")),
    ),
    "brat": replace(
        ANYTHING,
        status=_GIVEN,
        read_by=None,
        text=_optional(texts("\0")),
        chart_id=None,
        fields={},
        note_meta=st.just({}),
        spans=(1, 2, 3),
        on_charts=False,
        other_charts=False,
    ),
    "mcn": replace(
        _PLAIN,
        read_by=None,
        text=_optional(texts("\0")),
        note_id=names(),
        fields={"split": _optional(names())},
        code=_codes("UMLS", names("|\n\r\0")),
        spans=(1, 2, 3),
    ),
    "bioc": replace(
        ANYTHING,
        status=_GIVEN,
        read_by=_readers(names(_NOT_XML)),
        text=_optional(texts(_NOT_XML)),
        note_id=names(_NOT_XML),
        chart_id=names(_NOT_XML),
        fields=fields(_NOT_XML),
        note_meta=metas(_NOT_XML),
        annotator=names(_NOT_XML),
        code=st.builds(Code, names(_NOT_XML), names(_NOT_XML)),
        meta=metas(_NOT_XML),
        on_charts=False,
        other_charts=False,
    ),
    "cas": replace(
        ANYTHING,
        status=_GIVEN,
        read_by=_readers(names(_NOT_XML)),
        text=texts(_NOT_XML),
        note_id=names(_NOT_XML),
        chart_id=names(_NOT_XML),
        fields=fields(_NOT_XML),
        note_meta=metas(_NOT_XML),
        annotator=names(_NOT_XML),
        code=st.builds(Code, names(_NOT_XML), names(_NOT_XML)),
        meta=metas(_NOT_XML),
        other_charts=False,
    ),
    "cmc": replace(
        _PLAIN,
        read_by=None,
        text=_optional(texts(_NOT_XML)),
        note_id=names(_NOT_XML),
        fields=fields(_NOT_XML, "category"),
        annotator=names(_NOT_XML),
        code=st.builds(Code, names(_NOT_XML), names(_NOT_XML)),
        spans=(0,),
    ),
    "codiesp": replace(
        _PLAIN,
        read_by=None,
        reads_splits=True,
        text=texts("\0"),
        note_id=names("/\\\\" + _BREAKS),
        fields={"split": _one_of("train", "dev", "test")},
        code=st.one_of(_ICD10, _codes("ICD-10-PCS", _one_of("BW03ZZZ", "3E0G76Z"))),
        spans=(1, 2, 3),
    ),
    "mdace": replace(
        _PLAIN,
        read_by=None,
        text=_optional(texts()),
        chart_id=_WORD,
        fields=fields("", "category"),
        code=st.one_of(_ICD10, _ICD9),
        spans=(1,),
    ),
    "mimic3": replace(
        _MIMIC,
        fields=fields("\0", "category") | {"time": _optional(_TIMES)},
        code=st.one_of(_ICD9, _CPT),
    ),
    "mimic4": replace(
        _MIMIC,
        fields={
            "category": _one_of("Discharge summary", "Radiology"),
            "time": _optional(_one_of("2151-03-04T05:06:07")),
        },
        code=st.one_of(_ICD9, _ICD10, _CPT),
    ),
    "mimic4_ed": replace(
        _MIMIC,
        note_id=names("\0"),
        fields=fields("\0", "subject_id") | {"time": _optional(_one_of("2151-03-04T05:06:07"))},
        code=st.one_of(_codes("ICD-9-CM", _one_of("389.3", "401.9", "V10.11", "E860.0")), _ICD10),
    ),
    "records": replace(
        _PLAIN,
        text=_optional(_CSV),
        note_id=names("\0"),
        chart_id=names("\0"),
        fields=fields("\0"),
        spans=(),
    ),
    "neiss": replace(_PLAIN, text=_optional(_CSV), note_id=names("\0"), spans=()),
    "pubtator": replace(
        _PLAIN,
        read_by=None,
        text=st.lists(texts("\n\r\0"), min_size=1, max_size=2).map("\n".join),
        code=_codes("MeSH", _one_of("D003920", "C536409", "CUI-less")),
        spans=(1,),
    ),
    "webanno": replace(
        _PLAIN,
        text=texts(" \u00a0" + _BREAKS).filter(str.strip),
        note_id=names(),
        chart_id=names("\r\0"),
        fields=fields("\r\0"),
        note_meta=metas("\r\0"),
        read_by=_readers(names("\r\0")),
        annotator=names("\r\0"),
        code=st.builds(Code, names("\r\0"), names("\r\0")),
        score=_SCORES,
        meta=metas("\r\0"),
        spans=(1, 2, 3),
        empty_spans=False,
    ),
}
"""What each format promises to hold without any loss."""


WAYS = tuple(way.name for way in dataclass_fields(Holds))
"""The ways in which a corpus may go beyond what a format can hold."""


def beyond(name: str, way: str) -> Holds:
    """What a format can hold, but anything in one way."""
    return replace(HELD[name], **{way: getattr(ANYTHING, way)})


def sample(name: str) -> Corpus:
    """Two notes with what the format has a place for, the marker in either's text."""
    codes = {"mcn": ("UMLS", "C0015967"), "pubtator": ("MeSH", "D005334")}
    codes |= {"mimic3": ("ICD-9-CM", "780.60"), "cmc": ("ICD-9-CM", "780.60")}
    code = Code(*codes.get(name, ("ICD-10-CM", "R50.9")))
    other = Code(code.system, {"ICD-9-CM": "401.9", "UMLS": "CUI-less"}.get(code.system, "D006973"))
    whose = "billing" if name.startswith("mimic") else "gold"
    notes = [
        Note(
            f"n{i}",
            f"c{i}",
            f"s{i}",
            "Radiology",
            "2151-03-04T05:06:07",
            f"Fever 🫀 and {MARKER} chills.\nNo “{MARKER}” cough, {'naïve ' * i}\tHTN\u00a0.",
            "train",
        )
        for i in (1, 2)
    ]
    annotations = []
    for note in notes:
        whole = Annotation(whose, code, note.chart_id, note.note_id)
        if name.startswith("mimic"):
            annotations += [replace(whole, note_id=None), replace(whole, code=other, note_id=None)]
        else:
            annotations += [
                replace(whole, spans=(Span(0, 5),), score=0.5, meta={"type": "Sign"}),
                replace(whole, code=other, spans=(Span(0, 7), Span(12, 16))),
                replace(whole, annotator="second", spans=(Span(12, 23),), meta={"why": "seen"}),
                whole,
            ]
    if name == "brat":
        lines = "R1\tCauses Arg1:T1 Arg2:T2\nE1\tEvent:T1 Theme:T2\n*\tEquiv T1 T2\nA1\tSure E1"
        notes = [replace(note, meta={"relations": lines}) for note in notes]
        for at, id_ in ((0, "T1"), (1, "T2"), (4, "T1"), (5, "T2")):
            meta = {"id": id_, "attribute:Negated": "", "note:AnnotatorNotes": "why"}
            annotations[at] = replace(annotations[at], meta=meta)
    if name == "bioc":
        cut = [(note, note.text or "") for note in notes]
        notes = [
            replace(note, meta={"passages": f'[[0, 24, {{"type": "a"}}], [25, {len(text)}, {{}}]]'})
            for note, text in cut
        ]
    return Corpus.of(notes, annotations)
