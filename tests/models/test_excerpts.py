"""Excerpts of training charts: whole sentences of one note, and what is gold in them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.test_models import PHRASES, SYSTEM

from auscult.core import Annotation, Code, Note, Span
from auscult.corpus.corpus import Chart, Corpus
from auscult.models.chart_text import read_chart
from auscult.models.examples import example
from auscult.models.fitting import fit
from auscult.models.label_space import LabelSpace
from auscult.models.lexicon.excerpts import cut, places
from auscult.models.lexicon.gold_evidence import GoldEvidence
from auscult.models.lexicon.lexicon_text import LexiconReader, LexiconText
from auscult.models.model import Model

CODES = [Code(SYSTEM, value) for value in PHRASES]
FILLER = "The patient was seen on rounds and slept well. "


def chart_of(
    notes: int, sentences: int, *, pointed: bool = True
) -> tuple[LexiconText, GoldEvidence]:
    made, said = [], []
    for at in range(notes):
        phrase = PHRASES[CODES[at % 2].value][0]
        text = FILLER * sentences + f"Treated for {phrase}. " + FILLER * sentences
        begin = text.index(phrase)
        spans = (Span(begin, begin + len(phrase)),) if pointed else ()
        made.append(Note(f"n{at}", "c", text=text))
        said.append(Annotation("gold", CODES[at % 2], "c", f"n{at}", spans))
    words = read_chart("c", made)
    labels = LabelSpace.of([set(CODES)])
    found = example(Chart("c", tuple(made), tuple(said)), words, labels)
    return LexiconReader("english").prepare(words), GoldEvidence.of(found)


@given(st.integers(1, 3), st.integers(40, 60), st.booleans(), st.integers(0, 1_000))
def test_an_excerpt_is_of_whole_sentences_of_one_note(
    notes: int, sentences: int, pointed: bool, seed: int
) -> None:
    chart, gold = chart_of(notes, sentences, pointed=pointed)
    found = list(places(chart, gold, np.random.default_rng(seed)))
    assert found == list(places(chart, gold, np.random.default_rng(seed)))
    assert len(found) == 2
    pairs = enumerate(pairwise(chart.sentences.tolist()), 1)
    breaks = (at for at, (one, next_) in pairs if one != next_)
    edges = [0, *breaks, len(chart)]
    for begin, end in found:
        assert begin in edges
        assert end in edges
        assert 10 <= end - begin <= 440
        assert len({*chart.text.note_of[begin:end].tolist()}) == 1


def test_what_is_gold_inside_is_gold_and_codes_stay() -> None:
    chart, gold = chart_of(2, 30)
    [[(first, last)], _] = gold.extents.values()
    code, other = gold.extents
    part, its_gold = cut(chart, gold, first - 5, last + 5)
    assert part.words.tolist() == chart.words[first - 5 : last + 5].tolist()
    assert its_gold.codes == gold.codes
    assert its_gold.extents == {code: [(5, 5 + last - first)]}
    assert its_gold.matches(5, 5 + last - first, code)
    assert not its_gold.matches(0, 3, code)
    assert its_gold.matches(0, 3, other)  # whatever names it, since its evidence is elsewhere
    empty, none = cut(chart, gold, 0, 20)
    assert len(empty) == 20
    assert none.extents == {}


def test_short_charts_have_none() -> None:
    chart, gold = chart_of(1, 30)
    assert len(chart) < 660
    assert list(places(chart, gold, np.random.default_rng(0))) == []


@pytest.fixture(scope="module")
def long_charts() -> Corpus:
    """Charts that name what they have five times, and once what they have not."""
    dice = np.random.default_rng(0)
    notes, said = [], []
    for number in range(90):
        has, lacks = dice.permutation(len(CODES))[:2]
        named = [PHRASES[CODES[has].value][0]] * 5 + [PHRASES[CODES[lacks].value][0]]
        text, spans = "", []
        for at in dice.permutation(6):
            text += FILLER * int(dice.integers(12, 20)) + "There is "
            if at < 5:
                spans.append(Span(len(text), len(text) + len(named[at])))
            text += f"{named[at]} today. "
        chart = f"c{number}"
        notes.append(Note(f"n{number}", chart, f"p{number}", text=text))
        said += [Annotation("gold", CODES[has], chart, f"n{number}", (one,)) for one in spans]
    return Corpus.of(notes, said)


def test_a_short_note_is_believed_by_who_learned_from_excerpts(long_charts: Corpus) -> None:
    def score(model: Model) -> float:
        text = f"There is {PHRASES[CODES[0].value][0]} today."
        [[found]] = model.scores([([Note("n", "c", text=text)], [CODES[0]])])
        return found

    learned = {
        on: fit(long_charts, "lexicon", {"excerpts": on, "calibrate": False}, dev_split="none")
        for on in (True, False)
    }
    assert score(learned[True]) > 0.5 > score(learned[False])
    assert all(one.about.tuning["codes"]["counts"]["fp"] == 0 for one in learned.values())
