"""WebAnno TSV 3.3, as INCEpTION reads and writes it: a file a note, named by the note's id.

Codes are in the layer `webanno.custom.Code`, with the features `annotator`, `code` and `system`,
and `score`, `meta` and `part` where there are any; what else is known of a note is on its first
word, in the layer `webanno.custom.Note`. Make these layers in the project before importing the
files, all features strings; or write the layer NamedEntity, which every project has. Read are
these, any other span layer, and project exports with a folder a note and a file an annotator.

The format counts UTF-16 units, and holds neither white space before a note's first word nor
spans with white space at their edges. An annotation with several spans is written as several,
which its feature `part` ties together.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import polars as pl
from pydantic import Field

from auscult.core import Annotation, FormatError, Note
from auscult.core.names import require_known
from auscult.core.progress import track
from auscult.corpus.corpus import Corpus
from auscult.corpus.formats.contract import FormatOptions, Loss, Losses
from auscult.corpus.formats.shared import name_lists
from auscult.corpus.formats.shared.note_files import (
    NoteFile,
    check_same_text,
    file_name,
    note_files,
)
from auscult.corpus.formats.shared.unsupported import by_note, count_records
from auscult.corpus.formats.webanno.features import (
    ANNOTATOR,
    CODE,
    META,
    NAMED_ENTITY,
    PART,
    SCORE,
    SYSTEM,
    FeatureOptions,
    WebannoSpan,
    annotations_of,
    dump_meta,
    load_meta,
    naming,
    parts_of,
)
from auscult.corpus.formats.webanno.layout import SpanToWrite, TokenizedNote, lay_out
from auscult.corpus.formats.webanno.parse import WebannoFile, WebannoLayer, declared, parse

CODE_LAYER = "webanno.custom.Code"
NOTE_LAYER = "webanno.custom.Note"
_SUFFIX = ".tsv"
HOLDS = frozenset({"notes.read_by"})
_NOTE_FEATURES = {
    "category": "category",
    "chart": "chart_id",
    "meta": "meta",
    "readers": "read_by",
    "split": "split",
    "subject": "subject_id",
    "time": "time",
}
# What INCEpTION keeps on every token; never codes unless asked for.
_TOKEN_LAYERS = ("Lemma", "POS", "Stem", "MorphologicalFeatures", "SurfaceForm", "Token")
_LEFT_OUT = "left out"


class ReadOptions(FeatureOptions):
    """Which layer to read, and what its features mean."""

    layer: str | None = Field(
        None,
        description="Span layer with the codes.  [default: webanno.custom.Code, NamedEntity, or "
        "the only one]",
    )


class WriteOptions(FormatOptions):
    """Which layer to write."""

    layer: Literal["Code", "NamedEntity"] = Field(
        "Code",
        description="Span layer with the codes: Code, which is lossless and has to be created in "
        "the project first, or NamedEntity, which every project has.",
    )


def read(source: Path, options: ReadOptions) -> Corpus:
    """The notes of a file or a folder of files."""
    files = note_files(source, [_SUFFIX])
    layers = {layer.name: layer for file in files for layer in declared(file.path)}
    chosen = _chosen(layers.values(), options, source)
    notes: dict[str, Note] = {}
    annotations: list[Annotation] = []
    nameless = 0
    for file in track(files, "reading", len(files)):
        sheet = parse(file.path, (chosen or NOTE_LAYER, NOTE_LAYER))
        note = notes.setdefault(file.note_id, _note(file, sheet))
        check_same_text(note, sheet.text, file)
        for layer in sheet.layers:
            if layer.name == chosen:
                found, without = _codes(layer, sheet.found[chosen], note, file, options)
                annotations += found
                nameless += without
    _warn(source, [layer for name, layer in layers.items() if name != chosen], nameless)
    return Corpus.of(notes.values(), annotations)


def write(corpus: Corpus, target: Path, options: WriteOptions) -> list[Loss]:
    """Write a folder with a file a note."""
    losses = Losses()
    count_records(corpus, losses)
    annotations = by_note(corpus, losses)
    is_ours = options.layer == "Code"
    layers = _our_layers(corpus) if is_ours else {NAMED_ENTITY: ("identifier", "value")}
    target.mkdir()
    for note in track(corpus.iter_notes(), "writing"):
        mine = annotations[note.note_id]
        if note.text is None:
            losses.add("notes", "notes without text", _LEFT_OUT)
            losses.add("annotations", "annotations on notes without text", _LEFT_OUT, len(mine))
            continue
        page = TokenizedNote.of(_holdable(note.text, losses))
        marks = list(_marks(page, mine, losses))
        about = _about(note)
        if not is_ours:
            marks = [_as_named_entity(mark, losses) for mark in marks]
        elif about and page.tokens:
            held = {name: _value(value, losses) for name, value in about.items()}
            marks.append(SpanToWrite(NOTE_LAYER, page.tokens[0], held))
            about = {}
        for name in about:
            losses.add(f"notes.{_NOTE_FEATURES[name]}", f"notes with a {name}", _LEFT_OUT)
        file = target / file_name(note.note_id, _SUFFIX)
        file.write_text(lay_out(page, layers, marks), encoding="utf-8", newline="")
    return losses.list()


def _chosen(layers: Iterable[WebannoLayer], options: ReadOptions, source: Path) -> str | None:
    """The layer to read, of all that the files declare."""
    spans = [layer.name for layer in layers if layer.kind == "SP" and layer.name != NOTE_LAYER]
    if options.layer is not None:
        ending = [name for name in spans if name.endswith(f".{options.layer}")]
        return ending[0] if len(ending) == 1 else require_known(options.layer, spans, "span layer")
    for name in (CODE_LAYER, NAMED_ENTITY):
        if name in spans:
            return name
    candidates = [name for name in spans if name.rpartition(".")[2] not in _TOKEN_LAYERS]
    if len(candidates) > 1:
        raise FormatError(
            f"several span layers could have the codes: {', '.join(candidates)}. Choose one "
            "with --layer",
            source,
        )
    return candidates[0] if candidates else None


def _codes(
    layer: WebannoLayer,
    found: Sequence[WebannoSpan],
    note: Note,
    file: NoteFile,
    options: ReadOptions,
) -> tuple[list[Annotation], int]:
    if not found:
        return [], 0
    meaning = naming(
        layer.name,
        list(layer.features),
        code_feature=options.code_feature,
        system_feature=options.system_feature,
        system=options.system,
        annotator=file.annotator or options.annotator,
        file=file.path,
    )
    return annotations_of(found, note, meaning)


def _note(file: NoteFile, sheet: WebannoFile) -> Note:
    found = sheet.found.get(NOTE_LAYER)
    said = found[0].values if found else {}
    fields: dict[str, Any] = {
        field: value
        for name, field in _NOTE_FEATURES.items()
        if (value := said.get(name)) is not None
    }
    meta = load_meta(fields.pop("meta", None)) or {}
    readers = name_lists.split(fields.pop("read_by", None))
    fields = {"note_id": file.note_id, "chart_id": file.note_id} | fields
    return Note(**fields, text=sheet.text, meta=meta, read_by=readers)


def _warn(source: Path, unread: Iterable[WebannoLayer], nameless: int) -> None:
    kinds = {"SP": "other span layers", "RL": "relation layers", "CH": "chain layers"}
    ignored = Counter(kinds[layer.kind] for layer in unread if layer.name != NOTE_LAYER)
    ignored["annotations without a code"] = nameless
    said = [f"{count:,} {what}" for what, count in ignored.items() if count]
    if said:
        warnings.warn(f"{source}: skipped {', '.join(said)}.", stacklevel=3)


def _our_layers(corpus: Corpus) -> dict[str, Sequence[str]]:
    """Our layers, with those of their features that the corpus needs.

    Each feature has to be made by hand in the project that the files are imported into.
    """
    of_codes = corpus.lazy_annotations.select(
        pl.lit(True).alias(ANNOTATOR),
        pl.lit(True).alias(CODE),
        pl.col("meta").is_not_null().any().alias(META),
        (pl.col("spans").list.len() > 1).any().alias(PART),
        pl.col("score").is_not_null().any().alias(SCORE),
        pl.lit(True).alias(SYSTEM),
    )
    of_notes = corpus.lazy_notes.select(
        (pl.col("chart_id") != pl.col("note_id")).any().alias(name)
        if name == "chart"
        else pl.col(column).is_not_null().any().alias(name)
        for name, column in _NOTE_FEATURES.items()
    )
    return {
        layer: [name for name, is_used in used.collect().row(0, named=True).items() if is_used]
        for layer, used in ((CODE_LAYER, of_codes), (NOTE_LAYER, of_notes))
    }


def _about(note: Note) -> dict[str, str]:
    """What is known of a note beyond its text and id."""
    about = {
        "category": note.category,
        "chart": None if note.chart_id == note.note_id else note.chart_id,
        "meta": dump_meta(note.meta) if note.meta else None,
        "readers": name_lists.join(note.read_by),
        "split": note.split,
        "subject": note.subject_id,
        "time": note.time,
    }
    return {name: value for name, value in about.items() if value is not None}


def _holdable(text: str, losses: Losses) -> str:
    """The text with what the format cannot hold replaced, a character for a character."""
    losses.add("notes.text", "NUL characters", "written as U+FFFD", text.count("\0"))
    text = text.replace("\0", "\ufffd")
    words = text.lstrip()
    before = text[: len(text) - len(words)]
    if not words:
        losses.add("notes.text", "characters of notes without a word", _LEFT_OUT, len(before))
    else:
        unlike = len(before) - before.count(" ")
        losses.add(
            "notes.text",
            "line breaks, tabs and so on before a note's first word",
            "become spaces",
            unlike,
        )
    return text


def _marks(
    page: TokenizedNote, annotations: Sequence[Annotation], losses: Losses
) -> Iterator[SpanToWrite]:
    for annotation in annotations:
        if not annotation.spans:
            losses.add("annotations", "annotations on a note without spans", _LEFT_OUT)
    for span, values in parts_of(annotations):
        fitting = page.fit(span)
        if fitting is None:
            losses.add(
                "annotations", "spans of white space only, or past the end of the note", _LEFT_OUT
            )
            continue
        if fitting != span:
            losses.add(
                "annotations.spans",
                "spans that begin or end in white space",
                "moved to the nearest word",
            )
        yield SpanToWrite(CODE_LAYER, fitting, {k: _value(v, losses) for k, v in values.items()})


def _value(value: str, losses: Losses) -> str:
    unholdable = value.count("\r") + value.count("\0")
    if unholdable:
        losses.add(
            "annotations.code",
            "carriage returns and NULs in a code or name",
            "become spaces",
            unholdable,
        )
        value = value.replace("\r", " ").replace("\0", " ")
    return value


def _as_named_entity(mark: SpanToWrite, losses: Losses) -> SpanToWrite:
    values = dict(mark.values)
    kept = {"identifier": values.pop(CODE), "value": values.pop(SYSTEM)}
    for name in values:
        if name == PART:
            losses.add(
                "annotations.spans",
                "spans of discontinuous annotations",
                "written as annotations of their own",
            )
        else:
            losses.add(f"annotations.{name}", f"values of {name}", _LEFT_OUT)
    return SpanToWrite(NAMED_ENTITY, mark.span, kept)
