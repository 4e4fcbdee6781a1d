"""Scores, ranks and their intervals, on models simple enough to work out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auscult.audit import align, sensitivity
from auscult.audit.alignment import difference
from auscult.audit.filters import WordContext
from auscult.audit.frequency import frequency
from auscult.audit.predictor import TextPredictor
from auscult.audit.ranks import ranks
from auscult.audit.ratings import ClinicianRatings
from auscult.audit.sampling import Budget
from auscult.audit.words_of_interest import WordFinder
from auscult.core import Code, Note, OptionError
from auscult.corpus.corpus import Chart
from auscult.models.perturbation import Perturbation

CODE = Code("outcome", "readmitted")


@dataclass(frozen=True)
class Becomes:
    """A filter that proposes what it was told."""

    replacements: Sequence[str]
    name: str = "told"

    def propose(self, word: str, context: WordContext) -> Sequence[str]:
        return self.replacements


def charts_of(*texts: str) -> list[Chart]:
    return [Chart(f"c{at}", (Note(f"n{at}", f"c{at}", text=t),), ()) for at, t in enumerate(texts)]


def said(word: str, high: float = 0.9, low: float = 0.1) -> TextPredictor:
    return TextPredictor(lambda text: high if word in text else low)


def test_the_papers_mom_becomes_dad_and_nothing_else_changes() -> None:
    note = Note("n", "c", text="His  mom\tvisited; Mom's mom.\n")
    places = WordFinder(["mom"]).places([note], "mom")
    one = Perturbation.swap(places[:1], "dad").applied([note])[0]
    every = Perturbation.swap(places, "dad").applied([note])[0]
    assert one.text == "His  dad\tvisited; Mom's mom.\n"
    assert every.text == "His  dad\tvisited; dad's dad.\n"


def test_the_last_word_of_a_note_is_replaced_whole() -> None:
    note = Note("n", "c", text="patient expired")
    [place] = WordFinder(["expired"]).places([note], "expired")
    assert Perturbation.swap([place], "mg").applied([note])[0].text == "patient mg"


def test_the_papers_constant_classifier_scores_exactly_0_everywhere() -> None:
    charts = charts_of("his mom visited", "his mom is pregnant", "no one")
    found = sensitivity(
        TextPredictor(lambda _: 1.0), charts, CODE, ["his", "mom"], [Becomes(["dad"])]
    )
    assert [word.score.value for word in found.words] == [0.0, 0.0]
    assert [word.rank for word in found.words] == [1.5, 1.5]
    assert [word.score.interval for word in found.words] == [(0.0, 0.0)] * 2


def test_scores_are_means_over_replacements_then_over_charts() -> None:
    # "mom" to "dad" moves 0.8; to "aunt" in the first chart 0.4, in the second 0.
    table = {"his dad": 0.1, "his aunt": 0.5, "mom": 0.9, "dad": 0.1, "aunt": 0.9}
    found = sensitivity(
        TextPredictor(lambda text: table.get(text, 0.9)),
        charts_of("his mom", "mom"),
        CODE,
        ["mom", "uncle"],
        [Becomes(["dad"], "near"), Becomes(["aunt"], "far")],
    )
    mom, uncle = found.words
    level = found.table.note_level()
    assert level[:, 0] == pytest.approx([(0.8 + 0.4) / 2, (0.8 + 0.0) / 2])
    assert np.isnan(level[:, 1]).all()
    assert mom.score.value == pytest.approx(0.5)
    assert mom.by_filter == pytest.approx({"near": 0.8, "far": 0.2})
    assert (mom.coverage.charts, mom.coverage.tried, mom.coverage.trials) == (2, 2, 4)
    assert uncle.score.value is None
    assert uncle.score.undefined == "it is in none of the 2 charts"
    assert uncle.rank is None


def test_one_swap_replaces_the_first_and_multiple_swap_all() -> None:
    share = TextPredictor(lambda text: text.split().count("mg") / 10)
    charts = charts_of("mg a mg b mg", "mg c")
    once = sensitivity(share, charts, CODE, ["mg"], [Becomes(["x"])])
    often = sensitivity(share, charts, CODE, ["mg"], [Becomes(["x"])], swap="all")
    assert once.words[0].score.value == pytest.approx(0.1)
    assert often.words[0].score.value == pytest.approx((0.3 + 0.1) / 2)


def test_frequent_words_rank_higher_when_all_are_swapped() -> None:
    """The paper's appendix E.1: with a linear classifier the change grows with the count."""
    texts = ["a " * 9 + "b b b c", "a " * 7 + "b b c", "a " * 8 + "b b b b c"]
    count = TextPredictor(lambda text: sum(text.split().count(word) for word in "abc") / 100)
    charts, filters = charts_of(*texts), [Becomes(["x"])]
    once = sensitivity(count, charts, CODE, list("abc"), filters)
    assert frequency(once).pearson.undefined == "all words are alike"
    often = frequency(sensitivity(count, charts, CODE, list("abc"), filters, swap="all"))
    assert often.name == "multiple-swap"
    assert often.pearson.value is not None
    assert often.pearson.value < -0.9


