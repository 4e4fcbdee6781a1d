"""On the synthetic hospital, which knows what matters: good models are told from misled ones."""

from __future__ import annotations

import pytest
from tests.audit.hospital import planted, summaries

from auscult.audit import Sensitivity, align, sensitivity
from auscult.audit.defaults import usual_filters
from auscult.audit.discrimination import discrimination
from auscult.audit.planting import plant
from auscult.audit.ratings import ClinicianRatings
from auscult.audit.trials import Occurrences
from auscult.audit.words_of_interest import WordFinder, influential_words
from auscult.corpus.corpus import Corpus
from auscult.corpus.readmission import READMITTED
from auscult.models.fitting import fit
from auscult.models.model import Model

PATIENTS = 260
CHARTS = 70
# As strong a regularization as C = 0.1 is for a logistic loss, whose curvature is p(1 − p).
PLAIN = {"max_ngram": 1, "sections": False, "C": 0.02, "min_df": 5}
SPURIOUS = "azure"


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return summaries(PATIENTS)


@pytest.fixture(scope="module")
def good(corpus: Corpus) -> Model:
    return _fit(corpus)


def _fit(corpus: Corpus) -> Model:
    with pytest.warns(UserWarning, match="evidence"):
        return fit(corpus, "linear", PLAIN)


def _audit(model: Model, corpus: Corpus, ratings: ClinicianRatings) -> Sensitivity:
    charts = list(corpus.select(splits=["test"]).charts())[:CHARTS]
    found = Occurrences.of(charts, WordFinder(ratings.importance))
    return sensitivity(model, found, READMITTED, filters=usual_filters(found), times=100)


def test_the_ranks_of_a_good_model_follow_what_was_planted(good: Model, corpus: Corpus) -> None:
    found = align(_audit(good, corpus, planted()), planted())
    assert found.spearman.value is not None
    assert found.spearman.value > 0.3
    assert found.p_value.value is not None
    assert found.p_value.value < 0.05
    areas = discrimination(good, corpus.select(splits=["test"]), READMITTED, times=50)
    assert areas.auroc.value is not None
    assert areas.auroc.value > 0.8
    assert areas.auprc.value is not None
    assert areas.auprc.value > areas.positive / areas.charts + 0.2


def test_a_model_that_learned_a_spurious_word_is_caught(corpus: Corpus) -> None:
    """As good as the other by its AUROC, and better; the audit tells what it goes by."""
    misleading = plant(corpus, SPURIOUS, READMITTED)
    misled = _fit(misleading)
    # To clinicians the word means nothing, and so it stands at the bottom of their list.
    ratings = ClinicianRatings({**planted().importance, SPURIOUS: 0.0})
    found = _audit(misled, misleading, ratings)
    assert found.ranked()[0].word == SPURIOUS
    over, _ = align(found, ratings).disagreements(1)
    assert over[0].word == SPURIOUS
    charts = list(misleading.select(splits=["test"]).charts())[:30]
    assert SPURIOUS in influential_words(misled, charts, READMITTED, 10)
    test = misleading.select(splits=["test"])
    areas = [discrimination(misled, part, READMITTED, times=0).auroc.value or 0.0
             for part in (test, corpus.select(splits=["test"]))]  # fmt: skip
    # Elsewhere, where the word is not written, it falls.
    assert areas[0] > areas[1]
