"""Adjudicating the synthetic hospital's coders by what is true gives what is true."""

from __future__ import annotations

from pathlib import Path

import pytest

from auscult.agreement import AgreementUnit, DisagreementCause, Statement
from auscult.agreement.adjudication import (
    Decision,
    Queue,
    QueueItem,
    State,
    gold,
    make_queue,
    resolve,
)
from auscult.agreement.adjudication.status import status
from auscult.core import Annotation, Code
from auscult.corpus import formats
from auscult.synth import hospital

CODERS = ["coder_a", "coder_b"]


@pytest.fixture(scope="module")
def coders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("review") / "hospital"
    hospital.make_hospital(folder, patients=30, seed=1)
    return folder / "coders"


@pytest.fixture(scope="module")
def truth(coders: Path) -> dict[str, set[Statement]]:
    true: dict[str, set[Statement]] = {}
    for a in formats.read("jsonl", coders / "truth.jsonl").iter_annotations():
        true.setdefault(a.chart_id, set()).add(Statement(a.code, a.note_id, a.spans))
    return true


@pytest.fixture(scope="module")
def queue(coders: Path) -> Queue:
    return make_queue(formats.read("jsonl", coders / "annotations.jsonl"), CODERS)


def choose(item: QueueItem, truth: dict[str, set[Statement]]) -> str:
    """What somebody who knows the truth would decide."""
    true = {statement.code for statement in truth[item.chart_id]}
    right = [
        letter
        for letter, at in (("A", 0), ("B", 1))
        if item.side(at) and {s.code for s in item.side(at) or ()} <= true
    ]
    if item.cause in (DisagreementCause.ELSEWHERE, DisagreementCause.BOUNDARY):
        return "both"
    return f"accept-{right[0]}" if right else "neither"


def by_chart(annotations: list[Annotation]) -> dict[str, set[Code]]:
    found: dict[str, set[Code]] = {}
    for a in annotations:
        found.setdefault(a.chart_id, set()).add(a.code)
    return found


def test_gold_has_the_true_codes_that_anybody_saw(
    queue: Queue, truth: dict[str, set[Statement]], coders: Path
) -> None:
    made = [Decision(i.item_id, choose(i, truth), "judge", "2024-03-01") for i in queue.items]
    assert {one.state for one in resolve(queue, made)} == {State.SETTLED}
    seen = by_chart(
        [
            a
            for a in formats.read("jsonl", coders / "annotations.jsonl").iter_annotations()
            if a.annotator in CODERS
        ]
    )
    found = by_chart(gold(queue, made))
    for chart_id, said in seen.items():
        true = {statement.code for statement in truth[chart_id]}
        assert found.get(chart_id, set()) == said & true


def test_agreement_before_and_after_review(queue: Queue, truth: dict[str, set[Statement]]) -> None:
    """Both coders review all items but every twentieth: as in MDACE, near 1 and not quite."""
    made = [
        Decision(item.item_id, choose(item, truth), who, "2024-03-01")
        for at, item in enumerate(queue.items)
        if at % 20
        for who in CODERS
    ]
    found = status(queue, made, unit=AgreementUnit.SPAN, times=0)
    left = found.states[State.OPEN]
    assert left == -(-len(queue.items) // 20)
    before, after = found.agreement["before"], found.agreement["after round 1"]
    for name in ("alpha_nominal", "fleiss_kappa", "hooper_pooled"):
        low, high = before[name].value, after[name].value
        assert low is not None
        assert high is not None
        assert low < 0.6
        assert 0.9 < high < 1