def test_a_proposal_that_is_the_word_itself_is_left_out_and_counted() -> None:
    found = sensitivity(said("MOM"), charts_of("MOM"), CODE, ["mom"], [Becomes(["Mom", "dad"])])
    assert found.words[0].coverage.equal == 1
    assert found.words[0].score.value == pytest.approx(0.8)
    nothing = sensitivity(said("mom"), charts_of("mom"), CODE, ["mom"], [Becomes(["mom"])])
    assert nothing.words[0].score.undefined == ("no filter proposed another word")


def test_the_same_word_from_two_filters_is_read_once() -> None:
    asked = []

    class Counting(TextPredictor):
        def scores_of_edits(
            self, notes: Sequence[Note], perturbed: Sequence[Perturbation], code: Code
        ) -> list[float]:
            asked.append(len(perturbed))
            return super().scores_of_edits(notes, perturbed, code)

    counting = Counting(lambda text: len(text) / 100)
    sensitivity(
        counting, charts_of("mom"), CODE, ["mom"], [Becomes(["dad"]), Becomes(["dad", "x"], "b")]
    )
    assert asked == [2]


@pytest.mark.parametrize("bad", [float("nan"), 1.5, -0.1, None])
def test_a_model_without_probabilities_is_refused(bad: float) -> None:
    with pytest.raises(OptionError, match="numbers from 0 to 1"):
        sensitivity(TextPredictor(lambda _: bad), charts_of("mom"), CODE, ["mom"], [Becomes(["x"])])


def test_ranks_have_intervals_that_know_how_many_charts_there_are() -> None:
    few = charts_of(*["strong weak"] * 2)
    many = charts_of(*["strong weak"] * 10, "strong", "weak other")
    both = TextPredictor(lambda t: 0.5 + 0.4 * ("strong" in t) + 0.02 * ("weak" in t))
    for charts in (few, many):
        found = sensitivity(both, charts, CODE, ["weak", "strong"], [Becomes(["x"])], times=200)
        assert [word.word for word in found.ranked()] == ["strong", "weak"]
        assert found.of("strong").rank_interval == (1.0, 1.0)


def test_alignment_by_hand() -> None:
    scores = {"a": 0.4, "b": 0.3, "c": 0.2, "d": 0.1}
    texts = ["a b c d"] * 3
    model = TextPredictor(
        lambda text: 0.0 + sum(v for w, v in scores.items() if w in text.split()) / 2
    )
    found = sensitivity(model, charts_of(*texts), CODE, list("abcd"), [Becomes(["x"])], times=50)
    # Ranks 1 2 3 4 against 4 3 1.5 1.5: Pearson of those ranks, worked out by hand.
    against = align(found, ClinicianRatings({"a": 1, "b": 2, "c": 5, "d": 5}))
    assert against.spearman.value == pytest.approx(-0.9486832980505138)
    over, under = against.disagreements(1)
    assert over[0].word == "a"
    assert over[0].difference == 3.0
    assert under[0].word == "d"
    perfect = align(found, ClinicianRatings({"a": 9, "b": 8, "c": 7, "d": 1}))
    assert perfect.spearman.value == pytest.approx(1.0)
    # Of the 24 orders only the same and the reverse correlate as much.
    assert perfect.p_value.value == pytest.approx(2 / 24, abs=0.02)
    tied = align(found, ClinicianRatings({"a": 1, "b": 1}))
    assert tied.spearman.undefined == "all words are tied"
    same = difference(found, found, ClinicianRatings({"a": 9, "b": 8, "c": 7, "d": 1}))
    assert same.value == 0.0
    assert same.interval == (0.0, 0.0)


