"""Every way of being right, worked out by hand.

Severe asthma exacerbation. Cold. Tube feeds.
0      7      14            28    34
"""

from __future__ import annotations

import pytest
from tests.evaluate.entities.hand import LESS, Said, corpus

from auscult.evaluate.entities import (
    CuiLess,
    EntitiesResult,
    EntitySettings,
    Silence,
    evaluate_entities,
)

pytestmark = pytest.mark.filterwarnings("ignore:.*(have no predictions|repeat a span)")
TEXTS = {"n1": "Severe asthma exacerbation. Cold. Tube feeds."}
WHOLE, SEVERE, ASTHMA, COLD, TUBE = (0, 26), (0, 6), (7, 13), (28, 32), (34, 44)
GOLD = [
    Said("C1", *WHOLE),
    Said("C2", *SEVERE),
    Said("C3", *ASTHMA),
    Said("C4", *COLD),
    Said("C5", *COLD),  # two concepts that fit equally well
    Said(LESS, *TUBE),
]


def measured(system: list[Said], settings: EntitySettings | None = None) -> EntitiesResult:
    systems = {"s": corpus("s", system, TEXTS)}
    return evaluate_entities(corpus("gold", GOLD, TEXTS), systems, settings=settings, times=0)


def value(found: EntitiesResult, rule: str) -> float | None:
    return found.rules[rule].systems["s"].value


def test_one_of_two_concepts() -> None:
    found = measured([Said("C4", *COLD)])
    assert value(found, "any") == value(found, "first") == 1 / 5
    assert value(found, "exact_set") == 0
    assert value(found, "set_f1") == pytest.approx((2 * 1 / 3) / 5)


def test_both_of_two_concepts_and_one_more() -> None:
    found = measured([Said("C9", *COLD, score=0.9), Said("C4", *COLD), Said("C5", *COLD)])
    assert value(found, "any") == 1 / 5
    assert value(found, "first") == 0  # C9 has the highest score
    assert value(found, "exact_set") == 0
    assert value(found, "set_f1") == pytest.approx((2 * 2 / 5) / 5)
    assert found.systems["s"].volume.concepts_per_answer == 3


def test_without_scores_the_order_in_the_file_decides() -> None:
    assert value(measured([Said("C4", *COLD), Said("C9", *COLD)]), "first") == 1 / 5
    assert value(measured([Said("C9", *COLD), Said("C4", *COLD)]), "first") == 0


def test_a_scored_concept_comes_before_one_without_a_score() -> None:
    found = measured([Said("C9", *COLD), Said("C4", *COLD, score=0.1)])
    assert value(found, "first") == 1 / 5


@pytest.mark.parametrize(
    ("system", "is_right"),
    [
        ([], True),  # nothing on exactly that span
        ([Said(LESS, *TUBE)], True),
        ([Said("C7", 34, 38)], True),  # a concept on part of it
        ([Said("C7", *TUBE)], False),
        ([Said(LESS, *TUBE), Said("C7", *TUBE)], False),
    ],
)
def test_cui_less_by_the_lenient_rule(system: list[Said], is_right: bool) -> None:
    assert value(measured(system), "lenient") == is_right / 5


def test_lenient_takes_a_right_concept_on_any_overlapping_span() -> None:
    found = measured([Said("C1", 7, 26), Said("C7", *TUBE)])
    assert value(found, "lenient") == 1 / 5
    assert value(found, "any") == 0
    assert value(found, "span") == 1 / 5  # the tube feeds, with a wrong concept
    # Touching is no overlap, and the concept of the neighbor is not its own.
    found = measured([Said("C2", 6, 7), Said("C3", *SEVERE), Said("C7", *TUBE)])
    assert value(found, "lenient") == 0


def test_silence_is_no_answer_or_says_cui_less() -> None:
    assert value(measured([]), "any") == 0
    found = measured([], EntitySettings(silence=Silence.CUI_LESS))
    assert value(found, "any") == value(found, "exact_set") == 1 / 5
    less = found.systems["s"].cui_less.counts
    assert less is not None
    assert (less.tp, less.fp, less.fn) == (1, 4, 0)


