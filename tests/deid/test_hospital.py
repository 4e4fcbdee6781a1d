"""The synthetic hospital's planted names, dates and places: what is found, and what leaks."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from auscult.core import Annotation, Code, Span
from auscult.corpus import Corpus, formats
from auscult.deid import DeidOptions, deidentify
from auscult.deid.mark import marked
from auscult.evaluate.deid import DeidResult, evaluate_deid
from auscult.evaluate.sides import pair
from auscult.synth.hospital import make_hospital

SEED = 40
"""A hospital on which nothing was tuned."""


@pytest.fixture(scope="module")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("deid") / "hospital"
    make_hospital(folder, 25, SEED)
    return folder


@pytest.fixture(scope="module")
def planted(hospital: Path) -> Corpus:
    return formats.read("jsonl", hospital / "phi")


@pytest.fixture(scope="module")
def result(planted: Corpus) -> DeidResult:
    predicted = Corpus(planted.lazy_notes, Corpus.of((), marked(planted)).lazy_annotations)
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


def test_evidence_stays_on_its_words_in_every_note(
    hospital: Path, planted: Corpus, tmp_path: Path
) -> None:
    """All that is said of the patients' conditions, in all notes of the hospital."""
    before = {note.note_id: note.text or "" for note in planted.iter_notes()}
    evidence = list(clinical_evidence(hospital, before))
    assert len(evidence) > 5_000
    corpus = Corpus(planted.lazy_notes, Corpus.of((), evidence).lazy_annotations)
    deidentify(corpus, tmp_path / "out", DeidOptions(seed="a seed of some length"))
    made = Corpus.open(tmp_path / "out")
    after = {note.note_id: note.text or "" for note in made.iter_notes()}
    assert sum(before[one] != after[one] for one in before) / len(before) > 0.5
    now = {
        one.meta["number"]: " ".join(span.of(after[one.note_id or ""]) for span in one.spans)
        for one in made.iter_annotations()
    }
    assert len(now) == len(evidence)
    wrong = [one for one in evidence if now[one.meta["number"]] != one.meta["phrase"]]
    assert not wrong


def test_what_was_planted_is_replaced_where_it_stands(planted: Corpus, tmp_path: Path) -> None:
    deidentify(planted, tmp_path / "out", DeidOptions(seed="a seed of some length"))
    made = Corpus.open(tmp_path / "out")
    before = {note.note_id: note.text or "" for note in planted.iter_notes()}
    after = {note.note_id: note.text or "" for note in made.iter_notes()}
    changed = total = 0
    for old, new in zip(
        sorted(planted.iter_annotations(), key=_place),
        sorted(made.iter_annotations(), key=_place),
        strict=True,
    ):
        words, now = (
            one.spans[0].of(texts[one.note_id or ""])
            for one, texts in ((old, before), (new, after))
        )
        # What is around it has not moved into it.
        assert now == now.strip()
        assert now
        changed += words != now
        total += 1
    assert changed / total > 0.97


def clinical_evidence(hospital: Path, texts: dict[str, str]) -> Iterator[Annotation]:
    """The hospital's marked phrases on the notes with names.

    They are marked on the masked notes: the third "gout" there is the third here, when both notes
    have as many.
    """
    csv.field_size_limit(10**9)
    with (hospital / "mimic3" / "NOTEEVENTS.csv").open(encoding="utf-8", newline="") as handle:
        masked = {row["ROW_ID"]: row["TEXT"] for row in csv.DictReader(handle)}
    lines = (hospital / "truth" / "annotations.jsonl").read_text("utf-8").splitlines()
    for number, line in enumerate(lines):
        one = json.loads(line)
        if len(one["spans"]) != 1 or one["note_id"] not in texts:
            continue
        begin, end = one["spans"][0]
        there, here = masked[one["note_id"]], texts[one["note_id"]]
        phrase = there[begin:end]
        if there.count(phrase) != here.count(phrase):
            continue
        at = -1
        for _ in range(there.count(phrase, 0, end)):
            at = here.index(phrase, at + 1)
        yield Annotation(
            "truth",
            Code("ICD-10-CM", one["code"]),
            one["chart_id"],
            one["note_id"],
            (Span(at, at + len(phrase)),),
            meta={"number": f"{number}x", "phrase": phrase},
        )


def _place(one: Annotation) -> tuple[str, int]:
    return one.note_id or "", one.spans[0].begin
