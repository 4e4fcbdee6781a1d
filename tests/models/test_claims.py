"""What training says of how good a model is: near the truth on charts that are new, or nothing."""

from __future__ import annotations

import random
import statistics
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pytest

from auscult.core import Annotation, Code, Note, Span
from auscult.core.counts import Counts
from auscult.corpus import formats
from auscult.corpus.corpus import Corpus
from auscult.models import expected_scores
from auscult.models.chart_scoring import ScoredChart
from auscult.models.chart_text import read_chart
from auscult.models.decoding import count_across, tune_codes
from auscult.models.examples import Example
from auscult.models.expected_scores import LEAST_PATIENTS, cross_validated_counts, why_undefined
from auscult.models.fitting import fit
from auscult.models.linear import Linear
from auscult.models.model import Model

pytestmark = pytest.mark.filterwarnings(
    "ignore:The corpus has no splits", "ignore:No chart to tune"
)

WORDS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa")
CODES = [Code("ICD-10-CM", f"A{number:02}.0") for number in range(40)]


def ward(charts: int, seed: int, *, telling: float, rare: float = 0.0) -> Corpus:
    """Charts with codes from common to rare; so many of them are named in the text.

    With `rare`, each chart also has so many codes that no other one has.
    """
    dice = random.Random(seed)
    notes, given = [], []
    for number in range(charts):
        words = [dice.choice(WORDS) for _ in range(8)]
        codes = [code for at, code in enumerate(CODES) if dice.random() < 1.6 / (at + 2)]
        codes += [Code("ICD-10-CM", f"B{number:02}.{at}") for at in range(round(rare))]
        words += [f"sign{code.value[:3]}" for code in codes if dice.random() < telling]
        words += [f"sign{dice.choice(CODES).value[:3]}" for _ in range(2)]
        dice.shuffle(words)
        notes.append(Note(f"n{number}", f"c{number}", f"p{number}", text=" ".join(words) + "."))
        given += [Annotation("gold", code, f"c{number}") for code in codes]
    return Corpus.of(notes, given)


def parts(corpus: Corpus, charts: int, all_of: int) -> tuple[Corpus, Corpus]:
    return (
        corpus.select(charts=[f"c{number}" for number in range(charts)]),
        corpus.select(charts=[f"c{number}" for number in range(charts, all_of)]),
    )


def golds(corpus: Corpus) -> list[set[Code]]:
    return [{one.code for one in chart.annotations} for chart in corpus.charts()]


def truth(model: Model, corpus: Corpus) -> float:
    total = Counts()
    for chart in corpus.charts():
        gold = {one.code for one in chart.annotations}
        total += Counts.of(gold, {one.code for one in model.predict(chart.notes)})
    return total.f1 or 0.0


def claim(model: Model) -> float:
    return Counts(**model.about.tuning["codes"]["counts"]).f1 or 0.0


def best_constant(corpus: Corpus) -> float:
    """The micro-F1 of who gives all charts the same codes, and knows which are best for them."""
    having = golds(corpus)
    ranked = [code for code, _ in Counter(one for gold in having for one in gold).most_common()]
    given = [set(ranked[:size]) for size in range(1, len(ranked) + 1)]
    totals = [sum((Counts.of(gold, one) for gold in having), Counts()) for one in given]
    return max(total.f1 or 0.0 for total in totals)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["ensemble", "linear"])
