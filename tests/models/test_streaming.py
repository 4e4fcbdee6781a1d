"""A corpus goes by a model note by note: what is in memory does not grow with the corpus."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from tests.contracts.test_models import ward

import auscult
from auscult.core import Note
from auscult.core.digests import directory_digest
from auscult.corpus import Corpus, partitioned
from auscult.engine import Local
from auscult.experiment import assess
from auscult.models import chart_inputs
from auscult.models.fitting import fit
from auscult.models.model import Model
from auscult.models.predicting import Prediction, predicted
from auscult.models.skipped import SkippedText

_CHARTS = 400


@pytest.fixture(scope="module")
def model() -> Model:
    return fit(ward(90), "linear")


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Charts of two notes each, on disk."""
    every = ward(_CHARTS, seed=1)
    notes = [
        note
        for one in every.iter_notes()
        for note in (one, replace(one, note_id=f"{one.note_id}-2", text="Seen again."))
    ]
    place = tmp_path_factory.mktemp("streaming") / "corpus"
    return Corpus.of(notes, every.iter_annotations()).write(place)


@pytest.fixture
def alive(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many notes exist each time that the model reads one more chart."""
    counted: list[int] = []
    add: Callable[..., None] = SkippedText.add

    def counting(self: SkippedText, *given: object) -> None:
        if not len(counted) % 40:
            counted.append(sum(isinstance(one, Note) for one in gc.get_objects()))
        else:
            counted.append(counted[-1])
        add(self, *given)

    monkeypatch.setattr(SkippedText, "add", counting)
    return counted


def test_predicting_holds_one_chart_at_a_time(
    model: Model, large: Corpus, alive: list[int]
) -> None:
    before = sum(isinstance(one, Note) for one in gc.get_objects())
    found = model.predict(large)
    assert len(alive) == _CHARTS
    assert max(alive) <= before + 10
    assert found == model.predict(list(large.iter_notes()))


def test_scattered_notes_are_gathered_some_charts_at_a_time(
    model: Model, large: Corpus, alive: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chart_inputs, "_FEWEST_AT_ONCE", 50)
    expected = model.predict(large)
    first = pl.col("note_id").str.ends_with("-2")
    scattered = replace(large, lazy_notes=large.lazy_notes.sort(first, maintain_order=True))
    alive.clear()
    before = sum(isinstance(one, Note) for one in gc.get_objects())
    assert model.predict(scattered) == expected
    assert len(alive) == _CHARTS
    assert max(alive) <= before + 60


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_evaluating_a_model_does_not_hold_the_notes(
    model: Model, large: Corpus, alive: list[int]
) -> None:
    before = sum(isinstance(one, Note) for one in gc.get_objects())
    found = assess(model, large, times=0)
    codes = auscult.evaluate_codes(large, model, bootstrap=0)
    assert len(alive) == 2 * _CHARTS
    assert max(alive) <= before + 10
    assert codes.to_dict() == found.codes.to_dict()


def test_a_corpus_of_thousands_of_notes_is_read_chart_by_chart(tmp_path: Path) -> None:
    """Polars hands out long tables in chunks, over which its own run lengths fail."""
    notes = [Note(f"n{at}", f"c{at // 10}", text="Seen.") for at in range(5_000)]
    charts = list(chart_inputs.charts_of(Corpus.of(notes).write(tmp_path / "corpus"), None))
    assert [len(chart) for chart in charts] == [10] * 500
    assert [note.note_id for chart in charts for note in chart] == [n.note_id for n in notes]


def test_where_all_codes_are_ranked_few_charts_are_in_memory(
    model: Model, large: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "model"
    model.save(place)
    how = Prediction(place, directory_digest(place), ranked=None)
    sizes: list[int] = []
    write = partitioned._write

    def counting(table: pl.DataFrame, counts: dict[str, int], file: Path) -> None:
        sizes.append(len(table))
        write(table, counts, file)

    monkeypatch.setattr(partitioned, "_write", counting)
    codes = len(model.labels)
    monkeypatch.setattr("auscult.models.predicting._ANNOTATIONS", 50 * codes)
    with predicted(large, how, tmp_path / "out", Local()) as (made, _):
        total = made.lazy_all_annotations.select(pl.len()).collect().item()
    assert len(sizes) > 10
    assert max(sizes) < 3 * 50 * codes
    assert total == sum(sizes) > _CHARTS * codes * 0.9
