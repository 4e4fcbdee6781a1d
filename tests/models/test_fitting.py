"""What a model is given to learn from: whole patients, what was given, text that is there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from auscult.core import Annotation, AuscultError, Code, Note, Span, Status
from auscult.corpus.corpus import Chart, Corpus
from auscult.models.chart_text import ChartText, read_chart
from auscult.models.examples import Example, examples, usual_category
from auscult.models.fitting import _hold_out, fit
from auscult.models.folds import fold
from auscult.models.label_space import LabelSpace
from auscult.models.lexicon.scorer import LexiconConfiguration
from auscult.models.packed_text import WordTable
from auscult.models.read_charts import charts_as_read

Toy = Callable[..., Corpus]


def test_folds_keep_patients_together() -> None:
    notes = [Note(f"n{at}", f"c{at}", f"p{at % 7}", text="words") for at in range(28)]
    made = [Example(read_chart(n.chart_id, [n]), np.zeros(0, np.int64)) for n in notes]
    patient = {note.chart_id: note.subject_id for note in notes}
    seen: list[str] = []
    for inside, outside in fold(made, 3, seed=0):
        left = {patient[one.chart_id] for one in outside}
        assert left
        assert left.isdisjoint(patient[one.chart_id] for one in inside)
        seen += [one.chart_id for one in outside]
    assert sorted(seen) == sorted(patient)


def test_charts_held_out_are_of_other_patients(toy: Toy) -> None:
    corpus = toy(60)
    notes = [replace(note, subject_id=f"p{at % 12}") for at, note in enumerate(corpus.iter_notes())]
    charts = list(Corpus.of(notes, corpus.iter_annotations()).charts())
    whose = {chart.chart_id: chart.notes[0].subject_id for chart in charts}
    read = charts_as_read(charts, LexiconConfiguration(), WordTable())
    patients = [{whose[one.chart_id] for one in part} for part in _hold_out(read, 0)]
    kept_back = patients[1]
    assert kept_back
    assert patients[0].isdisjoint(patients[1])


def test_with_no_share_of_evidence_a_model_learns_as_if_there_were_none(toy: Toy) -> None:
    notes = list(toy(20).iter_notes())

    def said(corpus: Corpus, share: float) -> list[Annotation]:
        model = fit(corpus, "lexicon", {"evidence_fraction": share}, dev_split="none")
        return list(model.predict(notes, ranked=4))

    with pytest.warns(UserWarning, match="evidence"):
        hidden, without = said(toy(), 0.0), said(toy(evidence=False), 1.0)
    assert hidden == without
    assert hidden != said(toy(), 1.0)


def test_codes_that_were_only_ranked_are_not_learned(toy: Toy) -> None:
    corpus = toy(40)
    ranked = [
        Annotation("gold", Code("ICD-10-CM", "Z00.0"), chart.chart_id, status=Status.RANKED)
        for chart in corpus.charts()
    ]
    more = Corpus.of(corpus.iter_notes(), [*corpus.iter_annotations(), *ranked])
    assert fit(more, "lexicon").labels == fit(corpus, "lexicon").labels


@pytest.mark.parametrize("kind", ["lexicon", "linear"])
def test_charts_to_tune_on_must_have_text(toy: Toy, kind: str) -> None:
    corpus = toy(40)
    notes = [
        replace(note, text="") if note.split == "dev" else note for note in corpus.iter_notes()
    ]
    annotations = [replace(one, spans=()) for one in corpus.iter_annotations()]
    with pytest.raises(AuscultError, match=r"No chart to tune on in split dev has text"):
        fit(Corpus.of(notes, annotations), kind)


def test_training_by_category_is_training_on_the_selected_notes(toy: Toy) -> None:
    """Codes of a whole chart stay with its notes; codes of notes that are not read do not."""
    corpus = toy(40)
    notes = [replace(note, category="Summary") for note in corpus.iter_notes()]
    others = [
        replace(note, note_id=f"{note.note_id}-xray", category="Radiology", text="clear lungs")
        for note in notes
    ]
    billed, seen = Code("ICD-10-CM", "Z51.5"), Code("ICD-10-CM", "R91.8")
    said = [Annotation("gold", billed, note.chart_id) for note in notes]
    said += [Annotation("gold", seen, note.chart_id, note.note_id) for note in others]
    both = Corpus.of([*notes, *others], [*corpus.iter_annotations(), *said])
    by_setting = fit(both, "lexicon", {"categories": ("Summary",)})
    by_selection = fit(both.select(categories=["Summary"]), "lexicon")
    assert by_setting.labels == by_selection.labels
    assert by_setting.decoding == by_selection.decoding
    assert billed in by_setting.labels.codes
    assert seen not in by_setting.labels.codes
    assert seen in fit(both, "lexicon").labels.codes


def test_a_split_without_notes_of_the_category_is_named(toy: Toy) -> None:
    corpus = toy(40)
    for split, said in (("train", "No training chart has text"), ("dev", "tune on in split dev")):
        notes = [
            replace(note, category="Radiology" if note.split == split else "Summary")
            for note in corpus.iter_notes()
        ]
        with pytest.raises(AuscultError, match=rf"{said}.* of the category Summary"):
            fit(Corpus.of(notes, corpus.iter_annotations()), "lexicon", {"categories": ["Summary"]})


@pytest.mark.parametrize("is_pointed", [True, False])
def test_the_usual_category_has_the_evidence_or_comes_first(is_pointed: bool) -> None:
    notes = [
        Note("r1", "c", category="Radiology", text="cough"),
        Note("r2", "c", category="Radiology", text="cough"),
        Note("d", "c", category="Discharge summary", text="fever and cough"),
    ]
    code = Code("ICD-10-CM", "R05")
    where = (Span(0, 5),) if is_pointed else ()
    said = [Annotation("gold", code, "c", "r1", where)]
    labels = LabelSpace.of([{code}])
    [made] = examples([Chart("c", tuple(notes), tuple(said))], labels, read)
    assert usual_category([made]) == ("Radiology" if is_pointed else "Discharge summary")
    assert usual_category([]) is None


def read(chart: Chart) -> ChartText:
    return read_chart(chart.chart_id, chart.notes)


@pytest.mark.parametrize("kind", ["linear", "ensemble"])
def test_many_charts_are_tuned_on_a_part_of_them(
    toy: Toy, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("auscult.models.chart_scoring.CROSS_VALIDATED", 100)
    monkeypatch.setattr("auscult.models.fitting._TUNED", 12)
    many = toy(160)
    config = {"members": ["linear", "codebook"]} if kind == "ensemble" else {}
    on_dev = fit(many, kind, config)
    assert (on_dev.about.tuning["on"], on_dev.about.tuning["charts"]) == ("dev", 12)
    held_out = fit(many, kind, config, dev_split="none")
    assert held_out.about.tuning["on"] == "training charts held out"
    assert held_out.about.tuning["charts"] == 12
    assert held_out.about.source.charts < on_dev.about.source.charts
