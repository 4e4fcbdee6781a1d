"""Batches of finished charts, and what became of suggestions in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from auscult.core import Annotation, Code, Note, OptionError, Span, Status
from auscult.corpus import Corpus
from auscult.corpus.batches import finished_charts
from auscult.experiment import batch_curves
from auscult.experiment.batch_curves import Batch, BatchCurve, batch_curve, in_batches
from auscult.models.fitting import fit
from auscult.models.model import Model
from auscult.report.curve_report import curve_report

FEVER, COUGH = Code("ICD-10-CM", "R50.9"), Code("ICD-10-CM", "R05.9")


def _note(chart: str, **finished: str) -> Note:
    meta = {f"finished by {name}": at for name, at in finished.items()}
    text = "Fever and cough."
    return Note(f"{chart}n", chart, text=text, meta=meta, read_by=tuple(finished))


def _said(who: str, chart: str, code: Code = FEVER) -> Annotation:
    return Annotation(who, code, chart, f"{chart}n", (Span(0, 5),))


def _suggested(chart: str, code: Code, verdict: str | None) -> Annotation:
    meta = {} if verdict is None else {"verdict of ann": verdict}
    place = (Span(0, 5),)
    return Annotation("codebook", code, chart, f"{chart}n", place, 0.6, Status.RANKED, meta)


def test_charts_come_in_the_order_in_which_they_were_finished() -> None:
    notes = [_note("a", ann="2031-03"), _note("b", ann="2031-01"), _note("c"), _note("d", bob="2")]
    corpus = Corpus.of(notes, [_said("ann", "c")])
    assert finished_charts(corpus, ["ann"]) == ["b", "a"]
    assert set(finished_charts(corpus, ["ann", "bob"])) == {"a", "b", "d"}


def test_a_chart_is_gold_when_the_last_coder_has_finished_it() -> None:
    notes = [_note("a", ann="1", bob="9"), _note("b", ann="5", bob="6"), _note("c", ann="7")]
    said = [_said(who, chart) for who in ("ann", "bob", "gold") for chart in ("a", "b")]
    assert finished_charts(Corpus.of(notes, said), ["gold"]) == ["b", "a"]


@pytest.mark.parametrize(
    ("charts", "size", "expected"),
    [(10, None, [2, 2, 2, 2, 2]), (3, None, [1, 1, 1]), (11, 4, [4, 7]), (3, 9, [3])],
)
def test_batches(charts: int, size: int | None, expected: Sequence[int]) -> None:
    every = [str(at) for at in range(charts)]
    found = in_batches(every, size)
    assert [len(batch) for batch in found] == expected
    assert [one for batch in found for one in batch] == every


def _corpus(suggestions: Iterable[Annotation] = ()) -> Corpus:
    notes = [_note(f"c{at}", ann=f"2031-01-0{at}") for at in range(1, 7)]
    said = [_said("ann", f"c{at}", FEVER if at % 2 else COUGH) for at in range(1, 7)]
    return Corpus.of(notes, [*said, *suggestions])


def test_suggestions_are_accepted_corrected_rejected_or_left() -> None:
    suggestions = [
        _suggested("c1", FEVER, "accepted"),
        _suggested("c2", FEVER, "accepted"),  # the coder made it cough
        _suggested("c3", COUGH, "rejected"),
        _suggested("c4", FEVER, None),
    ]
    found = batch_curve(_corpus(suggestions), "linear", size=6, times=0)
    (one,) = found.batches
    assert (one.suggestions, one.accepted, one.corrected, one.rejected) == (4, 1, 1, 1)
    assert one.accepted_share.value == 0.25


def test_a_batch_is_coded_by_a_model_of_the_charts_before_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trained: list[list[str]] = []

    def remember(corpus: Corpus, *args: Any, **more: Any) -> Model:
        trained.append(corpus.chart_ids())
        assert {one.annotator for one in corpus.iter_annotations()} == {batch_curves.CODERS}
        return fit(corpus, *args, **more)

    monkeypatch.setattr(batch_curves, "fit", remember)
    # A billing code and a suggestion are no coder's.
    more = [Annotation("billing", COUGH, "c1"), _suggested("c1", COUGH, None)]
    batch_curve(_corpus(more), "linear", size=2, annotators=["ann"], times=0)
    assert trained == [["c1", "c2"], ["c1", "c2", "c3", "c4"]]


def test_a_curve_without_the_code_book_or_suggestions_has_a_page(tmp_path: Path) -> None:
    notes = [_note(f"c{at}", ann=f"2031-01-0{at}") for at in range(1, 7)]
    said = [_said("ann", f"c{at}", Code("MeSH", "D005334")) for at in range(1, 7)]
    found = batch_curve(Corpus.of(notes, said), "linear", size=3, times=0)
    assert found.batches[1].codebook.undefined is not None
    curve_report(found, tmp_path / "curve.html", about={}, title="Curve")
    page = (tmp_path / "curve.html").read_text()
    assert "there are no suggestions in the batch" in page
    assert "Fever and cough" not in page
    assert isinstance(found, BatchCurve)
    assert isinstance(found.batches[0], Batch)


def test_too_few_charts() -> None:
    corpus = Corpus.of([_note("a", ann="1")], [_said("ann", "a")])
    with pytest.raises(OptionError, match="at least 2 finished charts"):
        batch_curve(corpus, "linear")