@given(st.lists(st.sampled_from([0.0, 0.1, 0.1, 0.2, float("nan")]), min_size=1))
def test_ranks_are_those_of_counting(values: list[float]) -> None:
    found = ranks(np.array(values))
    known = [v for v in values if v == v]
    for value, rank in zip(values, found, strict=True):
        if value != value:
            assert np.isnan(rank)
        else:
            above, equal = sum(v > value for v in known), known.count(value)
            assert rank == above + (equal + 1) / 2


def test_a_budget_is_kept_and_says_its_error() -> None:
    texts = [f"mom{' sick' * (at % 3)} tired" for at in range(60)]
    model = TextPredictor(
        lambda text: min(1.0, 0.2 + 0.3 * ("mom" in text) + 0.1 * text.count("sick"))
    )
    words, charts = ["mom", "sick", "tired"], charts_of(*texts)
    whole = sensitivity(model, charts, CODE, words, [Becomes(["x", "y"])])
    assert [word.error for word in whole.words] == [0.0, 0.0, 0.0]
    some = sensitivity(model, charts, CODE, words, [_Two()], budget=Budget(readings=90), times=50)
    assert len(some.table) <= 90
    for word in some.words:
        assert word.coverage.tried < word.coverage.charts
        assert word.error is not None
        exact = whole.of(word.word).score.value
        assert exact is not None
        assert word.score.value == pytest.approx(exact, abs=4 * word.error + 1e-9)


@dataclass(frozen=True)
class _Two(Becomes):
    replacements: Sequence[str] = ("x", "y")
    number: int = 2


def test_a_budget_too_small_to_begin_with_is_refused_and_none_is_overdrawn() -> None:
    charts = charts_of(*["a b"] * 9)
    with pytest.raises(OptionError, match="too small to try 2 words with 5 replacements each"):
        sensitivity(
            said("a"), charts, CODE, ["a", "b"], [Becomes("xyz")], budget=Budget(readings=9)
        )
    many = Becomes([f"x{at}" for at in range(12)])  # more than it said it would propose
    found = sensitivity(said("a"), charts, CODE, ["a"], [many], budget=Budget(readings=30))
    assert len(found.table) == 24


def test_words_whose_rank_is_clear_stop_early() -> None:
    texts = [f"strong weak{' faint' if at % 2 else ' dim'}" for at in range(200)]
    model = TextPredictor(
        lambda t: 0.1 + 0.5 * ("strong" in t) + 0.2 * ("weak" in t) + 0.001 * ("faint" in t)
        + 0.0011 * ("dim" in t) * (len(t) % 2)
    )  # fmt: skip
    found = sensitivity(
        model, charts_of(*texts), CODE, ["strong", "weak", "faint", "dim"], [_Two()],
        budget=Budget(early=True), times=20,
    )  # fmt: skip
    assert found.of("strong").coverage.tried < 200
    assert [word.word for word in found.ranked()][:2] == ["strong", "weak"]


def test_what_is_asked_for_must_be_there() -> None:
    with pytest.raises(OptionError, match="none may be blank"):
        sensitivity(said("x"), charts_of("x"), CODE, ["x", " "], [Becomes(["y"])])
    with pytest.raises(OptionError, match="needs at least one filter"):
        sensitivity(said("x"), charts_of("x"), CODE, ["x"], [])
    with pytest.raises(OptionError, match="no charts"):
        sensitivity(said("x"), [], CODE, ["x"], [Becomes(["y"])])
