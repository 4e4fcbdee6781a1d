"""UIMA CAS, as XMI with its TypeSystem.xml or as JSON: a file a note (needs auscult[cas]).

Codes are of the type `auscult.Code`, an annotation with the features `annotator`, `code`,
`system`, `score`, `meta` and `part`; an annotation with several spans is several of these, which
`part` ties together. Codes of a note as a whole are `auscult.NoteCode`, those of its chart
`auscult.ChartCode`, on the chart's first note, and what else is known of a note is in
`auscult.Note`; its id is in DKPro's `DocumentMetaData`. Read are these, any other annotation type,
and project exports of INCEpTION with a folder a note and a file an annotator.

A CAS counts UTF-16 units. XMI cannot hold control characters; JSON can.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from auscult.core import Annotation, FormatError, Note, Span
from auscult.core.names import require_known
from auscult.core.progress import track
from auscult.corpus.corpus import Corpus
from auscult.corpus.formats.cas.load import (
    TYPE_SYSTEM,
    feature_names,
    import_cassis,
    load,
    single_structure,
    values_of,
    view_of,
)
from auscult.corpus.formats.contract import FormatOptions, Loss, Losses
from auscult.corpus.formats.shared import name_lists
from auscult.corpus.formats.shared.note_files import (
    NoteFile,
    check_same_text,
    file_name,
    note_files,
)
from auscult.corpus.formats.shared.unsupported import count_records
from auscult.corpus.formats.webanno.features import (
    FEATURES,
    NAMED_ENTITY,
    PART,
    SCORE,
    FeatureOptions,
    WebannoSpan,
    annotations_of,
    dump_meta,
    features_of,
    load_meta,
    naming,
    parts_of,
)

if TYPE_CHECKING:
    from cassis import Cas, TypeSystem

CODE_TYPE = "auscult.Code"
NOTE_CODE_TYPE = "auscult.NoteCode"
CHART_CODE_TYPE = "auscult.ChartCode"
NOTE_TYPE = "auscult.Note"
META_DATA = "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.DocumentMetaData"
HOLDS = frozenset({"notes.read_by"})
_NOTE_FIELDS = ("chart_id", "subject_id", "category", "time", "split")
_STRING = "uima.cas.String"
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_UNSPANNED = tuple(name for name in FEATURES if name != PART)
_LEFT_OUT = "left out"


class ReadOptions(FeatureOptions):
    """Which type to read, and what its features mean."""

    type: str | None = Field(
        None,
        description="Annotation type with the codes.  [default: auscult.Code, or DKPro's "
        "NamedEntity]",
    )


class WriteOptions(FormatOptions):
    """How to write the files."""

    encoding: Literal["xmi", "json"] = Field(
        "xmi", description="XMI with a TypeSystem.xml, or JSON."
    )


def read(source: Path, options: ReadOptions) -> Corpus:
    """The notes of a file or a folder of files."""
    cassis = import_cassis()
    files = note_files(source, [".xmi", ".json"])
    type_systems: dict[Path, TypeSystem] = {}
    notes: dict[str, Note] = {}
    annotations: list[Annotation] = []
    types: set[str] = set()
    nameless = 0
    for file in track(files, "reading", len(files)):
        cas = load(cassis, file.path, source, type_systems)
        there = {kind.name for kind in cas.typesystem.get_types()}
        types |= there
        fresh = _note(cas, file)
        note = notes.setdefault(fresh.note_id, fresh)
        check_same_text(note, fresh.text, file)
        wanted = _wanted(there, options)
        found, without = _codes(cas, wanted, note, file, options) if wanted else ([], 0)
        annotations += found
        nameless += without
        annotations += _codes(cas, NOTE_CODE_TYPE, note, file, ReadOptions())[0]
        of_chart, _ = _codes(cas, CHART_CODE_TYPE, note, file, ReadOptions())
        annotations += [replace(annotation, note_id=None) for annotation in of_chart]
    if options.type is not None and _wanted(types, options) is None:
        require_known(options.type, types, "type")
    _warn(source, types, nameless, options)
    return Corpus.of(notes.values(), annotations)


def write(corpus: Corpus, target: Path, options: WriteOptions) -> list[Loss]:
    """Write a folder with a file a note."""
    cassis = import_cassis()
    losses = Losses()
    count_records(corpus, losses)
    on_notes, on_charts = _grouped(corpus, losses)
    type_system = _type_system(cassis)
    is_xmi = options.encoding == "xmi"
    hold = partial(_in_xml, losses=losses) if is_xmi else str
    target.mkdir()
    if is_xmi:
        type_system.to_xml(target / TYPE_SYSTEM)
    for note in track(corpus.iter_notes(), "writing"):
        cas = cassis.Cas(type_system, sofa_string=None if note.text is None else hold(note.text))
        for kind, values in _contents(
            note, on_notes[note.note_id], on_charts.pop(note.chart_id, []), losses
        ):
            held = {k: hold(v) if isinstance(v, str) else v for k, v in values.items()}
            cas.add(type_system.get_type(kind)(**held))
        file = target / file_name(note.note_id, f".{options.encoding}")
        file.write_text(cas.to_xmi() if is_xmi else cas.to_json(), encoding="utf-8", newline="")
    for rest in on_charts.values():
        losses.add("annotations", "annotations on charts without a note", _LEFT_OUT, len(rest))
    return losses.list()


def _type_system(cassis: Any) -> TypeSystem:
    made = cassis.TypeSystem()

    def add(name: str, parent: str, features: Iterable[str]) -> None:
        kind = made.create_type(name, parent)
        for feature in features:
            made.create_feature(kind, feature, "uima.cas.Double" if feature == SCORE else _STRING)

    add(CODE_TYPE, "uima.tcas.Annotation", FEATURES)
    add(NOTE_CODE_TYPE, "uima.cas.TOP", _UNSPANNED)
    add(CHART_CODE_TYPE, "uima.cas.TOP", _UNSPANNED)
    add(NOTE_TYPE, "uima.cas.TOP", (*_NOTE_FIELDS, "meta", "read_by"))
    add(META_DATA, "uima.tcas.DocumentAnnotation", ("documentId", "documentTitle"))
    return made


def _grouped(
    corpus: Corpus, losses: Losses
) -> tuple[dict[str, list[Annotation]], dict[str, list[Annotation]]]:
    """The annotations of each note, and those of each chart as a whole."""
    on_notes: dict[str, list[Annotation]] = {
        note_id: [] for note_id in corpus.lazy_notes.select("note_id").collect()["note_id"]
    }
    on_charts: dict[str, list[Annotation]] = {}
    for annotation in corpus.iter_annotations():
        if annotation.note_id is None:
            on_charts.setdefault(annotation.chart_id, []).append(annotation)
        elif annotation.note_id in on_notes:
            on_notes[annotation.note_id].append(annotation)
        else:
            losses.add("annotations", "annotations on notes that are not in the corpus", _LEFT_OUT)
    return on_notes, on_charts


def _contents(
    note: Note, on_note: list[Annotation], on_chart: list[Annotation], losses: Losses
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The feature structures of a note: the type and the features of each."""
    length = None if note.text is None else len(note.text)
    identity = {"documentId": note.note_id, "documentTitle": note.note_id}
    yield META_DATA, {**identity, "language": "x-unspecified", "begin": 0, "end": length or 0}
    about = {name: getattr(note, name) for name in _NOTE_FIELDS}
    about["meta"] = dump_meta(note.meta) if note.meta else None
    yield NOTE_TYPE, {**about, "read_by": name_lists.join(note.read_by)}
    spanned = []
    for annotation in on_note:
        if annotation.chart_id != note.chart_id:
            losses.add(
                "annotations.chart_id",
                "annotations whose chart_id differs from their note's",
                "read back with the note's chart_id",
            )
        if not annotation.spans:
            yield NOTE_CODE_TYPE, _scored(features_of(annotation))
        elif length is not None and max(span.end for span in annotation.spans) > length:
            losses.add(
                "annotations", "annotations with a span past the end of their note", _LEFT_OUT
            )
        else:
            spanned.append(annotation)
    if length is None:
        losses.add(
            "annotations.spans",
            "annotations on notes without text",
            "their offsets stay in code points, since UTF-16 offsets cannot be computed",
            len(spanned),
        )
    for span, values in parts_of(spanned):
        yield CODE_TYPE, {**_scored(values), "begin": span.begin, "end": span.end}
    for annotation in on_chart:
        yield CHART_CODE_TYPE, _scored(features_of(annotation))


