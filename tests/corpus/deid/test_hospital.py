"""The synthetic hospital's planted names, dates and places: what is found, and what leaks."""

from __future__ import annotations

from pathlib import Path

import pytest

from auscult.corpus import Corpus, formats
from auscult.corpus.deid import Options, deidentify
from auscult.corpus.deid.mark import marked
from auscult.evaluate.deid import DeidResult, evaluate_deid
from auscult.evaluate.sides import pair
from auscult.synth.hospital import make

SEED = 40
"""A hospital on which nothing was tuned."""


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("deid") / "hospital"
    make(folder, 25, SEED)
    return formats.read("jsonl", folder / "phi")


@pytest.fixture(scope="module")
def result(planted: Corpus) -> DeidResult:
    predicted = Corpus(planted.notes, Corpus.of((), marked(planted)).annotations)
    return evaluate_deid(pair(planted, predicted), times=0)


@pytest.mark.parametrize("kind", ["NAME", "DATE"])
def test_names_and_dates_are_found(result: DeidResult, kind: str) -> None:
    assert (result.by_kind[kind].recall.value or 0) >= 0.99
    assert (result.by_kind[kind].precision.value or 0) >= 0.95


def test_little_else_is_taken_and_hardly_a_note_leaks(result: DeidResult) -> None:
    assert (result.any_kind.recall.value or 0) >= 0.99
    assert (result.any_kind.precision.value or 0) >= 0.95
    assert result.leak_rate.value is not None
    assert result.leak_rate.value <= 0.01


@pytest.mark.parametrize("kind", ["AGE", "PHONE", "ID", "LOCATION", "HOSPITAL"])
def test_the_other_kinds_are_hidden(result: DeidResult, kind: str) -> None:
    assert (result.hidden[kind].value or 0) >= 0.97


def test_evidence_stays_on_its_words_in_every_note(planted: Corpus, tmp_path: Path) -> None:
    deidentify(planted, tmp_path / "out", Options(seed="1"))
    made = Corpus.open(tmp_path / "out")
    before = {note.note_id: note.text or "" for note in planted.iter_notes()}
    after = {note.note_id: note.text or "" for note in made.iter_notes()}
    changed = 0
    for old, new in zip(
        sorted(planted.iter_annotations(), key=_place),
        sorted(made.iter_annotations(), key=_place),
        strict=True,
    ):
        words, now = (
            one.spans[0].of(texts[one.note_id or ""])
            for one, texts in ((old, before), (new, after))
        )
        # What was planted is replaced where it stands: what is around it has not moved into it.
        assert now == now.strip()
        assert now
        changed += words != now
    total = sum(1 for _ in planted.iter_annotations())
    assert changed / total > 0.97


def _place(one: object) -> tuple[str, int]:
    from auscult.core import Annotation

    assert isinstance(one, Annotation)
    return one.note_id or "", one.spans[0].begin
