"""Words of interest: where they stand, what replaces them, which are chosen."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auscult.audit.filters import (
    ChartWordCounts,
    FrequentWordFilter,
    TypoFilter,
    UniformFilter,
    WordContext,
)
from auscult.audit.predictor import TextPredictor
from auscult.audit.ratings import ClinicianRatings, read_ratings
from auscult.audit.swaps import age, gender, swapped, typing_errors
from auscult.audit.words_of_interest import WordFinder, frequent_words, read_words
from auscult.core import Code, FormatError, Note, OptionError
from auscult.core.edits import Edited
from auscult.corpus.corpus import Chart

NOWHERE = WordContext(Note("n", "c"), 0, 0)


def spans(text: str, word: str, *, case: bool = False) -> list[tuple[int, int]]:
    found = WordFinder([word], case=case).places([Note("n", "c", text=text)], word)
    return [(begin, end) for _, begin, end in found]


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        ("Mom, mom's moment; grandmom", "mom", [(0, 3), (5, 8)]),
        ("c++ and c+", "c++", [(0, 3)]),
        ("pain (8/10) 8/10", "(8/10)", [(5, 11)]),
        ("a.b axb", "a.b", [(0, 3)]),
        ("[**Name**] x", "[**Name**]", [(0, 10)]),
        ("heart\n  failure, heart-failure", "heart failure", [(0, 15)]),
        ("xa-a-a", "a-a", [(3, 6)]),
        ("naïve NAÏVE", "naïve", [(0, 5), (6, 11)]),
        ("🫀 mom", "mom", [(2, 5)]),
        ("mom_1 mom", "mom", [(6, 9)]),
        ("", "mom", []),
    ],
)
def test_words_are_found_between_boundaries(
    text: str, word: str, expected: list[tuple[int, int]]
) -> None:
    assert spans(text, word) == expected


def test_case_matters_when_asked() -> None:
    assert spans("MS ms Ms", "MS", case=True) == [(0, 2)]
    assert len(spans("MS ms Ms", "MS")) == 3


@given(st.text("aA -\n.é", max_size=12), st.text("aA-.é", min_size=1, max_size=3))
def test_finding_is_what_the_regular_expression_finds(text: str, word: str) -> None:
    expected = re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE)
    assert spans(text, word) == [match.span() for match in expected]


def charts_of(*texts: str | None) -> list[Chart]:
    return [Chart(f"c{at}", (Note(f"n{at}", f"c{at}", text=t),), ()) for at, t in enumerate(texts)]


def test_the_1_gram_filter_takes_the_most_frequent_words_of_the_notes_with_the_word() -> None:
    counted = ChartWordCounts.of(charts_of("mom the the of", "mom of a", "dad dad dad dad"))
    one = FrequentWordFilter.of(counted, {"mom": {0, 1}, "dad": {2}, "aunt": set()}, number=2)
    assert one.propose("mom", NOWHERE) == ["of", "the"]  # twice each, the alphabet decides
    assert one.propose("dad", NOWHERE) == []
    assert one.propose("aunt", NOWHERE) == ()


def test_the_uniform_filter_draws_by_word_and_seed() -> None:
    vocabulary = [f"w{at}" for at in range(100)]
    drawn = UniformFilter(vocabulary).propose("mom", NOWHERE)
    assert len(set(drawn)) == 5
    assert drawn == UniformFilter(vocabulary).propose("mom", NOWHERE)
    assert drawn != UniformFilter(vocabulary).propose("dad", NOWHERE)
    assert drawn != UniformFilter(vocabulary, seed=1).propose("mom", NOWHERE)
    assert "w1" not in UniformFilter(["w1", "w2", "w3"], number=2).propose("W1", NOWHERE)
    with pytest.raises(OptionError, match="draws 5 words, but its vocabulary has only 2"):
        UniformFilter(["a", "b"])


@given(st.text("abcdeé'-", min_size=1, max_size=12))
def test_a_typing_error_is_one_slip_away(word: str) -> None:
    for typo in TypoFilter(100).propose(word, NOWHERE):
        assert typo != word
        assert abs(len(typo) - len(word)) <= 1
        assert sum(a != b for a, b in zip(sorted(typo), sorted(word), strict=False)) <= len(word)


def test_words_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "words.txt"
    file.write_text("\ufeff# chosen by hand\nmom\n\n heart failure \nmom\n", encoding="utf-8")
    assert read_words(file) == ["mom", "heart failure"]
    file.write_text("# none\n")
    with pytest.raises(FormatError, match="the file has no words; write one word per line"):
        read_words(file)


def test_the_most_frequent_words() -> None:
    charts = charts_of("fever fever fever", "cough, the cough", "cough 2149", None)
    assert frequent_words(charts, 2) == ["cough", "fever"]
    with pytest.raises(OptionError, match="no words to choose from"):
        frequent_words(charts_of("", None), 3)


def test_ratings_are_averaged_over_clinicians(tmp_path: Path) -> None:
    file = tmp_path / "ratings.csv"
    file.write_text("word;dr a;dr b\nmom;1;2\nstroke;5;\n\n", encoding="utf-8")
    ratings = read_ratings(file)
    assert ratings.importance == {"mom": 1.5, "stroke": 5.0}
    assert ratings.clinicians == ("dr a", "dr b")
    assert read_ratings(file, "rank").importance == {"mom": -1.5, "stroke": -5.0}
    with pytest.warns(UserWarning, match="1 rated words are not among"):
        assert ratings.of(["Stroke", "other"]).importance == {"Stroke": 5.0}
    with pytest.raises(OptionError, match="None of the 2 rated words is among the 1 words"):
        ratings.of(["other"])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a,b\n1,2\n", "row 1: expected a column word and one column for each clinician"),
        ("word,a\nmom,high\n", "row 2: expected a number as a rating"),
        ("word,a\nmom,nan\n", "row 2: expected a number as a rating"),
        ("word,a\n,3\n", "row 2: a rating without its word"),
        ("word,a\nmom,3\nmom,4\n", "row 3: the word is already in an earlier row"),
        ("word,a\nmom,3,4\n", "row 2: the row has 3 cells, the header has 2"),
        ("word,a\nmom,\n", "no word has a rating"),
        ("", "the file is empty"),
    ],
)
def test_ratings_that_cannot_be(tmp_path: Path, text: str, problem: str) -> None:
    file = tmp_path / "ratings.csv"
    file.write_text(text)
    with pytest.raises(FormatError, match=problem):
        read_ratings(file)


def test_ratings_hold_no_surprise_in_a_repr() -> None:
    assert "mom" not in repr(ClinicianRatings({"mom": 1.0}))


def test_gender_is_swapped_everywhere_and_back() -> None:
    text = "HE is a 70 yo man. His wife saw him; Mr. X himself... Other, theme, manner."
    once = Edited.of(text, gender(Note("n", "c", text=text))).text
    assert once == "SHE is a 70 yo woman. Her wife saw her; Mrs. X herself... Other, theme, manner."
    assert Edited.of(once, gender(Note("n", "c", text=once))).text == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("67-year-old man", "87-year-old man"),
        ("a 67 yo", "a 87 yo"),
        ("67y/o", "87y/o"),
        ("aged 80 years", "aged 89 years"),
        ("12 mg for 3 days", "12 mg for 3 days"),
        ("room 1.67 yo", "room 1.67 yo"),
    ],
)
def test_ages_grow(text: str, expected: str) -> None:
    assert Edited.of(text, age(20)(Note("n", "c", text=text))).text == expected


def test_a_swap_of_every_chart() -> None:
    charts = charts_of("he slept", "she slept", "slept")
    found = swapped(
        TextPredictor(lambda text: 0.7 if text.startswith("he") else 0.3),
        charts,
        Code("x", "y"),
        "gender",
    )
    assert (found.charts, found.changed) == (3, 2)
    assert found.change.value == pytest.approx(0.0)
    assert found.size.value == pytest.approx(0.4)
    assert found.flipped.value == 1.0
    none = swapped(TextPredictor(lambda _: 0.5), charts_of("slept"), Code("x", "y"), "gender")
    assert none.change.undefined == "no chart has anything to swap"
    with pytest.raises(OptionError, match="no swap 'sex'"):
        swapped(TextPredictor(lambda _: 0.5), charts, Code("x", "y"), "sex")


def test_typing_errors_are_the_same_for_the_same_note() -> None:
    note = Note("n", "c", text="pneumonia treated with antibiotics " * 40)
    edits = typing_errors(note)
    assert edits == typing_errors(note)
    assert 0 < len(edits) < 20