def test_texts_that_say_nothing_do_not_give_away_codes(
    kind: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight charts with codes of their own, which nobody who learned from others can know."""
    monkeypatch.setattr(expected_scores, "LEAST_PATIENTS", 2)
    learning, unseen = parts(ward(60, seed, telling=0.0, rare=4), 8, 60)
    model = fit(learning, kind)
    assert claim(model) < best_constant(learning)
    assert claim(model) < truth(model, unseen) + 0.15


def test_the_claim_is_the_truth_on_average_where_texts_say_nothing() -> None:
    off = []
    for seed in range(8):
        learning, unseen = parts(ward(144, seed, telling=0.0), 24, 144)
        model = fit(learning, "linear")
        assert claim(model) < best_constant(learning)
        off.append(claim(model) - truth(model, unseen))
    assert abs(statistics.mean(off)) < 0.03  # from chart to chart it varies by some 0.05
    assert max(map(abs, off)) < 0.15


def test_the_claim_is_near_the_truth_where_texts_say_something() -> None:
    off = []
    for seed in range(3):
        learning, unseen = parts(ward(84, seed, telling=0.8), 24, 84)
        model = fit(learning, "ensemble")
        off.append(claim(model) - truth(model, unseen))
    assert abs(statistics.mean(off)) < 0.06
    assert max(map(abs, off)) < 0.15


@pytest.mark.real
def test_the_claim_of_reports_is_near_the_truth_on_the_2007_challenge(shared_data: Path) -> None:
    """That model knows from ICD's index what codes nobody had would mean."""
    corpus = formats.read("cmc", shared_data / "cmc2007" / "dev.xml")
    corpus = corpus.select(annotators=["CMC_MAJORITY"])
    off = []
    for seed in range(3):
        ids = sorted(corpus.chart_ids())
        random.Random(seed).shuffle(ids)
        model = fit(corpus.select(charts=ids[:30]), "radiology")
        off.append(claim(model) - truth(model, corpus.select(charts=ids[30:230])))
    assert statistics.mean(off) < 0.1  # 0.25 with the codes that only the chart itself has


def reports(charts: int, patients: int | None = None) -> list[Example]:
    """Charts of three codes: one of all, one of every other, and one that the first has alone."""
    made = []
    for number in range(charts):
        note = Note("n", f"c{number}", f"p{number % (patients or charts)}", text="some words")
        codes = [0] + [1] * (number % 2) + [2] * (number == 0)
        made.append(Example(read_chart(note.chart_id, [note]), np.array(codes, np.int64)))
    return made


class KnowsTooMuch(Linear):
    """A scorer whose own held-out readings give every chart exactly what it has."""

    held_out_counts: Counts | None = None

    def __init__(self, made: Iterable[Example]) -> None:
        self.held_out = [
            ScoredChart(one.text, np.isin(np.arange(3), one.codes).astype(np.float32))
            for one in made
        ]


def test_what_a_scorer_held_out_itself_counts_without_codes_of_the_chart_alone() -> None:
    made = reports(10)
    scorer = KnowsTooMuch(made)
    assert cross_validated_counts(scorer, scorer.held_out, made, 3, 0) == Counts(15, 0, 1)
    assert scorer.held_out[0].scores.tolist() == [1, 0, 1]  # as it was
    scorer.held_out_counts = Counts(1, 2, 3)
    assert cross_validated_counts(scorer, scorer.held_out, made, 3, 0) == Counts(1, 2, 3)


def test_charts_are_counted_at_the_threshold_of_the_others() -> None:
    made = reports(2)
    # The best threshold of the first chart is 0.6, of the second 0.2; each does harm to the other.
    readings = [
        ScoredChart(made[0].text, np.array([0.9, 0.3, 0.6], np.float32)),
        ScoredChart(made[1].text, np.array([0.9, 0.2, 0.1], np.float32)),
    ]
    assert tune_codes(readings, made).counts == Counts(4, 1, 0)
    across = count_across(readings, made, [([0], [1]), ([1], [0])])
    assert across == Counts(1, 0, 1) + Counts(2, 1, 0)


def test_few_patients_say_nothing_however_many_their_charts() -> None:
    assert why_undefined(reports(LEAST_PATIENTS), []) is None
    few = why_undefined(reports(LEAST_PATIENTS - 1), [])
    assert few is not None
    assert few.startswith("No F1 is reported: 19 training charts of 19 patients with codes")
    one = why_undefined(reports(60, patients=1), [])
    assert one is not None
    assert one.startswith("No F1 is reported: 60 training charts of 1 patient with")
    held = why_undefined(reports(50), reports(5))
    assert held is not None
    assert held.startswith("No F1 is reported: 5 held-out charts of 5 patients")
    assert "a dev split of at least 20 patients" in held
    assert why_undefined(reports(5), reports(LEAST_PATIENTS)) is None


@pytest.mark.parametrize(
    ("charts", "is_said"), [(LEAST_PATIENTS, True), (LEAST_PATIENTS - 1, False)]
)
def test_a_model_keeps_why_nothing_can_be_said(charts: int, is_said: bool) -> None:
    model = fit(ward(charts, 0, telling=0.8), "linear")
    assert ("undefined" in model.about.tuning) != is_said


def test_a_dev_split_is_measured_as_it_is(toy: Callable[..., Corpus]) -> None:
    """Who names the charts to judge by knows how many there are."""
    model = fit(toy(60), "linear")
    assert model.about.tuning["charts"] == 6
    assert "undefined" not in model.about.tuning


@pytest.mark.parametrize("kind", ["ensemble", "lexicon"])
def test_charts_without_a_code_in_common_are_given_their_codes(kind: str) -> None:
    """Out of fold nothing can be right, which says nothing of where the threshold lies."""
    phrases = {"I10": "hypertension", "J18.9": "pneumonia", "E11.9": "diabetes mellitus"}
    notes, given = [], []
    for number, (value, phrase) in enumerate(phrases.items()):
        text = f"The patient was admitted with {phrase} and sent to the ward."
        spans = (Span(text.index(phrase), text.index(phrase) + len(phrase)),)
        notes.append(Note(f"n{number}", f"c{number}", f"p{number}", text=text))
        code = Code("ICD-10-CM", value)
        given.append(Annotation("gold", code, f"c{number}", f"n{number}", spans))
    corpus = Corpus.of(notes, given)
    assert truth(fit(corpus, kind), corpus) == 1.0