def _scored(values: Mapping[str, str]) -> dict[str, Any]:
    return {name: float(value) if name == SCORE else value for name, value in values.items()}


def _in_xml(value: str, losses: Losses) -> str:
    """The value with what XML 1.0 cannot hold replaced, a character for a character."""
    held, count = _NOT_XML.subn("\ufffd", value)
    losses.add(
        "notes.text", "control characters, which XML does not allow", "written as U+FFFD", count
    )
    return held


def _note(cas: Cas, file: NoteFile) -> Note:
    view = view_of(cas)
    named = single_structure(view, META_DATA).get("documentId")
    # In a project export every annotator's file is of the note that its folder names.
    note_id = file.note_id if file.annotator is not None or not named else named
    about = single_structure(view, NOTE_TYPE)
    fields: dict[str, Any] = {name: about[name] for name in _NOTE_FIELDS if name in about}
    fields = {"note_id": note_id, "chart_id": note_id} | fields
    text: str | None = view.sofa_string
    readers = name_lists.split(about.get("read_by"))
    return Note(**fields, text=text, meta=load_meta(about.get("meta")) or {}, read_by=readers)


def _wanted(there: set[str], options: ReadOptions) -> str | None:
    """The type to read, of those there are."""
    if options.type is not None:
        ending = [name for name in there if name.endswith(f".{options.type}")]
        return options.type if options.type in there else ending[0] if len(ending) == 1 else None
    return next((name for name in (CODE_TYPE, NAMED_ENTITY) if name in there), None)


