"""Many systems on the same charts."""

from __future__ import annotations

import random

import pytest

from auscult.core import Code, OptionError
from auscult.evaluate.codes import code_metrics
from auscult.evaluate.system_ranking import (
    MACRO,
    MACRO_OF_AVERAGES,
    Answers,
    analyze,
    rank_systems,
    sides_of,
)

CODES = [Code("ICD-9-CM", f"{n}.{n % 3}") for n in range(100, 112)]


def made(dice: random.Random, charts: int = 40) -> dict[str, frozenset[Code]]:
    return {
        str(n): frozenset(dice.sample(CODES, dice.choice([0, 1, 1, 2, 3]))) for n in range(charts)
    }


def worse(gold: Answers, dice: random.Random, drop: float) -> dict[str, frozenset[Code]]:
    return {c: frozenset(x for x in said if dice.random() > drop) for c, said in gold.items()}


@pytest.fixture(scope="module")
def field() -> tuple[Answers, dict[str, Answers]]:
    dice = random.Random(3)
    gold = made(dice)
    systems: dict[str, Answers] = {f"s{n}": worse(gold, dice, n / 8) for n in range(1, 8)}
    systems["wild"] = made(dice)
    systems["silent"] = {}
    return gold, systems


def test_measures_are_those_of_the_evaluation(field: tuple[Answers, dict[str, Answers]]) -> None:
    gold, systems = field
    found = {row.name: row for row in rank_systems(gold, systems, times=100, seed=4).rows}
    for name, answers in systems.items():
        alone = code_metrics(sides_of(gold, answers), times=100, seed=4).metrics
        for metric in ("micro_f1", "micro_precision", "micro_recall", "cost_sensitive"):
            assert found[name].metrics[metric].value == pytest.approx(alone[metric].value)
            assert found[name].metrics[metric].interval == pytest.approx(alone[metric].interval)
        for metric in (MACRO, MACRO_OF_AVERAGES):
            assert found[name].metrics[metric].value == pytest.approx(alone[metric].value)


def test_rank_is_by_micro_f1_and_equal_ones_share_it(
    field: tuple[Answers, dict[str, Answers]],
) -> None:
    gold, systems = field
    found = rank_systems(gold, {**systems, "s1 again": systems["s1"]}, {"ann": gold}, times=200)
    assert (found.rows[0].name, found.rows[0].rank) == ("ann", None)
    values = [row.metrics["micro_f1"].value or 0.0 for row in found.systems]
    assert values == sorted(values, reverse=True)
    ranks = [row.rank for row in found.systems]
    assert ranks[:3] == [1, 1, 3]
    assert all(sum(v > value for v in values) + 1 == row.rank
               for value, row in zip(values, found.systems, strict=True))  # fmt: skip
    for row in found.systems:
        assert row.ranks is not None
        assert row.ranks[0] <= (row.rank or 0) <= row.ranks[1]
    assert found.systems[-1].ranks == (10, 10)


def test_charts_that_gold_lacks_are_ignored_and_missing_ones_missed() -> None:
    gold = {"1": frozenset(CODES[:2]), "2": frozenset(CODES[:1])}
    answers = {"1": frozenset(CODES[:2]), "elsewhere": frozenset(CODES[5:])}
    (row,) = rank_systems(gold, {"x": answers}, times=0).rows
    assert (row.counts.tp, row.counts.fp, row.counts.fn) == (2, 0, 1)


def test_macro_f1_in_both_definitions_by_hand() -> None:
    """The first code is always right, the third never given, which counts as 0.

    System x gives the second once where it belongs and once where it does not: precision, recall
    and F1 are 1/2, and the definitions agree. System y gives it to all four charts: precision 1/2,
    recall 1 and F1 2/3, and they differ.
    """
    a, b, c = CODES[:3]
    gold = {"1": {a, b}, "2": {a, b}, "3": {a}, "4": {c}}
    given: Answers = {"1": {a, b}, "2": {a}, "3": {a, b}}
    everywhere: Answers = {name: {*gold[name] - {c}, b} for name in gold}
    rows = rank_systems(gold, {"x": given, "y": everywhere}, times=0).rows
    found = {row.name: [row.metrics[m].value for m in (MACRO, MACRO_OF_AVERAGES)] for row in rows}
    assert found["x"] == pytest.approx([(1 + 1 / 2 + 0) / 3] * 2)
    p, r = (1 + 1 / 2 + 0) / 3, (1 + 1 + 0) / 3
    assert found["y"] == pytest.approx([(1 + 2 / 3 + 0) / 3, 2 * p * r / (p + r)])


def test_a_name_stands_for_one() -> None:
    with pytest.raises(OptionError, match="both called ann"):
        rank_systems({"1": frozenset()}, {"ann": {}}, {"ann": {}}, times=0)


def test_the_worst_can_be_told_from_the_best(field: tuple[Answers, dict[str, Answers]]) -> None:
    gold, systems = field
    found = analyze(rank_systems(gold, systems, {"ann": gold}, times=0))
    assert "ann" not in found.names
    assert found.anova is not None
    assert (found.anova.factors[0].p_value.value or 1) < 0.001
    first = next(group for group in found.groups if found.names[0] in group)
    assert "silent" not in first
    assert found.letters_of("silent") not in found.letters_of(found.names[0]).split()


def test_one_system_alone_has_no_analysis() -> None:
    gold = {"1": frozenset(CODES[:3])}
    found = analyze(rank_systems(gold, {"x": gold}, times=0))
    assert found.anova is None
    assert found.groups == (("x",),)
    assert "two systems" in (found.undefined or "")
