"""Whether a term is likely to be marked: worked by hand."""

from __future__ import annotations

import pytest

from auscult.core import Code, Span
from auscult.models.entities.term_occurrences import MatchKind, TermOccurrence
from auscult.models.entities.term_reliability import TermReliability

DISEASE, PROCESS = Code("X", "D1"), Code("X", "P1")


def place(text: str, at: int, code: Code, how: MatchKind = MatchKind.NAME) -> TermOccurrence:
    return TermOccurrence(Span(at, at + len(text)), how, text, {code: 0.0}, None)


def type_of(code: Code) -> str:
    return code.value[0]


def learned() -> TermReliability:
    # Two diseases, marked wherever they stand; a process that comes eight times, marked never.
    diseases = [place("asthma", 0, DISEASE), place("rubella", 10, DISEASE)]
    processes = [place("growth", 100 + 10 * at, PROCESS) for at in range(8)]
    gold = {one.span for one in diseases}
    reliability, _, _ = TermReliability.fit(
        [diseases + processes], [gold], nested=False, type_of=type_of
    )
    return reliability


def test_a_string_never_met_is_reliabilityed_as_those_of_its_type_are() -> None:
    reliability = learned()
    # Diseases: 2 of 2 strings marked, and 4 more that count half: (2 + 2) / (2 + 4).
    assert reliability.of(place("measles", 0, DISEASE)) == pytest.approx(4 / 6)
    # Processes: one string, however often it comes: (0 + 2) / (1 + 4).
    assert reliability.of(place("aging", 0, PROCESS)) == pytest.approx(2 / 5)


def test_the_record_of_a_string_outweighs_that_of_its_kind() -> None:
    reliability = learned()
    assert reliability.of(place("growth", 0, PROCESS)) == pytest.approx((0 + 2 / 5) / (8 + 1))
    assert reliability.of(place("asthma", 0, DISEASE)) == pytest.approx((1 + 4 / 6) / (1 + 1))


def test_an_occurrence_can_be_judged_without_itself() -> None:
    reliability = learned()
    assert reliability.of(place("asthma", 0, DISEASE), without=1) == pytest.approx(4 / 6)


def test_it_comes_back_as_it_was() -> None:
    reliability = learned()
    again = TermReliability.from_dict(reliability.to_dict(), type_of)
    assert again == reliability
    assert again.of(place("measles", 0, DISEASE)) == reliability.of(place("measles", 0, DISEASE))
