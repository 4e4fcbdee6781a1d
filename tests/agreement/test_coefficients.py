"""Every coefficient against nltk, statsmodels or scikit-learn, and what must always hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.metrics.agreement import AnnotationTask
from nltk.metrics.distance import binary_distance, jaccard_distance, masi_distance
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from auscult.agreement.alpha import is_single_disagreement, krippendorff_alpha
from auscult.agreement.chance import expected
from auscult.agreement.code_f1 import by_code, code_f1
from auscult.agreement.cohen import cohen_kappa, cohen_kappa_pooled
from auscult.agreement.fleiss import fleiss_kappa, fleiss_kappa_pooled
from auscult.agreement.hooper import hooper_mean, hooper_pooled
from auscult.agreement.ratings import Ratings
from auscult.agreement.shared_code import shared_code
from auscult.agreement.similarity import Distance
from auscult.agreement.span_jaccard import span_jaccard
from auscult.core import Metric, OptionError

Row = Sequence[frozenset[str] | None]
CODES = "ABCD"
SETTINGS = settings(deadline=None, max_examples=60)
sets = st.frozensets(st.sampled_from(CODES), max_size=3)
EVERY: dict[str, Callable[[Ratings], Metric]] = {
    **{
        f"alpha_{distance}": lambda ratings, distance=distance: krippendorff_alpha(  # type: ignore[misc]  # mypy has no types for such defaults
            ratings, distance
        )
        for distance in Distance
    },
    "fleiss_kappa": fleiss_kappa,
    "fleiss_kappa_pooled": fleiss_kappa_pooled,
    "hooper_mean": hooper_mean,
    "hooper_pooled": hooper_pooled,
    "code_f1": code_f1,
    "span_jaccard": span_jaccard,
    "shared_code": shared_code,
}


def studies(coders: int = 3, *, missing: bool = False) -> st.SearchStrategy[list[list[object]]]:
    one: st.SearchStrategy[object] = st.one_of(st.none(), sets) if missing else sets
    return st.lists(st.lists(one, min_size=coders, max_size=coders), min_size=1, max_size=12)


def value(metric: Metric) -> float:
    return float("nan") if metric.value is None else metric.value


def masi(one: frozenset[str], other: frozenset[str]) -> float:
    """MASI by its definition, also for two empty sets, where nltk divides by zero."""
    if one == other:
        return 0.0
    shared = len(one & other)
    third = 2 if one <= other or other <= one else 1 if shared else 0
    return 1 - shared / len(one | other) * third / 3


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    return 0.0 if one == other else jaccard_distance(one, other)


def nltk_alpha(rows: Sequence[Row], distance: Callable[..., float]) -> float:
    """α by nltk, which wants triples; units that one coder has seen are not paired."""
    triples = [
        (str(coder), str(unit), given)
        for unit, row in enumerate(rows)
        if sum(given is not None for given in row) > 1
        for coder, given in enumerate(row)
        if given is not None
    ]
    if len({given for _, _, given in triples}) < 2:
        return float("nan")
    return float(AnnotationTask(triples, distance).alpha())


@SETTINGS
@given(studies(missing=True))
def test_alpha_is_nltks(rows: list[list[frozenset[str] | None]]) -> None:
    ratings = Ratings.of(rows)
    for distance, theirs in (
        (Distance.NOMINAL, binary_distance),
        (Distance.JACCARD, jaccard),
        (Distance.MASI, masi),
    ):
        ours = value(krippendorff_alpha(ratings, distance))
        assert ours == pytest.approx(nltk_alpha(rows, theirs), nan_ok=True, abs=1e-9)


def test_masi_is_nltks_own() -> None:
    """Up to rounding: versions before 3.10 write 0.67 and 0.33 for the thirds."""
    one, other, third = frozenset("AB"), frozenset("ABC"), frozenset("BCD")
    for pair in ((one, other), (other, third), (one, third)):
        assert masi(*pair) == pytest.approx(masi_distance(*pair), abs=0.004)
    rows = [[one, other], [other, third], [third, third], [one, one]]
    ours = value(krippendorff_alpha(Ratings.of(rows), Distance.MASI))
    assert ours == pytest.approx(nltk_alpha(rows, masi_distance), abs=0.004)


@SETTINGS
@given(studies(coders=4))
def test_fleiss_is_statsmodels(rows: list[list[frozenset[str]]]) -> None:
    names = [["".join(sorted(given)) for given in row] for row in rows]
    whole, _ = aggregate_raters(np.array(names))
    ours = value(fleiss_kappa(Ratings.of(rows)))
    with np.errstate(invalid="ignore", divide="ignore"):
        theirs = float("nan") if whole.shape[1] < 2 else statsmodels_fleiss(whole)
    assert ours == pytest.approx(theirs, nan_ok=True, abs=1e-9)
    codes = sorted({code for row in rows for given in row for code in given})
    cells = [[len(row) - n, n] for row in rows for c in codes for n in [sum(c in g for g in row)]]
    pooled = value(fleiss_kappa_pooled(Ratings.of(rows)))
    marginals = np.array(cells).reshape(-1, 2).sum(axis=0)
    if not cells or not marginals.all():
        assert np.isnan(pooled)
    else:
        assert pooled == pytest.approx(statsmodels_fleiss(np.array(cells)), abs=1e-9)


@SETTINGS
@given(studies(coders=2))
def test_cohen_is_scikit_learns(rows: list[list[frozenset[str]]]) -> None:
    ratings = Ratings.of(rows)
    one, other = (["".join(sorted(row[at])) for row in rows] for at in (0, 1))
    if len({*one, *other}) < 2:
        assert np.isnan(value(cohen_kappa(ratings)))
    else:
        ours = value(cohen_kappa(ratings))
        assert ours == pytest.approx(cohen_kappa_score(one, other), nan_ok=True, abs=1e-9)
    codes = sorted({code for row in rows for given in row for code in given})
    flat = [[code in row[at] for row in rows for code in codes] for at in (0, 1)]
    pooled = value(cohen_kappa_pooled(ratings))
    if len({*flat[0], *flat[1]}) < 2:
        assert np.isnan(pooled)
    else:
        assert pooled == pytest.approx(cohen_kappa_score(*flat), nan_ok=True, abs=1e-9)


@SETTINGS
@given(studies(missing=True))
def test_hooper_and_f1_by_counting(rows: list[list[frozenset[str] | None]]) -> None:
    shares, shared, union, said = [], 0, 0, 0
    for row in rows:
        for one, other in combinations(row, 2):
            if one is not None and other is not None and one | other:
                shares.append(len(one & other) / len(one | other))
                shared, union = shared + len(one & other), union + len(one | other)
                said += len(one) + len(other)
    ratings = Ratings.of(rows)
    if not shares:
        assert hooper_mean(ratings).undefined
        assert code_f1(ratings).undefined
        return
    assert value(hooper_mean(ratings)) == pytest.approx(sum(shares) / len(shares))
    assert value(hooper_pooled(ratings)) == pytest.approx(shared / union)
    assert value(code_f1(ratings)) == pytest.approx(2 * shared / said)
    _, both, either = by_code(ratings)
    assert (both.sum(), either.sum()) == (shared, said)


@SETTINGS
@given(studies(missing=True), st.randoms(use_true_random=False))
def test_order_means_nothing(rows: list[list[frozenset[str] | None]], dice: object) -> None:
    """Permuting units and permuting coders changes no coefficient."""
    units, order = list(rows), list(range(3))
    dice.shuffle(units)  # type: ignore[attr-defined]  # hypothesis gives a random.Random
    dice.shuffle(order)  # type: ignore[attr-defined]  # the same
    permuted = Ratings.of([[row[at] for at in order] for row in units])
    for name, coefficient in EVERY.items():
        before, after = coefficient(Ratings.of(rows)), coefficient(permuted)
        assert value(before) == pytest.approx(value(after), nan_ok=True, abs=1e-9), name
        assert (before.undefined is None) == (after.undefined is None)


@SETTINGS
@given(st.lists(sets, min_size=2, max_size=12), st.integers(2, 4))
def test_perfect_agreement_is_exactly_1(units: list[frozenset[str]], coders: int) -> None:
    ratings = Ratings.of([[given] * coders for given in units])
    for name, coefficient in EVERY.items():
        metric = coefficient(ratings)
        assert metric.value == 1.0 or metric.undefined, name
    if len(set(units)) > 1:
        assert krippendorff_alpha(ratings).value == 1.0


def test_random_coders_are_near_0() -> None:
    dice = np.random.default_rng(1)
    rows = [
        [frozenset(c for c in CODES if dice.random() < 0.4) for _ in range(3)] for _ in range(4000)
    ]
    ratings = Ratings.of(rows)
    for distance in Distance:
        assert abs(value(krippendorff_alpha(ratings, distance))) < 0.02
    assert abs(value(fleiss_kappa(ratings))) < 0.02
    assert abs(value(fleiss_kappa_pooled(ratings))) < 0.02
    for one, other in ratings.pairs():
        assert abs(value(cohen_kappa(ratings.pair(one, other)))) < 0.03
        assert abs(value(cohen_kappa_pooled(ratings.pair(one, other)))) < 0.03


def test_empty_sets_agree() -> None:
    """Half of the units have no codes by anybody; that is agreement, and no division by zero."""
    empty: frozenset[str] = frozenset()
    rows = [[frozenset("A"), frozenset("A")], [empty, empty], [empty, empty], [frozenset("B")] * 2]
    assert krippendorff_alpha(Ratings.of(rows), Distance.MASI).value == 1.0
    disjoint = [[frozenset("A"), frozenset("B")], [empty, empty]]
    assert value(krippendorff_alpha(Ratings.of(disjoint), Distance.MASI)) > 0


def test_undefined_says_why() -> None:
    same = Ratings.of([("A", "A"), ("A", "A")])
    assert "same set" in str(krippendorff_alpha(same).undefined)
    assert "chance" in str(fleiss_kappa(same).undefined)
    assert "chance" in str(cohen_kappa(same).undefined)
    apart = Ratings.of([("A", None), (None, "A")])
    assert "no unit" in str(krippendorff_alpha(apart).undefined)
    assert "no unit" in str(cohen_kappa(apart).undefined)
    assert hooper_mean(Ratings.of([("", "")])).undefined
    assert span_jaccard(Ratings.of([("", "")])).undefined
    assert shared_code(Ratings.of([("A", "")])).undefined
    with pytest.raises(OptionError, match="two annotators"):
        cohen_kappa(Ratings.of([("A", "A", "A")]))
    with pytest.raises(OptionError, match="one set for each"):
        Ratings.of([("A", "A"), ("A",)])


def test_a_lone_disagreement_makes_alpha_0() -> None:
    rows = [("", "")] * 99 + [("A", "")]
    ratings = Ratings.of(rows)
    assert value(krippendorff_alpha(ratings)) == pytest.approx(0.0, abs=1e-12)
    assert is_single_disagreement(ratings)
    assert not is_single_disagreement(Ratings.of([*rows, ("A", "")]))
    assert not is_single_disagreement(Ratings.of([("", "")] * 9))


def test_intervals_are_of_charts() -> None:
    """Units that stand and fall together give a wider interval than as many independent ones."""
    dice = np.random.default_rng(3)
    good = dice.random(40) < 0.6
    rows = [(("A", "A") if ok else ("A", "B")) for ok in good for _ in range(10)]
    together = Ratings.of(rows, charts=[at // 10 for at in range(400)])
    apart = Ratings.of(rows)
    for coefficient in (hooper_mean, code_f1, fleiss_kappa_pooled):
        wide = coefficient(together, times=400).interval
        narrow = coefficient(apart, times=400).interval
        assert wide is not None
        assert narrow is not None
        assert wide[1] - wide[0] > 2 * (narrow[1] - narrow[0])
        assert wide == coefficient(together, times=400).interval
        assert wide != coefficient(together, times=400, seed=1).interval


def test_interval_holds_the_value_where_sets_are_many() -> None:
    """With a set of its own for nearly every unit, resampled units look like chance agreement."""
    dice = np.random.default_rng(5)
    rows = [
        [frozenset(dice.choice(list("ABCDEFGHIJKLMNOP"), 7)) for _ in range(2)] for _ in range(25)
    ]
    for distance in Distance:
        found = krippendorff_alpha(Ratings.of(rows), distance, times=500)
        assert found.interval is not None
        assert found.interval[0] <= value(found) <= found.interval[1]


@SETTINGS
@given(studies(missing=True))
def test_chance_from_subsets(rows: list[list[frozenset[str] | None]]) -> None:
    """Counting subsets gives what comparing every two sets gives."""
    ratings = Ratings.of(rows).shared()
    given = [s for row in rows if sum(s is not None for s in row) > 1 for s in row if s is not None]
    if len(given) < 2:
        return
    for distance, apart in ((Distance.JACCARD, jaccard), (Distance.MASI, masi)):
        pairs = [apart(one, other) for one, other in permutations(given, 2)]
        assert expected(ratings, distance) == pytest.approx(sum(pairs) / len(pairs), abs=1e-12)


def test_many_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where sets are too many to compare all, subsets or a sample of pairs come to the same."""
    dice = np.random.default_rng(7)
    rows = []
    for _ in range(300):
        base = set(dice.choice(list("ABCDEFGHIJ"), 4))
        rows.append([base, set(sorted(base)[:-1]), base | {"K"}])
    ratings = Ratings.of(rows)
    exact = {d: value(krippendorff_alpha(ratings, d)) for d in (Distance.JACCARD, Distance.MASI)}
    monkeypatch.setattr("auscult.agreement.alpha._RESAMPLED", 0)
    for subsets, tolerance in ((1_000_000, 1e-12), (0, 0.003)):
        monkeypatch.setattr("auscult.agreement.chance._SUBSETS", subsets)
        for distance, expected_value in exact.items():
            found = krippendorff_alpha(ratings, distance, times=100)
            assert value(found) == pytest.approx(expected_value, abs=tolerance)
            assert found.interval is not None
