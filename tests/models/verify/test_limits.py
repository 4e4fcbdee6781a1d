"""Budgets of tokens and money, and answers that are kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.models.verify.asking import CHF, NOTES, TEXT, ask, mention, verifier
from tests.models.verify.server import ChatServer, Reply, says, serving

from auscult import Note, Verifier, verify
from auscult.core import OptionError, Status
from auscult.models.verify import VerifiedResult

USAGE = {"prompt_tokens": 900, "completion_tokens": 100}


def five(folder: Path, **settings: Any) -> tuple[VerifiedResult, ChatServer]:
    """Five candidates, each of which takes 1,000 tokens."""
    notes = [Note(f"n{at}", f"c{at}", text=f"CHF {at}") for at in range(5)]
    reply = Reply(says("accept", "CHF"), usage=USAGE)
    with verifier(folder, lambda *_: reply, **settings) as (one, server):
        return verify([mention("I50.9", "CHF", note) for note in notes], notes, one), server


def test_a_budget_of_tokens_stops_cleanly(tmp_path: Path) -> None:
    result, server = five(tmp_path, max_tokens_total=4_000)
    assert 1 <= len(server.asked) <= 4
    assert result.tokens_in + result.tokens_out <= 4_000
    assert result.accepted == len(server.asked)
    assert dict(result.unverified) == {"budget": 5 - len(server.asked)}
    assert len(result.annotations) == 5
    none, silent = five(tmp_path / "none", max_tokens_total=0)
    assert (none.accepted, silent.asked) == (0, [])


def test_a_budget_of_money_stops_cleanly(tmp_path: Path) -> None:
    result, server = five(tmp_path, max_cost=0.005, price_in=1.0, price_out=2.0)
    assert 1 <= len(server.asked) < 5
    assert result.cost == pytest.approx(len(server.asked) * (900 + 2 * 100) / 1e6)
    assert result.cost is not None
    assert result.cost <= 0.005
    assert result.unverified_total == 5 - len(server.asked)


def test_the_next_run_goes_on_where_the_budget_ended(tmp_path: Path) -> None:
    with serving(lambda *_: Reply(says("accept", "CHF"), usage=USAGE)) as server:
        notes = [Note(f"n{at}", f"c{at}", text=f"CHF {at}") for at in range(5)]
        given = [mention("I50.9", "CHF", note) for note in notes]
        one = Verifier(server.url, "llm", max_tokens_total=4_000, cache=tmp_path)
        runs = [verify(given, notes, one) for _ in range(3)]
    assert len(server.asked) == 5
    assert runs[-1].accepted == 5
    assert runs[-1].cached == 5 - runs[-1].requests


@pytest.mark.parametrize("usage", [None, {"prompt_tokens": -5, "completion_tokens": 1}, "many"])
def test_tokens_are_estimated_if_the_server_does_not_count(tmp_path: Path, usage: object) -> None:
    result, server = ask(tmp_path, lambda *_: Reply(says("accept", "CHF"), usage=usage))
    length = sum(len(one["content"]) for one in server.asked[0]["messages"])
    assert result.tokens_in == pytest.approx(length / 4, abs=1)
    assert result.tokens_out > 0
    assert "(estimated)" in str(result)


def test_a_cost_needs_prices() -> None:
    with pytest.raises(OptionError, match="price"):
        Verifier("http://localhost", "llm", max_cost=1.0)


def test_answers_are_kept_without_text(tmp_path: Path) -> None:
    (tmp_path / "answers").mkdir(mode=0o755)
    quote = "acute on chronic systolic heart failure"
    with verifier(tmp_path, lambda *_: Reply(says("other", quote, "I50.23"))) as (one, server):
        first = verify([CHF], NOTES, one)
        second = verify([CHF], NOTES, one)
        assert len(server.asked) == 1
        assert second.annotations == first.annotations
        assert (second.requests, second.cached, second.tokens_in) == (0, 1, 0)
        # Another language model is another answer; so is another note.
        verify([CHF], NOTES, Verifier(one.url, "other", cache=one.cache))
        verify([CHF], [Note("n", "c", text=TEXT + " Gout.")], one)
        assert len(server.asked) == 3
    folder = tmp_path / "answers"
    assert folder.stat().st_mode & 0o777 == 0o700
    files = [file for file in folder.rglob("*") if file.is_file()]
    assert len(files) == 3
    for file in files:
        assert file.stat().st_mode & 0o077 == 0
        for word in ("acute", "CHF", "heart", "Mother"):
            assert word not in file.read_text()


def test_the_same_words_at_another_place_have_their_own_offsets(tmp_path: Path) -> None:
    """A kept answer is about a passage, wherever the passage is in a note."""
    passage = "Admitted with systolic heart failure."
    filler = "Stable and well today, no complaints. " * 20
    notes = [Note("a", "a", text=f"{filler}\n\n{passage}\n\n{filler}"),
             Note("b", "b", text=f"{filler * 2}\n\n{passage}\n\n{filler}")]  # fmt: skip
    quote = "systolic heart failure"
    with verifier(tmp_path, lambda *_: Reply(says("other", quote, "I50.20"))) as (one, server):
        result = verify([mention("I50.9", quote, note) for note in notes], notes, one)
    assert len(server.asked) == 1
    for note in notes:
        [new] = [a for a in result.annotations if a.note_id == note.note_id
                 and a.status is Status.GIVEN]  # fmt: skip
        assert new.spans[0].of(note.text or "") == quote


@pytest.mark.parametrize(
    "damage",
    [
        "",
        "{",
        "[]",
        '{"verdict": "accept"}',
        '{"unverified": "budget"}',
        '{"verdict": "other", "other": "Z99.9", "passage": 0, "begin": 0, "end": 3}',
        '{"verdict": "accept", "other": null, "passage": 0, "begin": 0, "end": 99999}',
        '{"verdict": "accept", "other": null, "passage": 7, "begin": 0, "end": 3}',
    ],
)
def test_a_damaged_answer_is_asked_for_again(tmp_path: Path, damage: str) -> None:
    with verifier(tmp_path, lambda *_: Reply(says("accept", "CHF"))) as (one, server):
        verify([CHF], NOTES, one)
        [file] = (tmp_path / "answers").rglob("*.json")
        file.write_text(damage)
        assert verify([CHF], NOTES, one).accepted == 1
        assert len(server.asked) == 2


def test_faults_of_answers_are_kept_and_faults_of_the_server_are_not(tmp_path: Path) -> None:
    with verifier(tmp_path, lambda *_: Reply(says("accept", "fiction"))) as (one, server):
        for _ in range(2):
            assert dict(verify([CHF], NOTES, one).unverified) == {"invented quote": 1}
        assert len(server.asked) == 1
    replies = [Reply(status=400), Reply(status=422), Reply(status=400)]
    replies.append(Reply(says("accept", "CHF")))
    with verifier(tmp_path, lambda _, number: replies[number - 1]) as (one, server):
        with pytest.warns(UserWarning, match="HTTP 400"):
            assert dict(verify([CHF], NOTES, one).unverified) == {"server error": 1}
        assert verify([CHF], NOTES, one).accepted == 1


def test_a_cache_that_cannot_be_written_does_not_stop_the_run(tmp_path: Path) -> None:
    (tmp_path / "answers").write_text("a file in its place")
    with (
        verifier(tmp_path, lambda *_: Reply(says("accept", "CHF"))) as (one, _),
        pytest.warns(UserWarning, match="cannot be kept"),
    ):
        assert verify([CHF], NOTES, one).accepted == 1
