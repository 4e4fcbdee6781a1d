"""The linear coder: weights, their evidence, and sections."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from auscult.coders.coder import Coder
from auscult.coders.fitting import fit
from auscult.coders.linear.features import Vocabulary, occurrences
from auscult.coders.sequence import ChartText, read_chart
from auscult.core import AuscultError, Note
from auscult.corpus.corpus import Corpus

Toy = Callable[..., Corpus]


@pytest.fixture(scope="module")
def coder(toy: Toy) -> Coder:
    return fit(toy(), "linear", {"least": 1}, dev="none")


def chart(text: str, category: str | None = None) -> ChartText:
    return read_chart("c", [Note("n", "c", category=category, text=text)])


def test_tf_idf_is_scikit_learns() -> None:
    texts = ["acute renal failure", "renal cyst", "acute pain acute fever", "no renal pain"]
    ours = Vocabulary.of(map(chart, texts), longest=2, least=1)
    theirs = TfidfVectorizer(
        ngram_range=(1, 2), sublinear_tf=True, token_pattern=r"\w+", vocabulary=ours.grams
    )
    expected = theirs.fit_transform(texts).toarray()
    np.testing.assert_allclose(ours.matrix(map(chart, texts)).toarray(), expected, atol=1e-6)


def test_words_are_also_known_by_their_section() -> None:
    found = {gram for gram, _, _ in occurrences(chart("HISTORY: asthma\nIMPRESSION: clear"), 1)}
    assert {"asthma", "history|asthma", "impression|clear"} <= found
    assert "history|clear" not in found
    by_category = {gram for gram, _, _ in occurrences(chart("asthma", "Radiology"), 1)}
    assert by_category == {"asthma", "radiology|asthma"}


def test_n_grams_do_not_cross_notes() -> None:
    text = read_chart("c", [Note("1", "c", text="renal"), Note("2", "c", text="failure")])
    assert "renal failure" not in {gram for gram, _, _ in occurrences(text, 2)}


def test_the_words_of_a_code_weigh_most(coder: Coder) -> None:
    text = "The patient was admitted with hypertension and sent to the ward."
    note = Note("new", "new", text=text)
    at = [code.value for code in coder.labels].index("I10")
    reading = next(coder.read([note], lambda _text, _scores: np.array([at])))
    weights = reading.evidence[at].by_word(len(reading.text))
    assert reading.text.words[int(weights.argmax())] == "hypertension"
    assert weights.max() == 1.0
    assert weights.min() >= 0


def test_scores_of_charts_that_have_a_code_are_higher(coder: Coder, toy: Toy) -> None:
    charts = [one for one in toy(200).charts() if int(one.chart_id[1:]) >= 60]
    readings = coder.read(note for one in charts for note in one.notes)
    gold = np.zeros((len(charts), len(coder.labels)), bool)
    scores = np.stack([reading.scores for reading in readings])
    for row, one in enumerate(charts):
        gold[row, [coder.labels.index[each.code] for each in one.annotations]] = True
    assert scores[gold].mean() > scores[~gold].mean() + 0.2


def test_a_saved_linear_coder_says_the_same(coder: Coder, toy: Toy, tmp_path: Path) -> None:
    coder.save(tmp_path / "coder")
    notes = list(toy(30).iter_notes())
    again = Coder.load(tmp_path / "coder")
    assert list(again.code(notes, ranked=2)) == list(coder.code(notes, ranked=2))


def test_a_damaged_one_is_an_error_that_says_so(coder: Coder, tmp_path: Path) -> None:
    coder.save(tmp_path / "coder")
    (tmp_path / "coder" / "weights.npz").write_bytes(b"nothing")
    with pytest.raises(AuscultError, match="Train it again"):
        Coder.load(tmp_path / "coder")


def test_unknown_words_are_evidence_of_nothing(coder: Coder) -> None:
    every = np.arange(len(coder.labels))
    reading = next(coder.read([Note("n", "n", text="zzz qqq")], lambda _text, _scores: every))
    assert [len(reading.evidence[int(at)].weights) for at in every] == [0, 0, 0, 0]