def _codes(
    cas: Cas, kind: str, note: Note, file: NoteFile, options: ReadOptions
) -> tuple[list[Annotation], int]:
    """The annotations of a type, and how many of its instances have no code."""
    view = view_of(cas)
    if not view.typesystem.contains_type(kind, match_exactly=True):
        return [], 0
    found = [WebannoSpan(_span(fs, note, file.path), values_of(fs)) for fs in view.select(kind)]
    if not found:
        return [], 0
    meaning = naming(
        kind,
        feature_names(view.typesystem.get_type(kind)),
        code_feature=options.code_feature,
        system_feature=options.system_feature,
        system=options.system,
        annotator=file.annotator or options.annotator,
        file=file.path,
    )
    return annotations_of(found, note, meaning)


def _span(fs: Any, note: Note, path: Path) -> Span | None:
    begin, end = fs.get("begin"), fs.get("end")
    if begin is None and end is None:
        return None
    length = end if note.text is None else len(note.text)
    whole = isinstance(begin, int) and isinstance(end, int)
    if not whole or not 0 <= begin <= end <= length:
        raise FormatError(
            f"an annotation of type {fs.type.name} has no begin and end inside the text", path
        )
    return Span(begin, end)


def _warn(source: Path, types: set[str], nameless: int, options: ReadOptions) -> None:
    if nameless:
        warnings.warn(f"{source}: skipped {nameless:,} annotations without a code.", stacklevel=3)
    if _wanted(types, options) is None:
        name_lists = ", ".join(sorted(types)[:20])
        warnings.warn(
            f"{source}: no annotation was read: there is no type {CODE_TYPE} or NamedEntity. "
            f"Choose another with --type; the file has {name_lists}.",
            stacklevel=3,
        )
