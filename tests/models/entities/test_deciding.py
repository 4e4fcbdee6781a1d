"""From probabilities to concepts, worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.core import Code, Span
from auscult.models.entities.gold_mentions import GoldMention, marks_on
from auscult.models.entities.linker.candidates import LinkCandidates
from auscult.models.entities.linker.decision import LinkDecision, LinkProbabilities, tune

A, B, NOTHING = Code("X", "A"), Code("X", "B"), Code("X", "CUI-less")
ROWS = np.zeros((0, 0), np.float32)


def thought(likely: float, *, seen: bool = False, nothing: float = 0.0) -> LinkProbabilities:
    return LinkProbabilities((NOTHING, nothing), (A, likely), (), seen)


def marked(*codes: Code, text: str = "it") -> GoldMention:
    (mark,) = marks_on(text, {(Span(0, len(text)),): codes})
    return mark


def tuned(*cases: tuple[GoldMention, LinkProbabilities]) -> tuple[LinkDecision, dict[str, object]]:
    lists = [LinkCandidates((NOTHING, A), ROWS, mark, said.seen) for mark, said in cases]
    found = tune(lists, [said for _, said in cases], several=True)
    return found.decision, dict(found.measured)


def test_only_new_text_needs_a_likely_concept() -> None:
    decision = LinkDecision(least=0.3)
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


def ranked(**likely: float) -> LinkProbabilities:
    """An opinion of concepts by their probabilities, the likeliest first."""
    concepts = tuple((Code("X", value), share) for value, share in likely.items())
    return LinkProbabilities((NOTHING, 0.0), concepts[0], (), True, concepts)


def test_concepts_are_given_until_their_probabilities_come_to_enough() -> None:
    said = ranked(A=0.5, B=0.3, C=0.15, D=0.05)
    assert [c.value for c, _ in said.decide(LinkDecision())] == ["A"]
    assert [c.value for c, _ in said.decide(LinkDecision(until=0.49))] == ["A"]
    assert [c.value for c, _ in said.decide(LinkDecision(until=0.5))] == ["A", "B"]
    assert said.decide(LinkDecision(until=0.8)) == list(said.ranked[:3])


def test_never_more_than_five_concepts_and_none_twice() -> None:
    said = ranked(**dict.fromkeys("ABCDEFGH", 0.1))
    given = [code.value for code, _ in said.decide(LinkDecision(until=0.99))]
    assert given == list("ABCDE")


def test_what_comes_near_follows_cui_less() -> None:
    said = LinkProbabilities((NOTHING, 0.9), (A, 0.06), (), True, ((A, 0.06), (B, 0.04)))
    decision = LinkDecision(nothing=0.5, until=0.9)
    assert said.decide(decision) == [(NOTHING, 0.9), (A, 0.06)]


def test_as_many_concepts_as_it_takes_to_cover_a_part_of_the_marks() -> None:
    # Right at once, after 0.6, after 0.5 + 0.25, and never.
    cases = [
        (marked(A), ranked(A=0.9, B=0.1)),
        (marked(B), ranked(A=0.6, B=0.4)),
        (marked(Code("X", "C")), ranked(A=0.5, B=0.25, C=0.25)),
        (marked(Code("X", "Z")), ranked(A=0.95, B=0.05)),
    ]
    lists = [LinkCandidates((NOTHING, A), ROWS, mark, True) for mark, _ in cases]
    opinions = [said for _, said in cases]
    untils = {
        cover: tune(lists, opinions, several=False, cover=cover) for cover in (0.25, 0.5, 0.75)
    }
    assert [tuned.decision.until for tuned in untils.values()] == [-1.0, 0.6, 0.75]
    assert untils[0.5].measured["covering"] == {"covered": 0.5, "concepts_a_mark": 6 / 4}
    # The first concept, and what is said of it, is the same however many follow.
    assert untils[0.75].measured["first_is_right"] == untils[0.25].measured["first_is_right"]
    everything = tune(lists, opinions, several=False, cover=0.99)
    assert everything.measured["covering"] == {"covered": 0.75, "concepts_a_mark": 9 / 4}
