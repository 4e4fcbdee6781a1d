"""Metrics of texts against worked examples, other libraries, and what they must keep to."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU

from auscult.core import AuscultError, OptionError
from auscult.evaluate.text import WordVectors, evaluate_texts
from auscult.evaluate.text.cider import Rarity, cider
from auscult.evaluate.text.diversity import diversity
from auscult.evaluate.text.ngrams import Overlap, overlap

REFERENCE = [
    "cerebral",
    "infarction",
    "due",
    "to",
    "unspecified",
    "o",
    "lusion",
    "or",
    "stenosis",
    "extremity",
    "weakness",
    "stroke",
]
CANDIDATE = ["altered", "mental", "status", "unspecified", "cerebral", "infarction", "unspecified"]
SHORT = ["heat", "stroke", "hypertension"]
OTHER = ["biba", "came", "in", "hospital", "for", "evaluation"]
TEXTS = st.lists(st.sampled_from("abcd"), max_size=6)


def test_the_first_worked_pair() -> None:
    # By hand: of the reference 12 + 11 + 10 + 9 n-grams, of the candidate 6 + 6 + 5 + 4, since
    # "unspecified" counts once; shared are three words and "cerebral infarction".
    found = overlap(REFERENCE, CANDIDATE)
    assert found == Overlap(shared=4, reference=42, candidate=21)
    assert found.sensitivity == 4 / 42
    assert found.ppv == 4 / 21


def test_the_second_worked_pair_goes_up_to_three() -> None:
    found = overlap(SHORT, OTHER)
    assert found == Overlap(shared=0, reference=3 + 2 + 1, candidate=6 + 5 + 4)
    assert found.sensitivity == found.ppv == 0.0


@given(TEXTS, TEXTS)
def test_sensitivity_one_way_is_ppv_the_other_and_a_text_has_all_of_itself(
    one: list[str], other: list[str]
) -> None:
    assert overlap(one, other).sensitivity == overlap(other, one).ppv
    assert overlap(one, one).sensitivity == (1.0 if one else 0.0)
    assert 0 <= overlap(one, other).ppv <= 1


def test_cider_by_hand() -> None:
    references = [["chest", "pain"], ["leg", "pain"], ["fever"], ["fall"]]
    rarity = Rarity.of(references)
    # "pain" is in 2 of 4 texts, "chest" in 1, "arm" in none, which counts as 1.
    pain, rare = math.log(2), math.log(4)
    ones = pain**2 / (math.hypot(pain, rare) ** 2)
    assert cider(["chest", "pain"], ["arm", "pain"], rarity) == pytest.approx((ones + 0) / 2)
    assert cider(["fever"], ["fever", "fall"], rarity) == pytest.approx(1 / math.sqrt(2))


def test_cider_of_zero_vectors_is_none() -> None:
    everywhere = Rarity.of([["pain"], ["pain"]])
    assert cider(["pain"], ["pain"], everywhere) is None
    assert cider([], ["pain"], everywhere) is None


@given(st.lists(TEXTS.filter(bool), min_size=2, max_size=5), TEXTS.filter(bool))
def test_cider_is_symmetric_and_at_most_one(texts: list[list[str]], text: list[str]) -> None:
    rarity = Rarity.of(texts)
    found, back = cider(texts[0], text, rarity), cider(text, texts[0], rarity)
    assert (found is None) == (back is None)
    if found is not None and back is not None:
        assert found == pytest.approx(back)
        assert 0 <= found <= 1
    same = cider(texts[0], texts[0], rarity)
    assert same is None or 0 < same <= 1


def corpus_of_two_worlds() -> list[list[str]]:
    dice = np.random.default_rng(0)
    worlds = [["knee", "ankle", "twisted", "sprain", "fell"], ["cough", "fever", "flu", "chills"]]
    return [list(dice.choice(worlds[at % 2], 4)) for at in range(400)]


def test_words_of_one_world_are_nearer_than_words_of_two() -> None:
    vectors = WordVectors.fit(corpus_of_two_worlds())
    within = vectors.similarity(["knee", "fell"], ["ankle", "sprain"])
    across = vectors.similarity(["knee", "fell"], ["cough", "fever"])
    assert within is not None
    assert across is not None
    assert within > across + 0.3
    assert vectors.similarity(["knee"], ["knee"]) == pytest.approx(1.0)
    # The mean is of words: how often and in what order does not turn it around.
    assert vectors.similarity(["knee", "flu"], ["flu", "knee"]) == pytest.approx(1.0)
    assert vectors.similarity(["knee"], ["unheard"]) is None


def test_the_same_texts_give_the_same_vectors_and_too_few_are_an_error() -> None:
    texts = corpus_of_two_worlds()
    assert (WordVectors.fit(texts).vectors == WordVectors.fit(texts).vectors).all()
    with pytest.raises(AuscultError, match="too few to train word vectors"):
        WordVectors.fit([["a", "b"], ["c"]])


def test_bleu_is_sacrebleus_and_a_perfect_copy_has_one() -> None:
    references = ["fell off a ladder and hurt his back", "cut her finger with a knife at home"]
    candidates = ["fell off a ladder and hurt his knee", "cut finger with a knife"]
    found = evaluate_texts(
        [text.split() for text in references], [text.split() for text in candidates],
        vectors=WordVectors.fit(corpus_of_two_worlds()), times=0,
    )  # fmt: skip
    expected = BLEU(tokenize="none").corpus_score(candidates, [references]).score / 100
    assert found.metrics["bleu"].value == pytest.approx(expected)
    words = [text.split() for text in references]
    perfect = evaluate_texts(words, words, vectors=WordVectors.fit(words + words), times=0)
    for name in ("ngram_sensitivity", "ngram_ppv", "cider", "embedding_similarity", "bleu"):
        assert perfect.metrics[name].value == pytest.approx(1.0), name


def test_measures_are_means_of_pairs_with_intervals_around_them_and_zeros_counted() -> None:
    authentic = [["knee", "sprain"], ["fever"], ["cough", "flu"], ["fell"]] * 10
    synthetic = [["knee", "pain"], ["fever"], [], ["unheard"]] * 10
    vectors = WordVectors.fit(corpus_of_two_worlds())
    found = evaluate_texts(authentic, synthetic, vectors=vectors)
    assert found.metrics["ngram_sensitivity"].value == pytest.approx((1 / 3 + 1 + 0 + 0) / 4)
    assert found.metrics["ngram_ppv"].value == pytest.approx((1 / 3 + 1 + 0 + 0) / 4)
    for name in ("ngram_sensitivity", "cider", "embedding_similarity"):
        metric = found.metrics[name]
        assert metric.interval is not None
        assert metric.value is not None
        assert metric.interval[0] < metric.value < metric.interval[1]
    assert found.zeros["ngrams"] == 10
    assert found.zeros["embedding_similarity"] == 20
    assert len(found.by_pair["cider"]) == 40
    with pytest.raises(OptionError, match="pair by pair"):
        evaluate_texts(authentic, synthetic[:-1])


def test_diversity_by_hand() -> None:
    found = diversity([["knee", "pain"], ["knee", "pain", "pain"]])
    assert found["distinct_1"].value == 2 / 5
    assert found["distinct_2"].value == 2 / 3
    assert found["vocabulary"].value == 2
    assert found["length"].value == 2.5
    assert diversity([["one"]])["distinct_2"].undefined is not None
