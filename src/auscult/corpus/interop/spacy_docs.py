"""A corpus as spaCy documents, the evidence of each annotator a group in `doc.spans`.

spaCy's spans consist of whole tokens. Where evidence splits a token the span is widened to it,
and the exact offsets stay beside it: `span.id_` is the position in `doc.user_data["annotations"]`
of the annotation that the span belongs to. The spans of a discontinuous annotation share it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from auscult.core import Annotation, MissingExtraError, Note
from auscult.corpus.corpus import Corpus

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc


def to_spacy(corpus: Corpus, nlp: Language | None = None) -> Iterator[Doc]:
    """A document a note, tokenized by `nlp`, or for English; components of `nlp` are not run.

    In `doc.spans`, by annotator, each span has the code's value as `label_` and `system:code` as
    `kb_id_`. `doc.user_data` holds the note's fields, all its `annotations`, those without spans
    among them, and on the first note of a chart `chart_annotations`, those of the chart as a
    whole. Notes without text are empty documents. A span that is empty, past the text or the
    space between two tokens is in `annotations` alone.
    """
    nlp = nlp if nlp is not None else _blank()
    return _docs(corpus, nlp)


def _blank() -> Language:
    try:
        import spacy
    except ImportError as error:
        raise MissingExtraError("spaCy", "spacy") from error
    return spacy.blank("en")


def _docs(corpus: Corpus, nlp: Language) -> Iterator[Doc]:
    on_notes: dict[str, list[Annotation]] = {}
    on_charts: dict[str, list[Annotation]] = {}
    for annotation in corpus.iter_annotations():
        if annotation.note_id is None:
            on_charts.setdefault(annotation.chart_id, []).append(annotation)
        else:
            on_notes.setdefault(annotation.note_id, []).append(annotation)
    for note in corpus.iter_notes():
        mine = on_notes.get(note.note_id, [])
        # The tokenizer itself has no limit of length; nlp.make_doc refuses a long note.
        doc = nlp.tokenizer(note.text or "")
        doc.user_data.update(_about(note))
        doc.user_data["annotations"] = tuple(map(_as_data, mine))
        doc.user_data["chart_annotations"] = tuple(map(_as_data, on_charts.pop(note.chart_id, ())))
        _add_spans(doc, mine)
        yield doc


def _add_spans(doc: Doc, annotations: list[Annotation]) -> None:
    groups: dict[str, list[Any]] = {}
    for position, annotation in enumerate(annotations):
        group = groups.setdefault(annotation.annotator, [])
        for span in (span for span in annotation.spans if len(span)):
            made = doc.char_span(
                span.begin,
                span.end,
                label=annotation.code.value,
                kb_id=f"{annotation.code.system}:{annotation.code.value}",
                alignment_mode="expand",
                span_id=str(position),
            )
            if made is not None and len(made):
                group.append(made)
    for annotator, group in groups.items():
        doc.spans[annotator] = group


def _about(note: Note) -> dict[str, Any]:
    return {
        "note_id": note.note_id,
        "chart_id": note.chart_id,
        "subject_id": note.subject_id,
        "category": note.category,
        "time": note.time,
        "split": note.split,
        "meta": dict(note.meta),
    }


def _as_data(annotation: Annotation) -> dict[str, Any]:
    """An annotation as what spaCy can write into a file. It reads every list as a tuple."""
    return {
        "annotator": annotation.annotator,
        "system": annotation.code.system,
        "code": annotation.code.value,
        "spans": tuple((span.begin, span.end) for span in annotation.spans),
        "score": annotation.score,
        "meta": dict(annotation.meta),
    }
