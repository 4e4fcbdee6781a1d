"""The linear model: weights, their evidence, and sections."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from auscult.core import AuscultError, Note
from auscult.corpus.corpus import Corpus
from auscult.models.chart_text import ChartText, read_chart
from auscult.models.fitting import fit
from auscult.models.linear.features import NgramVocabulary, occurrences
from auscult.models.model import Model

Toy = Callable[..., Corpus]


@pytest.fixture(scope="module")
def model(toy: Toy) -> Model:
    return fit(toy(), "linear", {"min_df": 1}, dev_split="none")


def chart(text: str, category: str | None = None) -> ChartText:
    return read_chart("c", [Note("n", "c", category=category, text=text)])


def test_tf_idf_is_scikit_learns() -> None:
    texts = ["acute renal failure", "renal cyst", "acute pain acute fever", "no renal pain"]
    ours = NgramVocabulary.of(map(chart, texts), longest=2, least=1)
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


def test_the_words_of_a_code_weigh_most(model: Model) -> None:
    text = "The patient was admitted with hypertension and sent to the ward."
    note = Note("new", "new", text=text)
    at = [code.value for code in model.labels].index("I10")
    reading = next(model.read([note], lambda _text, _scores: np.array([at])))
    weights = reading.evidence[at].by_word(len(reading.text))
    assert reading.text.words[int(weights.argmax())] == "hypertension"
    assert weights.max() == 1.0
    assert weights.min() >= 0


def test_scores_of_charts_that_have_a_code_are_higher(model: Model, toy: Toy) -> None:
    charts = [one for one in toy(200).charts() if int(one.chart_id[1:]) >= 60]
    readings = model.read(note for one in charts for note in one.notes)
    gold = np.zeros((len(charts), len(model.labels)), bool)
    scores = np.stack([reading.scores for reading in readings])
    for row, one in enumerate(charts):
        gold[row, [model.labels.index[each.code] for each in one.annotations]] = True
    assert scores[gold].mean() > scores[~gold].mean() + 0.2


def test_a_saved_linear_model_says_the_same(model: Model, toy: Toy, tmp_path: Path) -> None:
    model.save(tmp_path / "model")
    notes = list(toy(30).iter_notes())
    again = Model.load(tmp_path / "model")
    assert list(again.predict(notes, ranked=2)) == list(model.predict(notes, ranked=2))


def test_a_damaged_one_is_an_error_that_says_so(model: Model, tmp_path: Path) -> None:
    model.save(tmp_path / "model")
    (tmp_path / "model" / "weights.npz").write_bytes(b"nothing")
    with pytest.raises(AuscultError, match="Train it again"):
        Model.load(tmp_path / "model")


def test_unknown_words_are_evidence_of_nothing(model: Model) -> None:
    every = np.arange(len(model.labels))
    reading = next(model.read([Note("n", "n", text="zzz qqq")], lambda _text, _scores: every))
    assert [len(reading.evidence[int(at)].weights) for at in every] == [0, 0, 0, 0]
