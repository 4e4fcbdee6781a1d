"""From probabilities to concepts, worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.coders.concepts.marks import Mark, marks_on
from auscult.coders.concepts.normaliser.candidates import Candidates
from auscult.coders.concepts.normaliser.deciding import Decision, Opinion, tune
from auscult.core import Code, Span

A, B, NOTHING = Code("X", "A"), Code("X", "B"), Code("X", "CUI-less")
ROWS = np.zeros((0, 0), np.float32)


def thought(likely: float, *, seen: bool = False, nothing: float = 0.0) -> Opinion:
    return Opinion((NOTHING, nothing), (A, likely), (), seen)


def marked(*codes: Code, text: str = "it") -> Mark:
    (mark,) = marks_on(text, {(Span(0, len(text)),): codes})
    return mark


def tuned(*cases: tuple[Mark, Opinion]) -> tuple[Decision, dict[str, object]]:
    lists = [Candidates((NOTHING, A), ROWS, mark, said.seen) for mark, said in cases]
    found = tune(lists, [said for _, said in cases], several=True)
    return found.decision, dict(found.measured)


def test_only_new_text_needs_a_likely_concept() -> None:
    decision = Decision(least=0.3)
    assert thought(0.29).decide(decision) == [(NOTHING, 0.0)]
    assert thought(0.3).decide(decision) == [(A, 0.3)]
    assert thought(0.01, seen=True).decide(decision) == [(A, 0.01)]


def test_the_least_is_where_cui_less_is_best_and_over_all_no_mark_is_lost() -> None:
    none, right = marked(NOTHING), marked(A)
    decision, measured = tuned(
        *[(none, thought(0.12)) for _ in range(4)],
        (right, thought(0.17)),
        (none, thought(0.22)),
        *[(right, thought(0.32)) for _ in range(3)],
        *[(none, thought(0.37)) for _ in range(2)],
        (right, thought(0.42)),
    )
    # 0.15: 4 of 7, no concept lost; 0.25: 5 of 7, one lost; 0.4: all 7, four lost, and yet 8 of
    # all 12 right where 5 were.
    assert decision.least == 0.4
    assert measured["cui_less_of_new_text"] == {"tp": 7, "fp": 4, "fn": 0, "f1": 14 / 18}
    assert measured["first_is_right"] == pytest.approx(8 / 12)


def test_of_leasts_that_do_alike_the_middle_one_is_taken() -> None:
    decision, _ = tuned((marked(NOTHING), thought(0.12)), (marked(A), thought(0.57)))
    assert decision.least == 0.35  # 0.15 to 0.55


def test_a_least_that_costs_more_marks_than_it_gains_is_not_taken() -> None:
    none, right = marked(NOTHING), marked(A)
    cases = [(none, thought(0.2)), (right, thought(0.1)), (right, thought(0.15))]
    decision, measured = tuned(*cases, (right, thought(0.9)))
    assert decision.least == 0.0
    assert measured["first_is_right"] == 0.75


def test_text_that_training_has_does_not_tune_the_least() -> None:
    none, right = marked(NOTHING), marked(A)
    decision, measured = tuned(
        *[(none, thought(0.2, seen=True)) for _ in range(9)], (right, thought(0.2))
    )
    assert decision.least == 0.0
    assert measured["cui_less"] == {"tp": 0, "fp": 0, "fn": 9, "f1": 0.0}
    assert measured["cui_less_of_new_text"] == {"tp": 0, "fp": 0, "fn": 0, "f1": None}


@pytest.mark.parametrize("written", ["CUI-less", "cui-less", "CUI-LESS"])
def test_cui_less_is_one_however_it_is_written(written: str) -> None:
    mark = marked(Code("Y", written))
    assert mark.codes == {Code("Y", "CUI-less")}
    assert mark.means(NOTHING)
    _, measured = tuned((mark, thought(0.3, seen=True, nothing=0.95)))
    assert measured["exactly_right"] == 1
    assert measured["cui_less"] == {"tp": 1, "fp": 0, "fn": 0, "f1": 1.0}


@pytest.mark.parametrize("nothing", [0.0, 0.95])
def test_near_matches_and_cui_less_are_both_right_and_count_as_neither(nothing: float) -> None:
    near = marked(A, NOTHING)
    assert near.codes == {A}
    said = thought(0.3, seen=True, nothing=nothing)
    decision, measured = tuned(
        (near, said), *[(marked(NOTHING), thought(0.1, seen=True, nothing=0.9))]
    )
    assert decision.nothing <= 0.9
    assert measured["exactly_right"] == measured["first_is_right"] == 1
    assert measured["cui_less"] == {"tp": 1, "fp": 0, "fn": 0, "f1": 1.0}
    assert not near.means(B)
