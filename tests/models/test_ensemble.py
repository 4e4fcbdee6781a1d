"""The ensemble: never worse than its members, and it says the same after saving."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auscult.core import Annotation, Code, Note, OptionError
from auscult.core.counts import Counts
from auscult.corpus import formats
from auscult.corpus.corpus import Corpus
from auscult.models.chart_scoring import (
    ChartConfiguration,
    EvidenceRequest,
    EvidenceWeights,
    ScoredChart,
)
from auscult.models.chart_text import ChartText, read_chart
from auscult.models.configuring import configure
from auscult.models.ensemble import Ensemble, EnsembleConfiguration
from auscult.models.fitting import fit
from auscult.models.mixing import ScoreMixture
from auscult.models.model import Model

Toy = Callable[..., Corpus]


@pytest.fixture(scope="module")
def model(toy: Toy) -> Model:
    return fit(toy(), "ensemble", dev_split="none")


def codes(model: Model, corpus: Corpus) -> Counts:
    total = Counts()
    for chart in corpus.charts():
        gold = {one.code for one in chart.annotations}
        total += Counts.of(gold, {one.code for one in model.predict(chart.notes)})
    return total


def test_it_is_no_worse_than_its_members(model: Model, toy: Toy) -> None:
    unseen = toy(120).select(charts=[f"c{number}" for number in range(60, 120)])
    together = codes(model, unseen).f1 or 0.0
    for kind in ("lexicon", "linear"):
        alone = codes(fit(toy(), kind, dev_split="none"), unseen).f1 or 0.0
        assert together >= alone - 0.02


def test_thresholds_come_from_charts_out_of_fold(model: Model) -> None:
    assert model.about.tuning["on"] == "training charts, out of fold"
    scorer = model.architecture
    assert isinstance(scorer, Ensemble)
    assert len(scorer.held_out) == model.about.source.charts


def test_it_is_said_to_be_as_good_as_when_others_choose_its_members(model: Model) -> None:
    scorer = model.architecture
    assert isinstance(scorer, Ensemble)
    assert scorer.held_out_counts is not None
    assert model.about.tuning["codes"]["counts"] == asdict(scorer.held_out_counts)


def test_a_member_that_held_charts_out_itself_knows_no_code_of_one_alone(toy: Toy) -> None:
    """The model of reports gives codes by ICD's index too, were they in no other chart."""
    corpus = toy(24, evidence=False)
    alone = Annotation("gold", Code("ICD-10-CM", "R05"), "c0", "n0")
    with pytest.warns(UserWarning, match="has evidence"):
        model = fit(
            corpus.with_annotations([alone]),
            "ensemble",
            {"members": ["radiology"]},
            dev_split="none",
        )
    scorer = model.architecture
    assert isinstance(scorer, Ensemble)
    [first] = [one for one in scorer.held_out if one.text.chart_id == "c0"]
    assert first.scores.dense()[model.labels.index[alone.code]] == 0


def test_a_code_that_is_given_has_evidence_in_the_note(model: Model, toy: Toy) -> None:
    notes = {note.note_id: note for note in toy(20).iter_notes()}
    found = list(model.predict(notes.values()))
    assert found
    for one in found:
        assert one.note_id is not None
        assert all(span.of(notes[one.note_id].text or "").strip() for span in one.spans)
    assert sum(bool(one.spans) for one in found) == len(found)


def test_a_saved_ensemble_says_the_same_and_may_be_saved_again(
    model: Model, toy: Toy, tmp_path: Path
) -> None:
    model.save(tmp_path / "model")
    model.save(tmp_path / "model")
    again = Model.load(tmp_path / "model")
    notes = list(toy(30).iter_notes())
    assert list(again.predict(notes, ranked=3)) == list(model.predict(notes, ranked=3))


def test_scores_rise_with_what_members_say() -> None:
    mix = ScoreMixture((1.0, 0.5), 0.2, -1.0)
    share = np.full(3, -2.0)
    low, high, none = mix.scores(
        [np.array([0.2, 0.6, 0.0], np.float32), np.array([0.2, 0.2, 0.0], np.float32)], share
    )
    assert none < low < high


class Said:
    """A member that gives every chart the same scores, and evidence for some codes; it counts."""

    joins_words = False

    def __init__(self, scores: list[float], points_at: dict[int, int]) -> None:
        self.scores = np.array(scores, np.float32)
        self.points_at = points_at
        self.charts = 0

    def read(
        self, texts: Iterable[ChartText], evidence_for: EvidenceRequest
    ) -> Iterator[ScoredChart]:
        for text in texts:
            self.charts += 1
            asked = evidence_for(text, self.scores).tolist()
            one = {code: self.points_at[code] for code in asked if code in self.points_at}
            yield ScoredChart(
                text,
                self.scores,
                {
                    code: EvidenceWeights(
                        np.array([at], np.int32),
                        np.array([at + 1], np.int32),
                        np.ones(1, np.float32),
                    )
                    for code, at in one.items()
                },
            )


def test_evidence_comes_from_the_first_and_where_it_has_none_from_the_next() -> None:
    first, second = Said([0.9, 0.2, 0.6], {0: 0}), Said([0.8, 0.1, 0.9], {0: 1, 2: 1})
    mix, share = ScoreMixture((1.0, 0.5), 0.2, -1.0), np.full(3, -2.0)
    members: dict[str, Any] = {"first": first, "second": second}
    both = Ensemble(members, mix, {}, share)
    texts = [read_chart(f"c{at}", [Note(f"n{at}", f"c{at}", text="two words")]) for at in range(70)]
    found = list(both.read(texts, lambda _text, scores: np.flatnonzero(scores > 0.3)))
    assert [one.text for one in found] == texts
    expected = mix.scores([first.scores, second.scores], share)
    assert (expected > 0.3).tolist() == [True, False, True]
    for one in found:
        assert one.scores.tolist() == expected.tolist()
        assert {code: int(at.begins[0]) for code, at in one.evidence.items()} == {0: 0, 2: 1}
    # The second is read once for its scores, and again for what the first cannot show.
    assert (first.charts, second.charts) == (70, 140)