def test_cui_less_has_its_own_precision_and_recall() -> None:
    found = measured([Said(LESS, *TUBE), Said(LESS, *COLD), Said(LESS, 27, 33)])
    less = found.systems["s"].cui_less
    assert less.counts is not None
    # What is on no gold span says nothing about one.
    assert (less.counts.tp, less.counts.fp, less.counts.fn) == (1, 1, 0)
    assert measured([]).systems["s"].cui_less.recall.value == 0
    assert measured([]).systems["s"].cui_less.precision.undefined == "nothing was predicted"


def test_near_matches_beside_cui_less_are_right_and_so_is_cui_less() -> None:
    gold = [Said(LESS, *TUBE), Said("C6", *TUBE), Said(LESS, *COLD)]
    for given in (Said("C6", *TUBE), Said(LESS, *TUBE)):
        found = evaluate_entities(
            corpus("gold", gold, TEXTS),
            {"s": corpus("s", [given, Said(LESS, *COLD)], TEXTS)},
            times=0,
        )
        assert value(found, "any") == 1
        less = found.systems["s"].cui_less.counts
        assert less is not None
        assert (less.tp, less.fp, less.fn) == (1, 0, 0)


def test_cui_less_in_texts_that_training_has_and_has_not() -> None:
    train = corpus("g", [Said(LESS, 0, 10, "t")], {"t": "Tube feeds"})
    gold = [Said(LESS, *TUBE), Said(LESS, *COLD), Said(LESS, *SEVERE), Said("C3", *ASTHMA)]
    given = [Said(LESS, *TUBE), Said(LESS, *COLD), Said(LESS, *ASTHMA)]
    found = evaluate_entities(
        corpus("gold", gold, TEXTS), {"s": corpus("s", given, TEXTS)}, train=train, times=0
    ).systems["s"]
    counts = {kind: one.counts for kind, one in found.cui_less_by_text.items()}
    assert {k: (c.tp, c.fp, c.fn) for k, c in counts.items() if c is not None} == {
        "seen": (1, 0, 0),
        "unseen": (1, 1, 1),
    }
    assert found.cui_less.counts is not None
    assert (found.cui_less.counts.tp, found.cui_less.counts.fn) == (2, 1)
    assert measured([]).systems["s"].cui_less_by_text == {}


@pytest.mark.parametrize(
    ("cui_less", "asked", "to_find"),
    [(CuiLess.PAPER, 5, 4), (CuiLess.COUNT, 5, 5), (CuiLess.IGNORE, 4, 4)],
)
def test_cui_less_in_the_denominators(cui_less: CuiLess, asked: int, to_find: int) -> None:
    found = measured([Said(LESS, *TUBE)], EntitySettings(cui_less=cui_less))
    assert found.spans == asked
    assert value(found, "any") == (asked - 4) / asked
    counts = found.systems["s"].panel["strict"].counts
    right = 1 if cui_less is CuiLess.COUNT else 0
    assert counts == (right, to_find, right, right)
    assert found.systems["s"].recognized["all"].spans.n == to_find


def test_nested_gold_is_found_span_by_span() -> None:
    found = measured([Said("C2", *SEVERE), Said("C3", *ASTHMA)])
    assert value(found, "any") == 2 / 5
    parts = found.systems["s"].compounds
    assert (parts.compounds, parts.recovered, parts.missed, parts.missed_with_a_part_right) == (
        1,
        0,
        1,
        1,
    )


def test_a_right_whole_is_no_missed_compound_and_a_wrong_part_no_credit() -> None:
    parts = measured([Said("C9", *WHOLE), Said("C2", *SEVERE)]).systems["s"].compounds
    assert (parts.recovered, parts.missed_with_a_part_right) == (1, 0)
    parts = measured([Said("C9", *SEVERE), Said("C3", 7, 26)]).systems["s"].compounds
    assert (parts.missed, parts.missed_with_a_part_right) == (1, 0)


