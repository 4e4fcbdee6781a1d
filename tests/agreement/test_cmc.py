"""The three coders of the 2007 challenge, on the part of its training data that is here."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from nltk.metrics.agreement import AnnotationTask
from nltk.metrics.distance import binary_distance, jaccard_distance, masi_distance

from auscult.agreement import Agreement, agree
from auscult.agreement.majority import majority
from auscult.agreement.reference import against
from auscult.corpus import Corpus, formats

pytestmark = pytest.mark.real
CODERS = ["COMPANY1", "COMPANY2", "COMPANY3"]


@pytest.fixture(scope="module")
def corpus(shared_data: Path) -> Corpus:
    return formats.read("cmc", shared_data / "cmc2007" / "dev.xml")


@pytest.fixture(scope="module")
def found(corpus: Corpus) -> Agreement:
    return agree(corpus, CODERS, times=200)


def test_two_votes_of_three_are_the_majority(corpus: Corpus) -> None:
    votes = majority(corpus, CODERS, votes=2)
    published = {
        (a.note_id, a.code) for a in corpus.iter_annotations() if a.annotator == "CMC_MAJORITY"
    }
    assert {(a.note_id, a.code) for a in votes.annotations} == published
    assert votes.units == 699
    assert votes.empty == ()


def test_coefficients_are_near_those_of_all_978_documents(found: Agreement) -> None:
    values = {name: metric.value for name, metric in found.metrics.items()}
    assert values["alpha_masi"] == pytest.approx(0.603, abs=0.02)
    assert values["alpha_jaccard"] == pytest.approx(0.651, abs=0.02)
    hooper = [pair["hooper_mean"].value for pair in found.pairs.values()]
    assert hooper == pytest.approx([0.712, 0.637, 0.693], abs=0.02)
    pooled = found.metrics["hooper_pooled"].value
    assert values["hooper_mean"] == pytest.approx((pooled or 0) + 0.14, abs=0.01)
    masi = found.metrics["alpha_masi"].interval
    assert masi is not None
    assert masi[0] < 0.603 < masi[1]


def test_alpha_is_nltks(corpus: Corpus, found: Agreement) -> None:
    sets: dict[tuple[str, str], set[str]] = {}
    for a in corpus.iter_annotations():
        if a.annotator in CODERS and a.note_id is not None:
            sets.setdefault((a.annotator, a.note_id), set()).add(a.code.value)
    task = AnnotationTask([(who, note, frozenset(said)) for (who, note), said in sets.items()])
    for name, distance, tolerance in (
        ("alpha_nominal", binary_distance, 1e-9),
        ("alpha_jaccard", jaccard_distance, 1e-9),
        ("alpha_masi", masi_distance, 0.003),  # before 3.10 it writes 0.67 and 0.33 for thirds
    ):
        task.distance = distance
        assert found.metrics[name].value == pytest.approx(task.alpha(), abs=tolerance)
    for pair in combinations(CODERS, 2):
        # Cohen's κ of whole sets
        assert found.pairs[pair]["cohen_kappa"].value == pytest.approx(
            _kappa(task, *pair), abs=1e-9
        )


def _kappa(task: AnnotationTask, one: str, other: str) -> float:
    task.distance = binary_distance
    return float(task.kappa_pairwise(one, other))


def test_table_3_of_the_paper(corpus: Corpus) -> None:
    """By cost the hospital, then Y, then Z; by either F1 it is Y, Z and the hospital last."""
    scored = against(corpus, "CMC_MAJORITY", CODERS, times=0)
    z, y, hospital = (
        {name: metric.value or 0.0 for name, metric in scored[coder].items()} for coder in CODERS
    )
    cost, micro = "cost_sensitive", "micro_f1"
    assert hospital[cost] > y[cost] > z[cost]
    assert y[micro] > z[micro] > hospital[micro]
    published = {"hospital": (0.9056, 0.8264), "y": (0.8997, 0.8963), "z": (0.8621, 0.8454)}
    for ours, (their_cost, their_micro) in zip((hospital, y, z), published.values(), strict=True):
        assert ours[cost] == pytest.approx(their_cost, abs=0.03)
        assert ours[micro] == pytest.approx(their_micro, abs=0.03)
    assert [z[micro], y[micro], hospital[micro]] == pytest.approx(
        [0.8367, 0.8848, 0.8201], abs=0.01
    )
    macro = "macro_f1_from_macro_precision_and_recall_where_defined"
    assert [z[macro], y[macro], hospital[macro]] == pytest.approx(
        [0.8829, 0.8973, 0.6124], abs=0.05
    )
    assert (
        z["macro_f1_as_mean_of_code_f1_over_gold_codes"]
        > 2 * (hospital["macro_f1_as_mean_of_code_f1_over_gold_codes"])
    )
