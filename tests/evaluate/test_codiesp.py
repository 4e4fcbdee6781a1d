"""CodiEsp's rule, by worked examples and against a loop over the real files."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import pytest

from auscult.core import Annotation, Code, Note, Span
from auscult.core.counts import Counts
from auscult.core.span import extent
from auscult.corpus import Corpus, formats
from auscult.evaluate import evidence_metrics, pair

A, B = Code("ICD-10-CM", "A00"), Code("ICD-10-CM", "B00")


def counted(gold: list[Annotation], predicted: list[Annotation]) -> Counts | None:
    notes = [Note("n", "n", text="x" * 200)]
    sides = pair(Corpus.of(notes, gold), Corpus.of(notes, predicted))
    return evidence_metrics(sides, times=0).codiesp.counts


def on(who: str, code: Code, *spans: tuple[int, int]) -> Annotation:
    return Annotation(who, code, "n", "n", tuple(Span(*span) for span in spans))


@pytest.mark.parametrize(
    ("predicted", "right"),
    [
        ((50, 60), True),
        ((40, 70), True),  # ten to spare at either end
        ((39, 60), False),
        ((50, 71), False),
        ((51, 60), False),  # the reference begins outside
        ((50, 59), False),
    ],
)
def test_slack(predicted: tuple[int, int], right: bool) -> None:
    expected = Counts(1, 0, 0) if right else Counts(0, 1, 1)
    assert counted([on("g", A, (50, 60))], [on("p", A, predicted)]) == expected


def test_discontinuous_references_are_their_extent() -> None:
    gold = [on("g", A, (80, 90), (50, 55))]
    assert counted(gold, [on("p", A, (45, 95))]) == Counts(1, 0, 0)
    assert counted(gold, [on("p", A, (50, 55), (85, 90))]) == Counts(1, 0, 0)
    assert counted(gold, [on("p", A, (50, 55))]) == Counts(0, 1, 1)


def test_a_code_counts_once_in_a_note() -> None:
    gold = [on("g", A, (0, 5)), on("g", A, (50, 60)), on("g", B, (0, 5))]
    predicted = [on("p", A, (50, 60)), on("p", A, (100, 110)), on("p", A, (0, 5))]
    assert counted(gold, predicted) == Counts(1, 0, 1)


def test_codes_without_spans() -> None:
    """Gold without a reference is not asked for; a prediction that points nowhere is wrong."""
    gold = [on("g", A, (0, 5)), on("g", B)]
    assert counted(gold, [on("p", A, (0, 5)), on("p", B)]) == Counts(1, 1, 0)
    assert counted(gold, [on("p", A, (0, 5)), Annotation("p", B, "n")]) == Counts(1, 1, 0)


def test_a_code_said_of_the_chart_too_counts_once() -> None:
    gold = [on("g", A, (0, 5))]
    assert counted(gold, [on("p", A, (0, 5)), Annotation("p", A, "n")]) == Counts(1, 0, 0)
    assert counted(gold, [on("p", A, (50, 60)), Annotation("p", A, "n")]) == Counts(0, 1, 1)


@pytest.mark.real
def test_real_references_disturbed(shared_data: Path) -> None:
    """Ranges widened by 0 to 14 characters at either end, each in its turn; every ninth gone."""
    gold = formats.read("codiesp", shared_data / "codiesp" / "dev")
    annotations = [a for a in gold.iter_annotations() if a.spans]
    lengths = {note.note_id: len(note.text or "") for note in gold.iter_notes()}
    predicted = []
    for at, a in enumerate(annotations):
        if at % 9:
            whole = extent(a.spans)
            wide = Span(
                max(0, whole.begin - at % 15), min(lengths[a.note_id or ""], whole.end + at % 13)
            )
            predicted.append(replace(a, annotator="model", spans=(wide,)))
    found = evidence_metrics(pair(gold, Corpus.of([], predicted)), times=0).codiesp
    keys = {(a.note_id, a.code) for a in annotations}
    said = {(p.note_id, p.code) for p in predicted}
    references: dict[tuple[str | None, Code], list[Span]] = defaultdict(list)
    for a in annotations:
        references[a.note_id, a.code].append(extent(a.spans))
    right = set()
    for p in predicted:
        for reference in references[p.note_id, p.code]:
            before, after = reference.begin - p.spans[0].begin, p.spans[0].end - reference.end
            if 0 <= before <= 10 and 0 <= after <= 10:
                right.add((p.note_id, p.code))
    assert found.counts == Counts(len(right), len(said - right), len(keys - right))
    assert 0 < len(right) < len(keys)
    own = evidence_metrics(pair(gold, gold), times=0).codiesp
    assert own.recall.value == 1.0
