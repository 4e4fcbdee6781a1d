"""Copies and leaks are found, and associations agree with what statsmodels says."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import Table2x2
from statsmodels.stats.proportion import proportion_confint

from auscult.core import OptionError
from auscult.evaluate.text import associations, common_complaints, memorization
from auscult.evaluate.text.epidemiology import groups, odds_ratio, prevalence
from auscult.evaluate.text.memorization import distances

TRAINING = [
    ["fell", "off", "ladder"], ["cut", "finger"], ["fell", "off", "bike"], ["cut", "finger"],
    ["burn", "hand"], ["qbadaka", "1234", "burn", "hand"],
]  # fmt: skip


def test_copies_are_counted_against_what_authentic_texts_share_anyway() -> None:
    held_out = [["cut", "finger"], ["sprain"], ["burn"], ["fell"]]
    found = memorization([["cut", "finger"], ["cut", "hand"]], TRAINING, held_out)
    assert found.metrics["copied"].value == 0.5
    assert found.metrics["copied_held_out"].value == 0.25
    assert found.metrics["rare"].value == 1.0  # no word is in five training texts
    assert found.metrics["copied_between_halves"].n == 3


def test_the_distance_is_one_minus_the_best_jaccard() -> None:
    # "cut hand": cut, hand, cut hand; "cut finger" shares 1 of 5, "burn hand" 1 of 5.
    found = distances([["cut", "finger"], ["cut", "hand"], ["unheard"]], TRAINING)
    assert found.tolist() == pytest.approx([0.0, 0.8, 1.0])
    assert len(distances([], TRAINING)) == 0


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=4), min_size=1, max_size=6))
def test_distances_agree_with_the_loop_that_defines_them(texts: list[list[str]]) -> None:
    def grams(text: list[str]) -> set[tuple[str, ...]]:
        return {(word,) for word in text} | set(pairwise(text))

    training = [["a", "b", "a"], ["c"], ["b", "b", "c"]]
    for text, found in zip(texts, distances(texts, training), strict=True):
        alike = [len(grams(text) & grams(one)) / len(grams(text) | grams(one)) for one in training]
        assert found == pytest.approx(1 - max(alike))


def test_a_secret_comes_out_by_any_word_of_its_own_but_not_by_a_number() -> None:
    secrets = [["qbadaka", "1234"], ["qother", "5678"]]
    assert memorization([["seen", "1234"]], TRAINING, secrets=secrets).leaked == ()
    found = memorization([["pain", "qbadaka"]], TRAINING, secrets=secrets)
    assert found.leaked == (0,)
    assert found.metrics["leaked"].value == 0.5


@pytest.mark.parametrize("cells", [(10, 20, 30, 45), (1, 7, 3, 2), (200, 3, 4, 9)])
def test_odds_ratio_and_interval_are_statsmodels(cells: tuple[int, int, int, int]) -> None:
    a, b, c, d = cells
    has = np.repeat([True, True, False, False], cells)
    group = np.repeat([True, False, True, False], cells)
    theirs = Table2x2(np.array([[a, b], [c, d]]))
    ours = odds_ratio(has, group)
    assert ours.value == pytest.approx(theirs.oddsratio)
    assert ours.interval == pytest.approx(theirs.oddsratio_confint())
    share = prevalence(has, group)
    assert share.value == a / (a + c)
    assert share.interval == pytest.approx(proportion_confint(a, a + c, method="wilson"))


def test_a_missing_cell_is_undefined_and_not_infinite() -> None:
    found = odds_ratio(np.array([True, True, False]), np.array([True, True, False]))
    assert found.value is None
    assert found.undefined is not None


def test_associations_compare_both_sides_group_by_group() -> None:
    records = pl.DataFrame({"record_id": map(str, range(80)), "sex": ["F", "M"] * 40})
    authentic = [["fall"] if at % 4 == 0 or at % 8 == 1 else ["flu"] for at in range(80)]
    found = associations(records, authentic, authentic, {"fall": ["fall", "fell"]}, ["sex"])
    assert [(one.level, one.is_kept) for one in found] == [("F", True), ("M", True)]
    women = found[0]
    assert women.prevalence_authentic.value == 0.5
    assert women.authentic.value == pytest.approx(3.0)  # odds of 1 against odds of 1/3
    turned = [["flu"] if text == ["fall"] else ["fall"] for text in authentic]
    assert associations(records, authentic, turned, {"fall": ["fall"]}, ["sex"])[0].is_kept is False
    silent = [["flu"]] * 80
    lost = associations(records, authentic, silent, {"fall": ["fall"]}, ["sex"])[0]
    assert lost.synthetic.value is None
    assert lost.is_kept is False  # what is never written of is not kept
    assert associations(records, silent, authentic, {"fall": ["fall"]}, ["sex"])[0].is_kept is None
    with pytest.raises(OptionError, match="no variable of the records 'age'"):
        associations(records, authentic, authentic, {}, ["age"])


def test_ages_come_in_bands_and_everyone_alike_is_no_group() -> None:
    found = groups(pl.Series("age", [0.5, 4, 5, 30, 64, 65, 90, None]))
    assert {name: int(group.sum()) for name, group in found.items()} == {
        "0–4": 2, "5–17": 1, "18–44": 1, "45–64": 1, "65+": 2,
    }  # fmt: skip
    assert groups(pl.Series("sex", ["F", "F"])) == {}


def test_common_complaints_are_frequent_words_that_tell_something() -> None:
    texts = [["pain", "of", "knee"]] * 2 + [["pain"]] * 5 + [["cough"]] * 2
    assert list(common_complaints(texts)) == ["knee", "cough"]