def test_ties_of_overlap_do_not_change_the_matching() -> None:
    """Two gold spans of a concept under one given span, and the other way about."""
    texts = {"n1": "asthma, asthma"}
    gold = corpus("gold", [Said("C3", 0, 6), Said("C3", 8, 14)], texts)
    one = evaluate_entities(gold, {"s": corpus("s", [Said("C3", 0, 14)], texts)}, times=0)
    panel = one.systems["s"].panel
    assert panel["overlap"].counts == (2, 2, 1, 1)
    assert panel["overlap_paired"].counts == (1, 2, 1, 1)
    both = [Said("C3", 4, 10), Said("C3", 0, 9)]
    two = evaluate_entities(gold, {"s": corpus("s", both, texts)}, times=0)
    assert two.systems["s"].panel["overlap_paired"].counts == (2, 2, 2, 2)


def test_a_system_that_gives_nothing() -> None:
    found = measured([])
    system = found.systems["s"]
    assert value(found, "any") == value(found, "span_overlap") == 0
    assert value(found, "lenient") == 1 / 5  # the CUI-less span, as the paper counts
    assert all(one.precision.value is None for one in system.panel.values())
    assert all(one.recall.value == one.f1.value == 0 for one in system.panel.values())
    assert system.recognized["all"].precision.undefined == "none of its spans was predicted"
    assert system.causes["missed"] == 5  # type: ignore[index]  # a Cause is a str


def test_a_system_that_gives_everything_is_flattered_by_recall_only() -> None:
    """Every range of characters with every concept."""
    every = [
        Said(concept, begin, end)
        for concept in ("C1", "C2", "C3", "C4", "C5", "C6", LESS)
        for begin in range(0, 44, 1)
        for end in range(begin + 1, 45)
    ]
    found = measured(every)
    assert value(found, "any") == value(found, "span") == 1
    assert value(found, "exact_set") == 0
    assert value(found, "first") is not None
    assert value(found, "first") < 1 / 2  # type: ignore[operator]  # it was compared with None
    system = found.systems["s"]
    assert system.panel["strict"].recall.value == 1
    assert system.panel["strict"].f1.value is not None
    assert system.panel["strict"].f1.value < 0.01
    assert system.volume.concepts_per_answer == 7


def test_one_span_over_all_is_caught_by_characters() -> None:
    """Overlap alone would take a whole note for every span in it."""
    gold = [row for row in GOLD if row.concept != LESS]
    every = [Said(row.concept, 0, 45) for row in gold]
    systems = {"s": corpus("s", every, TEXTS)}
    found = evaluate_entities(corpus("gold", gold, TEXTS), systems, times=0).systems["s"]
    assert found.panel["overlap"].f1.value == 1
    assert found.panel["strict"].f1.value == 0
    # 26 + 6 + 6 + 4 + 4 characters of five times 45.
    assert found.iou["character_iou"].value == pytest.approx(46 / 225)
    assert found.iou["character_iou_of_spans"].value == pytest.approx(30 / 45)


def test_table_of_spans_concepts_and_precision() -> None:
    found = measured(
        [Said("C1", *WHOLE), Said("C9", *SEVERE), Said("C3", 7, 26), Said("C1", 26, 28)]
    )
    assert found.systems["s"].volume.nowhere == 1
    row = found.systems["s"].recognized["all"]
    assert (row.spans.value, row.concepts.value, row.precision.value) == (2 / 4, 1 / 4, 1 / 2)
    loose = found.systems["s"].recognized_by_overlap["all"]
    assert (loose.spans.value, loose.concepts.value) == (3 / 4, 2 / 4)


def test_parts_that_touch_are_one_span_and_order_does_not_matter() -> None:
    gold = corpus("gold", [Said("C1", 0, 6, more=((14, 26),))], TEXTS)
    given = [Said("C1", 20, 26, more=((0, 6), (14, 20)))]
    found = evaluate_entities(gold, {"s": corpus("s", given, TEXTS)}, times=0)
    assert value(found, "any") == 1
    between = evaluate_entities(gold, {"s": corpus("s", [Said("C1", 7, 13)], TEXTS)}, times=0)
    assert value(between, "span_overlap") == 0  # in the gap of the discontinuous span
