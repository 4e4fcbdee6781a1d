"""The page about a generator quotes both sides and marks what they share; the gap is right."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from auscult.core import Note, OptionError
from auscult.corpus import Corpus
from auscult.evaluate.text import evaluate_synthetic
from auscult.experiment.classifier_gap import classifier_gap, fit_classifier
from auscult.report.generator_report import generator_report

PARTS = ("arm", "leg", "head")


def visits(size: int, swap: int = 0) -> Corpus:
    """Visits whose text names a part; of every `swap` texts one names another."""
    notes, rows = [], []
    for at in range(size):
        part = PARTS[at % 3]
        told = PARTS[(at + 1) % 3] if swap and at % swap == 0 else part
        split = ("train", "train", "dev", "test")[at // 3 % 4]
        text = f"pain in the {told} since {'monday' if at % 2 else 'friday'} <b>"
        notes.append(Note(f"v{at}", f"v{at}", text=text, split=split))
        rows.append({"record_id": f"v{at}", "part": part, "sex": "FM"[at // 12 % 2]})
    return Corpus.of(notes, records=pl.DataFrame(rows))


@pytest.fixture(scope="module")
def corpora() -> tuple[Corpus, Corpus]:
    return visits(240), visits(240, swap=5).select(splits=["test"])


def test_the_gap_is_what_was_swapped(corpora: tuple[Corpus, Corpus]) -> None:
    authentic, synthetic = corpora
    small = {"epochs": 12, "patience": 12, "batch_size": 8, "learning_rate": 1e-2,
             "embedding_dim": 12,
             "hidden_size": 12, "threads": 1}  # fmt: skip
    classifier = fit_classifier(authentic, "part", config=small)
    found = evaluate_synthetic(authentic, synthetic, bootstrap=0)
    gap = classifier_gap(
        classifier, found.records, found.authentic, found.synthetic, "part", times=200
    )
    swapped = np.mean([one != other for one, other in zip(found.authentic, found.synthetic,
                                                          strict=True)])  # fmt: skip
    assert swapped > 0.1
    assert gap.authentic["accuracy"].value == 1.0
    assert gap.synthetic["accuracy"].value == pytest.approx(1 - swapped)
    assert gap.gap["accuracy"].value == pytest.approx(swapped)
    assert gap.gap["accuracy"].interval is not None
    low, high = gap.gap["accuracy"].interval
    assert low < swapped < high
    assert sum(one.records for one in gap.by_value) == len(found.authentic)
    assert sum(one.synthetic.fn for one in gap.by_value) == round(swapped * len(found.authentic))
    with pytest.raises(OptionError, match="No record has a value"):
        classifier_gap(
            classifier, found.records.with_columns(part=pl.lit(None, pl.String)),
            found.authentic, found.synthetic, "part",
        )  # fmt: skip


def test_the_page_shows_both_texts_with_what_they_share(
    corpora: tuple[Corpus, Corpus], tmp_path: Path
) -> None:
    found = evaluate_synthetic(*corpora, bootstrap=50, complaints={"head": ["head"]})
    page = tmp_path / "generator.html"
    generator_report(found, page, about={"generator": "test"}, title="T", shows_text="Synthetic.")
    html = page.read_text()
    assert '<mark class="both">pain</mark>' in html
    assert "Synthetic." in html
    assert "Odds ratios: " in html
    assert html.count("<svg") >= 5
    assert "nearest_distance_held_out" in html