class Backwards:
    """A member that asks for evidence from the last chart to the first: a word for each code."""

    joins_words = False

    def __init__(self, words: list[str]) -> None:
        self.words = words

    def read(
        self, texts: Iterable[ChartText], evidence_for: EvidenceRequest
    ) -> Iterator[ScoredChart]:
        found = [self._reading(text, evidence_for) for text in reversed(list(texts))]
        yield from reversed(found)

    def _reading(self, text: ChartText, evidence_for: EvidenceRequest) -> ScoredChart:
        times = np.array([text.words.count(word) for word in self.words])
        scores = (times / (times + 1)).astype(np.float32)
        evidence = {}
        for code in evidence_for(text, scores).tolist():
            places = np.flatnonzero([word == self.words[code] for word in text.words])
            begins = places.astype(np.int32)
            evidence[code] = EvidenceWeights(begins, begins + 1, np.ones(len(places), np.float32))
        return ScoredChart(text, scores, evidence)


def test_versions_of_one_chart_are_kept_apart() -> None:
    """As in an audit, which changes a word here and there and reads all versions together."""
    members: dict[str, Any] = {
        "first": Backwards(["fever", "cough"]),
        "second": Backwards(["fevers", "coughs"]),
    }
    both = Ensemble(members, ScoreMixture((1.0, 1.0), 0.0, 9.5), {}, np.zeros(2))
    versions = ("fever", "fever fever cough", "coughs", "cough fevers fevers", "coughs coughs")
    texts = [read_chart("c", [Note("n", "c", text=text)]) for text in versions]

    def evidence_for(text: ChartText, scores: np.ndarray) -> np.ndarray:
        assert text.chart_id == "c"
        return np.flatnonzero(scores > 0.1)

    together = list(both.read(texts, evidence_for))
    for text, one in zip(texts, together, strict=True):
        [alone] = both.read([text], evidence_for)
        assert one.text is text
        assert one.scores.tolist() == alone.scores.tolist()
        begins, expected = (
            {code: at.begins.tolist() for code, at in reading.evidence.items()}
            for reading in (one, alone)
        )
        assert begins == expected != {}
    assert len({tuple(one.scores.tolist()) for one in together}) == 4


def test_a_mix_is_not_calibrated_again_and_one_member_is(toy: Toy) -> None:
    assert Ensemble({}, ScoreMixture((1.0, 0.5), 0.2, 1.0), {}, np.zeros(1)).is_calibrated
    alone = fit(toy(40), "ensemble", {"members": ("linear",)}, dev_split="none")
    assert isinstance(alone.architecture, Ensemble)
    assert not alone.architecture.is_calibrated
    assert alone.decoding.calibration is not None


@pytest.mark.parametrize("members", [("ensemble",), ("lexicon", "lexicon"), ("oracle",), ()])
def test_impossible_members_are_an_error(toy: Toy, members: tuple[str, ...]) -> None:
    with pytest.raises(OptionError):
        fit(toy(8), "ensemble", {"members": members}, dev_split="none")


def test_one_member_alone_is_that_member(toy: Toy) -> None:
    corpus = toy(40)
    alone = fit(corpus, "lexicon", dev_split="none")
    wrapped = fit(corpus, "ensemble", {"members": ("lexicon",)}, dev_split="none")
    notes = list(toy(60).iter_notes())
    assert [(one.code, one.spans) for one in wrapped.predict(notes)] == [
        (one.code, one.spans) for one in alone.predict(notes)
    ]


@pytest.mark.real
def test_codes_without_evidence_on_the_2007_challenge(shared_data: Path) -> None:
    corpus = formats.read("cmc", shared_data / "cmc2007" / "dev.xml")
    ids = sorted({chart.chart_id for chart in corpus.charts()})
    config = {"annotators": ("CMC_MAJORITY",)}
    with pytest.warns(UserWarning, match="evidence"):
        model = fit(corpus.select(charts=ids[::4]), "ensemble", config, dev_split="none")
    unseen = corpus.select(charts=ids[1::2], annotators=["CMC_MAJORITY"])
    assert (codes(model, unseen).f1 or 0.0) > 0.7


def settings_of(model: str, given: dict[str, Any]) -> ChartConfiguration:
    found = configure(model, given)
    assert isinstance(found, ChartConfiguration)
    return found


def test_a_member_reads_as_much_as_alone_unless_told_otherwise() -> None:
    members = ["lexicon", "caml"]
    plain = settings_of("ensemble", {"members": members})
    alone = settings_of("caml", {})
    assert plain.most_words(1) == alone.most_words(1) == 3_500
    assert plain.most_words(2) == alone.most_words(2) == 5_000
    short = configure("ensemble", {"members": members, "max_length": 100, "keep_numbers": True})
    assert isinstance(short, EnsembleConfiguration)
    assert short.of_member("lexicon").max_length == short.of_member("caml").max_length == 100
    assert short.of_member("caml").keep_numbers
    assert short.most_words(2) == 100
    assert settings_of("ensemble", {}).most_words(1) is None
    # What was saved is read as it was learned, also before limits were written down.
    assert EnsembleConfiguration(**plain.model_dump()) == plain
    assert EnsembleConfiguration(members=("lexicon", "caml"), max_length=None).most_words(2) is None
