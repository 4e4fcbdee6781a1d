"""The numbers of small random corpora, against loops over sets of characters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.evaluate.entities.hand import (
    LESS,
    Said,
    any_right,
    corpus,
    lenient,
    panel,
    places,
)
from tests.examples import examples

from auscult.evaluate.entities import EntitiesResult, evaluate_entities
from auscult.evaluate.entities.causes import RIGHT

pytestmark = pytest.mark.filterwarnings("ignore:.*(have no predictions|repeat a span)")
TEXT = "abcdefghijkl"
TEXTS = {"n1": TEXT, "n2": TEXT}


@st.composite
def said(draw: st.DrawFn) -> Said:
    begin = draw(st.integers(0, 9))
    end = draw(st.integers(begin + 1, min(begin + 4, 12)))
    more: tuple[tuple[int, int], ...] = ()
    if draw(st.integers(0, 5)) == 0 and end < 12:
        start = draw(st.integers(end, 11))
        more = ((start, draw(st.integers(start + 1, 12))),)
    concept = draw(st.sampled_from(["A", "B", "C", LESS]))
    score = draw(st.sampled_from([None, 0.2, 0.9]))
    return Said(concept, begin, end, draw(st.sampled_from(["n1", "n2"])), score, more)


def measured(gold: list[Said], system: list[Said]) -> EntitiesResult:
    return evaluate_entities(
        corpus("gold", gold, TEXTS), {"s": corpus("s", system, TEXTS)}, times=0
    )


@given(st.lists(said(), min_size=1, max_size=7), st.lists(said(), max_size=6))
@settings(max_examples=examples(60), deadline=None)
def test_same_numbers_as_loops(gold: list[Said], system: list[Said]) -> None:
    result = measured(gold, system)
    held, claimed = places(gold), places(system)
    rules = result.rules
    assert result.spans == len(held)
    assert rules["any"].systems["s"].value == np.mean(any_right(held, claimed))
    assert rules["lenient"].systems["s"].value == np.mean(lenient(held, claimed))
    found = {name: one.counts for name, one in result.systems["s"].panel.items()}
    assert found == panel(held, claimed)


@given(st.lists(said(), min_size=1, max_size=8), st.lists(said(), max_size=8))
@settings(max_examples=examples(30), deadline=None)
def test_what_holds_of_any_predictions(gold: list[Said], system: list[Said]) -> None:
    result = measured(gold, system)
    one, rules = result.systems["s"], result.rules

    def value(name: str) -> float:
        return rules[name].systems["s"].value or 0.0

    def f1(kind: str) -> float:
        return one.panel[kind].f1.value or 0.0

    assert value("exact_set") <= value("set_f1") <= value("any") <= value("span")
    assert value("first") <= value("any")
    assert value("span") <= value("span_overlap")
    assert f1("strict") <= f1("overlap") + 1e-12
    assert f1("span") <= f1("span_overlap") + 1e-12
    # A cause for each span that is wrong by the rule any, and for no other.
    wrong = sum(one.causes.values())
    assert wrong == round((1 - value("any")) * result.spans)
    assert int((one.placed != RIGHT).sum()) == wrong == len(list(result.wrong("s")))


@given(st.lists(said(), min_size=1, max_size=8))
@settings(max_examples=examples(20), deadline=None)
def test_gold_itself_is_perfect_by_every_measure(gold: list[Said]) -> None:
    result = measured(gold, gold)
    for rule in ("any", "exact_set", "set_f1", "lenient", "span", "span_overlap"):
        assert result.rules[rule].systems["s"].value == 1.0
    system = result.systems["s"]
    has_concepts = any(row.concept != LESS for row in gold)
    for kind, one in system.panel.items():
        if has_concepts or kind.startswith("span"):
            assert one.f1.value == 1.0, kind
    assert system.iou["character_iou_of_spans"].value == 1.0
    assert not any(system.causes.values())
