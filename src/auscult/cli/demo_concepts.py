"""The part of the demo about vocabularies: terms found, concepts suggested, codes mapped."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import polars as pl

from auscult.cli.demo_part import DemoPart
from auscult.codes.exclusions import Exclusions
from auscult.codes.find import TermFinder
from auscult.codes.gems import packaged_gems
from auscult.codes.mapping import Mapped, map_code
from auscult.codes.sources import SourceOptions, read
from auscult.codes.suggest import Prior, Suggester
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Code, Span
from auscult.corpus import Corpus, formats
from auscult.corpus.mapping import map_corpus
from auscult.corpus.selecting import matching
from auscult.corpus.vocabulary_terms import add_found, annotated_strings, find_terms
from auscult.report.page import PageLink
from auscult.report.vocabulary_report import MarkedText, ask, vocabulary_report

_QUESTIONS = 800
_MAPPED = 3
PAGE = "concepts.html"


def show_concepts(hospital: Path, corpus: Corpus, out: Path, *, shows_text: str) -> DemoPart:
    """Build the hospital's vocabulary, use it on the notes with concepts, and write the page.

    Leaves `vocabulary` and the corpus `concepts` in `out`.
    """
    exclusions = Exclusions()
    vocabulary = Vocabulary.build(
        read(hospital / "vocabulary", SourceOptions(), exclusions),
        out / "vocabulary",
        name="hospital",
        source="MRCONSO.RRF",
        exclusions=exclusions,
    )
    annotated = _with_concepts(corpus, hospital)
    found = list(find_terms(annotated.iter_notes(), TermFinder(vocabulary)))
    add_found(annotated, found).write(out / "concepts")
    gold = annotated.select(annotators=["gold"])
    charts = gold.chart_ids()
    seen, unseen = (gold.select(charts=charts[half::2]) for half in (0, 1))
    questions = _marked(unseen, vocabulary)
    plain = Suggester(vocabulary)
    counting = Suggester(vocabulary, prior=Prior(annotated_strings(seen)))
    mappable = matching(corpus, systems=["ICD-10-CM", "ICD-9-CM"])
    vocabulary_report(
        out / "report" / PAGE,
        vocabulary,
        note=max(annotated.iter_notes(), key=lambda note: note.category == "Discharge summary"),
        found=[annotation for batch in found for annotation in batch],
        ways={
            "the text alone": ask(plain, questions, in_note=False),
            "and the note it stands in": ask(plain, questions, in_note=True),
            "and what other charts were annotated with": ask(counting, questions, in_note=True),
        },
        mapped=_examples(mappable),
        steps=map_corpus(mappable, "ICD-9-CM", packaged_gems).steps,
        made={"vocabulary": vocabulary.manifest.name, "corpus": corpus.manifest.name},
        shows_text=shows_text,
    )
    about = "A vocabulary at work: terms found, concepts suggested"
    return DemoPart((PageLink(PAGE, "Concepts and codes", about),))


def _with_concepts(corpus: Corpus, hospital: Path) -> Corpus:
    """The notes that were annotated with concepts, and those annotations."""
    concepts = formats.read("jsonl", hospital / "concepts" / "annotations.jsonl").lazy_annotations
    notes = corpus.lazy_notes.join(
        concepts.select("note_id").unique(), on="note_id", how="semi", maintain_order="left"
    )
    return replace(
        corpus, lazy_notes=notes, lazy_all_annotations=concepts, lazy_records=None, path=None
    )


def _marked(corpus: Corpus, vocabulary: Vocabulary) -> list[MarkedText]:
    """Marked texts spread over the corpus; a span with several codes is one."""
    texts = {note.note_id: note.text or "" for note in corpus.iter_notes()}
    known = {concept.code for concept in vocabulary}
    given: dict[tuple[str, tuple[Span, ...]], set[Code]] = {}
    for annotation in corpus.iter_annotations():
        if annotation.note_id is not None and annotation.code in known:
            given.setdefault((annotation.note_id, annotation.spans), set()).add(annotation.code)
    step = max(1, len(given) // _QUESTIONS)
    return [
        MarkedText(" ".join(span.of(texts[note]) for span in spans), frozenset(codes), texts[note])
        for (note, spans), codes in list(given.items())[::step]
    ]


def _examples(corpus: Corpus) -> list[Mapped]:
    """The most frequent diagnoses that each step decides."""
    counts = (
        corpus.lazy_annotations.filter(pl.col("system") == "ICD-10-CM")
        .group_by("code")
        .len()
        .sort(["len", "code"], descending=[True, False])
        .collect()["code"]
    )
    gems = packaged_gems("ICD-10-CM", "ICD-9-CM")
    of_step: Counter[str] = Counter()
    chosen: list[Mapped] = []
    for value in counts:
        mapped = map_code(Code("ICD-10-CM", value), gems)
        of_step[mapped.step] += 1
        if of_step[mapped.step] <= _MAPPED:
            chosen.append(mapped)
    return chosen
