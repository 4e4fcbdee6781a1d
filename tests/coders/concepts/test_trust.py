"""Whether a term is likely to be marked: worked by hand."""

from __future__ import annotations

import pytest

from auscult.coders.concepts.occurrences import How, Occurrence
from auscult.coders.concepts.trust import Trust
from auscult.core import Code, Span

DISEASE, PROCESS = Code("X", "D1"), Code("X", "P1")


def place(text: str, at: int, code: Code, how: How = How.NAME) -> Occurrence:
    return Occurrence(Span(at, at + len(text)), how, text, {code: 0.0}, None)


def type_of(code: Code) -> str:
    return code.value[0]


def learnt() -> Trust:
    # Two diseases, marked wherever they stand; a process that comes eight times, marked never.
    diseases = [place("asthma", 0, DISEASE), place("rubella", 10, DISEASE)]
    processes = [place("growth", 100 + 10 * at, PROCESS) for at in range(8)]
    gold = {one.span for one in diseases}
    trust, _, _ = Trust.learn([diseases + processes], [gold], nested=False, type_of=type_of)
    return trust


def test_a_string_never_met_is_trusted_as_those_of_its_type_are() -> None:
    trust = learnt()
    # Diseases: 2 of 2 strings marked, and 4 more that count half: (2 + 2) / (2 + 4).
    assert trust.of(place("measles", 0, DISEASE)) == pytest.approx(4 / 6)
    # Processes: one string, however often it comes: (0 + 2) / (1 + 4).
    assert trust.of(place("ageing", 0, PROCESS)) == pytest.approx(2 / 5)


def test_the_record_of_a_string_outweighs_that_of_its_kind() -> None:
    trust = learnt()
    assert trust.of(place("growth", 0, PROCESS)) == pytest.approx((0 + 2 / 5) / (8 + 1))
    assert trust.of(place("asthma", 0, DISEASE)) == pytest.approx((1 + 4 / 6) / (1 + 1))


def test_an_occurrence_can_be_judged_without_itself() -> None:
    trust = learnt()
    assert trust.of(place("asthma", 0, DISEASE), without=1) == pytest.approx(4 / 6)


def test_it_comes_back_as_it_was() -> None:
    trust = learnt()
    again = Trust.from_dict(trust.to_dict(), type_of)
    assert again == trust
    assert again.of(place("measles", 0, DISEASE)) == trust.of(place("measles", 0, DISEASE))
