"""Metrics of codes, against scikit-learn and worked examples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.metrics import (
    average_precision_score,
    f1_score,
    precision_score,
    recall_score,
    roc_auc_score,
)

from auscult.core import Annotation, Code, Note, Status
from auscult.core.counts import Counts
from auscult.corpus import Corpus
from auscult.evaluate import CodesResult, code_metrics, codes_of, pair
from auscult.evaluate.groups import BANDS, band
from auscult.evaluate.matching import metric_counts
from auscult.statistics import bootstrap

Matrix = NDArray[np.float64]
THRESHOLD = 0.6


def said(who: str, *pairs: tuple[str, str]) -> Corpus:
    return Corpus.of([], [Annotation(who, Code("ICD-10-CM", v), c) for c, v in pairs])


def corpora(gold: Matrix, scores: Matrix) -> tuple[Corpus, Corpus]:
    """Charts × codes as annotations; scores that are NaN are of codes that were not ranked."""

    def code(at: int) -> Code:
        return Code("CPT", f"{at:05}")

    has = [Annotation("gold", code(j), f"chart{i}") for i, j in zip(*np.nonzero(gold), strict=True)]
    ranked = [
        Annotation(
            "model",
            code(j),
            f"chart{i}",
            score=float(scores[i, j]),
            status=Status.GIVEN if scores[i, j] >= THRESHOLD else Status.RANKED,
        )
        for i, j in zip(*np.nonzero(~np.isnan(scores)), strict=True)
    ]
    # Notes, so that a chart without gold codes is there too.
    notes = [Note(f"note{i}", f"chart{i}", read_by=("gold",)) for i in range(len(gold))]
    return Corpus.of(notes, has), Corpus.of([], ranked)


def measured(gold: Corpus, predicted: Corpus, **options: object) -> CodesResult:
    return code_metrics(pair(gold, predicted), times=0, **options)  # type: ignore[arg-type]  # seen


def values(found: CodesResult) -> dict[str, float | None]:
    return {name: metric.value for name, metric in found.metrics.items()}


def random_case(seed: int, ties: bool = False) -> tuple[Matrix, Matrix]:
    dice = np.random.default_rng(seed)
    gold = (dice.random((30, 12)) < dice.uniform(0.05, 0.5, size=12)).astype(np.float64)
    gold[0], gold[1] = 1, 0  # every code occurs, and one chart has none
    scores = np.clip(gold * 0.3 + dice.random(gold.shape) * 0.7, 0, 1)
    return gold, np.round(scores, 1) if ties else scores


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("ties", [False, True])
def test_same_as_scikit_learn(seed: int, ties: bool) -> None:
    gold, scores = random_case(seed, ties)
    predicted = scores >= THRESHOLD
    found = values(measured(*corpora(gold, scores)))
    every = {"zero_division": 0.0}
    expected = {
        "micro_precision": precision_score(gold, predicted, average="micro", **every),
        "micro_recall": recall_score(gold, predicted, average="micro", **every),
        "micro_f1": f1_score(gold, predicted, average="micro", **every),
        "macro_precision_over_all_codes": precision_score(
            gold, predicted, average="macro", **every
        ),
        "macro_recall_over_all_codes": recall_score(gold, predicted, average="macro", **every),
        "macro_f1_as_mean_of_code_f1_over_all_codes": f1_score(
            gold, predicted, average="macro", **every
        ),
        "exact_match_ratio": (gold == predicted).all(axis=1).mean(),
        "micro_auc": roc_auc_score(gold.ravel(), scores.ravel()),
    }
    both = [j for j in range(gold.shape[1]) if 0 < gold[:, j].sum() < len(gold)]
    expected["macro_auc"] = np.mean([roc_auc_score(gold[:, j], scores[:, j]) for j in both])
    if not ties:
        expected["mean_average_precision"] = np.mean(
            [average_precision_score(g, s) for g, s in zip(gold, scores, strict=True) if g.any()]
        )
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, abs=1e-12), name


@pytest.mark.parametrize("seed", range(3))
def test_codes_that_the_model_does_not_know_are_tied_at_the_bottom(seed: int) -> None:
    gold, scores = random_case(seed)
    scores[:, ::3] = np.nan
    found = values(measured(*corpora(gold, scores)))
    filled = np.nan_to_num(scores, nan=-1.0)
    assert found["micro_auc"] == pytest.approx(roc_auc_score(gold.ravel(), filled.ravel()))
    both = [j for j in range(gold.shape[1]) if 0 < gold[:, j].sum() < len(gold)]
    areas = [roc_auc_score(gold[:, j], filled[:, j]) for j in both]
    assert found["macro_auc"] == pytest.approx(np.mean(areas))


def test_an_area_needs_the_whole_ranking() -> None:
    gold, scores = random_case(0)
    scores[scores < 0.3] = np.nan
    found = measured(*corpora(gold, scores)).metrics
    for name in ("micro_auc", "macro_auc"):
        assert "Model.predict(ranked=" in (found[name].undefined or "")
    assert found["precision_at_5"].value is not None


def test_a_code_that_was_only_asked_for_is_in_no_ranking() -> None:
    """Gold has b and c; the model ranks a above b, and is asked for c because gold has it."""
    gold = Corpus.of([], [Annotation("g", Code("CPT", v), "1") for v in "bc"])
    asked = Annotation("p", Code("CPT", "c"), "1", score=0.95, status=Status.ASKED)
    alone = values(measured(gold, Corpus.of([], top(("a", 0.9), ("b", 0.8)))))
    found = values(measured(gold, Corpus.of([], [*top(("a", 0.9), ("b", 0.8)), asked])))
    assert found == alone
    assert found["r_precision"] == 0.5


def test_the_two_macro_f1_differ() -> None:
    """Code A: P 1, R 1/2, F1 2/3. Code B: P 1/2, R 1, F1 2/3. Code C, only predicted: all 0."""
    gold = said("g", ("1", "A00"), ("2", "A00"), ("1", "B00"))
    predicted = said("p", ("1", "A00"), ("1", "B00"), ("2", "B00"), ("2", "C00"))
    found = values(measured(gold, predicted))
    assert found["macro_f1_as_mean_of_code_f1_over_gold_codes"] == pytest.approx(2 / 3)
    assert found["macro_f1_from_macro_precision_and_recall_over_gold_codes"] == 0.75
    assert found["macro_f1_as_mean_of_code_f1_over_all_codes"] == pytest.approx(4 / 9)
    assert found["macro_f1_from_macro_precision_and_recall_over_all_codes"] == 0.5
    assert found["micro_f1"] == pytest.approx(4 / 7)


def test_label_space_of_the_training_corpus() -> None:
    """CAML divides by all codes it could have said."""
    gold, predicted = said("g", ("1", "A00")), said("p", ("1", "A00"))
    seen = {Code("ICD-10-CM", value): 1 for value in ("A00", "B00", "C00", "D00")}
    found = values(measured(gold, predicted, seen=seen))
    assert found["macro_f1_as_mean_of_code_f1_over_all_codes"] == 0.25
    assert found["macro_f1_as_mean_of_code_f1_over_gold_codes"] == 1.0


def test_perfect_is_one() -> None:
    gold = said("g", ("1", "A00"), ("2", "B00"), ("3", "C00"))
    found = code_metrics(pair(gold, gold), times=200)
    for metric in found.metrics.values():
        if metric.undefined is None:
            assert (metric.value, metric.interval) == (1.0, (1.0, 1.0)), metric.name


def top(*codes: tuple[str, float]) -> Iterable[Annotation]:
    for at, (value, score) in enumerate(codes):
        status = Status.GIVEN if at == 0 else Status.RANKED
        yield Annotation("p", Code("CPT", value), "1", score=score, status=status)


def test_top_of_a_chart() -> None:
    """Ranking a x b c y d; gold a b c d and e, which is not ranked."""
    gold = Corpus.of([], [Annotation("g", Code("CPT", v), "1") for v in "abcde"])
    ranking = zip("axbcyd", (0.9, 0.8, 0.7, 0.6, 0.5, 0.4), strict=True)
    found = values(measured(gold, Corpus.of([], top(*ranking))))
    assert found["precision_at_5"] == 3 / 5
    assert found["precision_at_8"] == 4 / 8  # the ranking ends before
    assert found["r_precision"] == 3 / 5
    assert found["mean_average_precision"] == pytest.approx((1 + 2 / 3 + 3 / 4 + 4 / 6) / 5)


@pytest.mark.parametrize(
    ("predicted", "why"),
    [
        ([Annotation("p", Code("CPT", "a"), "1")], "1 of 1 predicted codes have no score"),
        ([Annotation("p", Code("CPT", "a"), "1", score=0.9)], "no codes below the threshold"),
    ],
)
def test_no_ranking_without_scores(predicted: list[Annotation], why: str) -> None:
    gold = Corpus.of([], [Annotation("g", Code("CPT", "a"), "1")])
    found = measured(gold, Corpus.of([], predicted))
    for name in ("micro_auc", "macro_auc", "precision_at_8", "r_precision"):
        assert why in (found.metrics[name].undefined or "")
        assert found.to_dict()[name] is None
    assert found.metrics["micro_f1"].value == 1.0


def test_below_the_threshold_is_not_predicted() -> None:
    gold = Corpus.of([], [Annotation("g", Code("CPT", "b"), "1")])
    found = measured(gold, Corpus.of([], top(("a", 0.9), ("b", 0.1))))
    assert found.micro.counts == Counts(0, 1, 1)


def test_code_on_note_and_chart_is_one() -> None:
    code = Code("CPT", "a")
    gold = Corpus.of([], [Annotation("g", code, "1"), Annotation("g", code, "1", "n")])
    predicted = Corpus.of([], [Annotation("p", code, "1", "other note")])
    assert measured(gold, predicted).micro.counts == Counts(1, 0, 0)


def test_by_band_and_chapter() -> None:
    training = said("t", *((str(i), "A00") for i in range(7)), ("1", "I10"))
    gold = said("g", ("1", "A00"), ("1", "I10"), ("2", "J18.9"))
    predicted = said("p", ("1", "A00"), ("2", "I10"))
    found = measured(gold, predicted, seen=codes_of(training))
    assert {name: one.counts for name, one in found.by_band.items()} == {
        "unseen": Counts(0, 0, 1),
        "1–5": Counts(0, 1, 1),
        "6–10": Counts(1, 0, 0),
    }
    chapters = {name: one.counts for name, one in found.by_chapter.items()}
    assert chapters["ICD-10-CM: Diseases of the circulatory system (I00–I99)"] == Counts(0, 1, 1)
    assert sum((c for c in chapters.values() if c), Counts()) == found.micro.counts
    assert measured(gold, predicted).by_band == {}


def test_the_charts_are_drawn_once_for_all_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[int] = []
    draws = bootstrap.draws

    def counting(charts: int, times: int, seed: int) -> Iterator[NDArray[np.float64]]:
        drawn.append(times)
        return draws(charts, times, seed)

    monkeypatch.setattr(bootstrap, "draws", counting)
    gold, predicted = said("gold", ("1", "I10"), ("2", "J18.9")), said("model", ("1", "I10"))
    with pytest.warns(UserWarning, match="1 of 2 charts have no predictions"):
        sides = pair(gold, predicted)
    found = code_metrics(sides, seen={Code("ICD-10-CM", "I10"): 3}, times=30)
    assert drawn == [30]
    for name in ("precision", "recall", "f1"):
        one, same = getattr(found.micro, name), found.metrics[f"micro_{name}"]
        assert (one.name, one.value, one.interval, one.n) == (
            same.name, same.value, same.interval, same.n
        )  # fmt: skip
    again = metric_counts(
        {"micro": found.micro.per_chart}, {"micro": found.micro.definition}, times=30, seed=0
    )
    assert again["micro"] == found.micro


def test_every_count_is_in_one_band() -> None:
    assert len({band(count) for count in range(1000)}) == len(BANDS)


def test_per_chart_comes_before_the_aggregate() -> None:
    gold, predicted = (
        said("g", ("1", "A"), ("1", "B"), ("2", "A")),
        said("p", ("1", "A"), ("2", "B")),
    )
    table = measured(gold, predicted).per_chart()
    assert table.select("chart_id", "tp", "fp", "fn").rows() == [("1", 1, 0, 1), ("2", 0, 1, 1)]
    assert table["recall"].to_list() == [0.5, 0.0]


def test_what_was_only_ranked_is_no_gold() -> None:
    scores = np.array([[0.9, 0.3], [0.2, 0.8]])
    _, ranked = corpora(np.ones((2, 2)), scores)
    found = measured(ranked, ranked)
    assert found.metrics["micro_f1"].value == 1.0


def test_of_a_category_only_what_its_notes_say_counts() -> None:
    notes = [
        Note("d", "c", category="Discharge summary", text="Fever."),
        Note("r", "c", category="Radiology", text="Effusion."),
    ]
    fever, effusion = Code("ICD-10-CM", "R50.9"), Code("ICD-10-CM", "J90")
    gold = [Annotation("gold", fever, "c", "d"), Annotation("gold", effusion, "c", "r")]
    said = [Annotation("model", fever, "c", "d"), Annotation("model", effusion, "c")]
    sides = pair(
        Corpus.of(notes, gold), Corpus.of(notes, said), note_category=["Discharge summary"]
    )
    assert code_metrics(sides, times=0).metrics["micro_f1"].value == 1.0
