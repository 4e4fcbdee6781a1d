"""Candidates of the lexicon: what is around them, told by arrays as by a plain description."""

from __future__ import annotations

import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import product
from math import log1p

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auscult.core import Note
from auscult.models.chart_text import read_chart
from auscult.models.examples import Example
from auscult.models.lexicon.contexts import Contexts
from auscult.models.lexicon.cooccurrence import add_cooccurring_terms
from auscult.models.lexicon.gold_evidence import GoldEvidence
from auscult.models.lexicon.joined_charts import JoinedCharts
from auscult.models.lexicon.lexicon_text import LexiconReader, LexiconText
from auscult.models.lexicon.rivals import Rivals
from auscult.models.lexicon.terms import TermTable

CANDIDATE = st.tuples(st.integers(0, 12), st.integers(1, 5), st.integers(0, 3))


@given(st.dictionaries(CANDIDATE, st.integers(1, 9), min_size=1, max_size=25))
def test_rivals_are_what_a_loop_over_all_pairs_finds(
    drawn: dict[tuple[int, int, int], int],
) -> None:
    """Words below 8 are of one chart, the others of a second one."""
    made = {
        (begin, min(begin + length, 8 if begin < 8 else 99), code): at / 10
        for (begin, length, code), at in drawn.items()
    }
    flat = sorted(made)
    ranges = sorted({one[:2] for one in flat})
    rivals = Rivals(
        np.array([begin for begin, _ in ranges]),
        np.array([end for _, end in ranges]),
        np.array([ranges.index(one[:2]) for one in flat]),
        np.array([code for _, _, code in flat]),
        np.array([int(begin >= 8) for begin, _, _ in flat], np.int32),
        np.array([made[one] for one in flat]),
    )
    found = rivals.numbers(np.arange(len(flat)))
    for one, numbers in zip(flat, found, strict=True):
        begin, end, code = one
        best: dict[str, float] = defaultdict(float)
        apart = 0
        for other in flat:
            first, last, its_code = other
            if (first >= 8) != (begin >= 8) or other == one:
                continue
            if last <= begin or first >= end:
                if its_code != code:
                    continue
                kind, apart = "elsewhere", apart + 1
            elif (first, last) == (begin, end):
                kind = "equal"
            elif first <= begin and last >= end:
                kind = "same" if its_code == code else "around"
            elif its_code != code:
                kind = "across"
            else:
                continue
            best[kind] = max(best[kind], made[other])
        kinds = ("around", "same", "equal", "across", "elsewhere")
        assert numbers.tolist() == pytest.approx([*(best[kind] for kind in kinds), log1p(apart)])


def context(chart: LexiconText, begin: int, end: int) -> Iterator[str]:
    """The words around a range in its sentence, near ones by their place."""
    names = chart.forms.strings.names
    folded = [names[at] for at in chart.folded.tolist()]
    stems = [names[at] for at in chart.stems.tolist()]
    gaps = [*(names[at] for at in chart.gaps.tolist()), "^"]
    for away in range(1, 15):
        at = begin - away
        if at < 0 or chart.sentences[at] != chart.sentences[begin]:
            yield f"^{min(away, 3)}"
            break
        if away <= 2:
            yield f"L{away}{folded[at]}"
        yield ("l" if away <= 5 else "m") + stems[at]
    for away in range(4):
        at = end + away
        if at >= len(chart) or chart.sentences[at] != chart.sentences[end - 1]:
            yield f"${min(away, 2)}"
            break
        if away < 2:
            yield from (f"R{away}{folded[at]}", f"S{away}{folded[at][-3:]}")
        yield "r" + stems[at]
    yield from ("G" + gaps[begin], "H" + gaps[end], "NNursing")


@given(
    st.lists(
        st.lists(st.sampled_from(["no", "Acute", "failure.", "renal,", "é"]), min_size=1),
        min_size=1,
        max_size=3,
    )
)
def test_contexts_are_the_words_around_in_the_sentence(texts: list[list[str]]) -> None:
    reader = LexiconReader("english")
    charts = [
        reader.prepare(read_chart("c", [Note("n", "c", category="Nursing", text=" ".join(words))]))
        for words in texts
    ]
    batch = JoinedCharts.of(charts, [None] * len(charts))
    asked = [
        (at, begin, begin + length)
        for at, chart in enumerate(charts)
        for begin, length in product(range(len(chart)), (1, 2))
        if begin + length <= len(chart)
    ]
    begins, ends = (
        np.array([batch.starts[at] + place[side] for at, *place in asked]) for side in (0, 1)
    )
    found = Contexts(reader.forms.strings).matrix(batch, begins, ends)
    for row, (at, begin, end) in enumerate(asked):
        columns = [
            zlib.crc32(word.encode()) % (1 << 16) for word in context(charts[at], begin, end)
        ]
        assert Counter(found[[row]].indices.tolist()) == Counter(columns)


def test_a_code_on_two_of_many_charts_gets_terms_and_a_common_one_is_sampled() -> None:
    number, rare = 6_001, (3_001, 3_003)
    made = []
    for at in range(number):
        words = "seen for zebra" if at in rare else "seen for cough" if at % 2 else "seen for rash"
        codes = [0] if at in rare else [1] if at % 2 else []
        note = Note("n", f"c{at}", text=f"{words} on day {at % 9}")
        made.append(Example(read_chart(f"c{at}", [note]), np.array(codes, np.int64)))
    reader, terms = LexiconReader("english"), TermTable()
    charts = [reader.prepare(one.text) for one in made]
    add_cooccurring_terms(terms, charts, GoldEvidence.of_all(made), np.zeros(0, bool))
    assert terms.wordings["zebra",] == {("zebra",): {0: 2}}
    assert terms.wordings["cough",]["cough",][1] == pytest.approx(number / 2, rel=0.01)
