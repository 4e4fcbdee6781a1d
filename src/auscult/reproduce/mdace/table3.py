"""MDACE, Table 3: charts, notes, codes and evidence."""

from __future__ import annotations

from collections.abc import Iterator

from auscult.core import Span
from auscult.core.tokens import tokens
from auscult.corpus import Corpus
from auscult.reproduce.contract import Measured, Reproduction, ReproductionOutcome, grid
from auscult.reproduce.mdace.files import OPEN, PRACTICES, TEXT, charts, files, to_count
from auscult.reproduce.work import Workspace

_LENGTH = "Average evidence length (tokens)"


def run(work: Workspace) -> ReproductionOutcome:
    """Count the contents of MDACE's files; lengths only if there is text."""
    found = files(work)
    numbers = {}
    used = [found.used]
    for practice in PRACTICES:
        by_revision = {
            revision: found.corpus(practice, revision) for revision in ("ICD-9", "ICD-10")
        }
        notes = by_revision["ICD-10"].lazy_notes.select("note_id", "chart_id").collect()
        values = {"Encounters": notes["chart_id"].n_unique(), "Documents": len(notes)}
        for revision, corpus in by_revision.items():
            rows = corpus.lazy_annotations.select("system", "code").collect()
            values[f"{revision} Codes"] = rows.n_unique()
            values[f"Evidence for {revision}"] = len(rows)
        for row, value in values.items():
            numbers[f"{row} · {practice}"] = Measured(value, found.basis)
        whole = charts(work, practice)
        used += whole.used
        lengths = [
            sum(1 for _ in tokens(span.of(text), numbers=True))
            for text, spans in _marked(whole.corpus, practice.lower())
            for span in spans
        ]
        mean = sum(lengths) / len(lengths)
        numbers[f"{_LENGTH} · {practice}"] = Measured(mean, whole.basis, n=len(lengths))
    return ReproductionOutcome(numbers, tuple(dict.fromkeys(used)), commands=to_count(work))


def _marked(corpus: Corpus, annotator: str) -> Iterator[tuple[str, tuple[Span, ...]]]:
    """The text of each annotation's note, and the spans it points at."""
    chosen = corpus.select(annotators=[annotator])
    texts = {note.note_id: note.text for note in chosen.iter_notes()}
    for one in chosen.iter_annotations():
        text = texts.get(one.note_id or "")
        if text:
            yield text, one.spans


REPRODUCTION = Reproduction(
    name="mdace-table-3",
    paper="mdace",
    label="Table 3",
    title="Charts, notes, codes and evidence",
    needs=f"{OPEN}; {TEXT}, which only the length of evidence needs",
    stand_in="the evidence of the synthetic hospital",
    options=("mdace", "mimic3"),
    calls=(
        "auscult corpus import mdace MDACE/data/Inpatient/ICD-10 inpatient",
        "auscult corpus info inpatient --json",
    ),
    run=run,
    published=(
        *grid(
            PRACTICES,
            {
                "Encounters": (302, 52),
                "Documents": (604, 588),
                "ICD-9 Codes": (918, 652),
                "ICD-10 Codes": (1024, 734),
                "Evidence for ICD-9": (3934, 5563),
                "Evidence for ICD-10": (3936, 5563),
            },
            style=",.0f",
        ),
        *grid(PRACTICES, {_LENGTH: (2.18, 1.96)}, within=0.1, style=".2f"),
    ),
)
