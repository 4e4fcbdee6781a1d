"""Servers that are slow, busy, broken, elsewhere, or not there."""

from __future__ import annotations

import json
import logging
import socket
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.models.verify.asking import ASTHMA, CHF, KEY, NOTES, ask, mention, verifier
from tests.models.verify.server import Body, Reply, says, serving

from auscult import Note, Verifier, verify
from auscult.core import OptionError


@pytest.mark.parametrize(
    "text",
    [
        "```json\n{}\n```",
        "Here is my answer: {} I hope this helps {{",
        "<think>Is it {{}} or {{\"verdict\": \"reject\", \"quote\": \"CHF\"}}?</think>\n{}",
    ],
)  # fmt: skip
def test_answers_in_a_wrapping_are_read(tmp_path: Path, text: str) -> None:
    answer = says("Accept", "CHF")
    result, server = ask(tmp_path, lambda *_: Reply(text.replace("{{", "{").replace("}}", "}")
                                                    .replace("{}", answer, 2)))  # fmt: skip
    assert result.accepted == 1
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    "reply",
    [
        Reply('{"verdict": "accept", "quote": "CH'),
        Reply("I accept the code."),
        Reply('{"verdict": "maybe", "quote": "CHF"}'),
        Reply('{"verdict": "accept"}'),
        Reply('{"verdict": ["accept"], "quote": {"a": 1}}'),
        Reply('{"a":' * 5_000),
        Reply("[" * 100_000),
        Reply(body=b"<html>busy</html>"),
        Reply(body=b'{"choices": []}'),
        Reply(body=b'{"choices": [{"message": {"content": null}}]}'),
        Reply(body=b"[" * 100_000),
        Reply(body=b"\xff\xfe"),
    ],
)
def test_a_broken_answer_is_asked_for_once_more(tmp_path: Path, reply: Reply) -> None:
    result, server = ask(tmp_path, lambda *_: reply)
    assert result.annotations == [CHF]
    assert dict(result.unverified) == {"broken answer": 1}
    assert len(server.asked) == 2
    assert server.user[1] != server.user[0]


def test_the_second_answer_counts(tmp_path: Path) -> None:
    answers = ["{", says("reject", "CHF")]
    result, _ = ask(tmp_path, lambda _, number: Reply(answers[number - 1]))
    assert result.rejected == 1


def test_a_slow_server_is_not_waited_for(tmp_path: Path) -> None:
    def reply(*_: object) -> Reply:
        time.sleep(1.5)
        return Reply(says("reject", "CHF"))

    began = time.monotonic()
    result, server = ask(tmp_path, reply, timeout=0.3)
    assert time.monotonic() - began < 1.4
    assert result.annotations == [CHF]
    assert dict(result.unverified) == {"timeout": 1}
    assert len(server.asked) == 1
    assert result.problem is not None
    assert "0.3 seconds" in result.problem
    assert result.tokens_in > 0  # it may have been charged
    assert result.estimated == 1


@contextmanager
def sending(what: bytes, every: float) -> Iterator[str]:
    """The address of a server that begins a reply and then sends the same for ever."""
    stop = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def send() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                while not stop.wait(every):
                    try:
                        connection.sendall(what)
                    except OSError:
                        return

        thread = threading.Thread(target=send, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        stop.set()
        thread.join()


def test_a_server_that_sends_one_byte_at_a_time_is_not_waited_for(tmp_path: Path) -> None:
    began = time.monotonic()
    with (
        sending(b" ", every=0.05) as url,
        pytest.warns(UserWarning, match="did not answer"),
    ):
        result = verify([CHF], NOTES, Verifier(url, "llm", timeout=0.5, cache=tmp_path))
    assert time.monotonic() - began < 3
    assert dict(result.unverified) == {"timeout": 1}


def test_a_reply_without_end_is_not_read(tmp_path: Path) -> None:
    with sending(b" " * 100_000, every=0.0) as url, pytest.warns(UserWarning, match="bytes"):
        result = verify([CHF], NOTES, Verifier(url, "llm", timeout=20, cache=tmp_path))
    assert dict(result.unverified) == {"server error": 1}


def test_a_busy_server_is_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr("auscult.models.verify.client.time.sleep", waits.append)

    def reply(_: Body, number: int) -> Reply:
        if number == 1:
            return Reply(status=429, headers={"Retry-After": "3"})
        return Reply(status=503) if number == 2 else Reply(says("accept", "CHF"))

    result, server = ask(tmp_path, reply, retry_seconds=30.0)
    assert result.accepted == 1
    assert len(server.asked) == result.requests == 3
    assert waits == [3.0, 1.0]
    assert result.problem is None


def test_a_server_that_asks_for_too_much_patience_is_left(tmp_path: Path) -> None:
    busy = Reply(status=429, headers={"Retry-After": "86400"})
    result, server = ask(tmp_path, lambda *_: busy, retry_seconds=30.0)
    assert dict(result.unverified) == {"server error": 1}
    assert len(server.asked) == 1


def test_a_server_that_always_fails_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("auscult.models.verify.client.time.sleep", lambda _: None)
    notes = [Note(f"n{at}", f"c{at}", text=f"CHF {at}") for at in range(20)]
    with verifier(tmp_path, lambda *_: Reply(status=500), retry_seconds=60.0) as (one, server):
        given = [mention("I50.9", "CHF", note) for note in notes]
        with pytest.warns(UserWarning, match="HTTP 500"):
            result = verify(given, notes, one)
    assert result.annotations == given
    assert dict(result.unverified) == {"server error": 20}
    assert len(server.asked) == 15  # three questions, five times each


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(tmp_path: Path, status: int) -> None:
    with serving(lambda *_: Reply(says("reject", "CHF"))) as elsewhere:
        away = Reply(status=status, headers={"Location": f"{elsewhere.url}/v1/chat/completions"})
        result, server = ask(tmp_path, lambda *_: away, CHF, ASTHMA)
    assert elsewhere.asked == []
    assert len(server.asked) == 1  # there is no use in the second question
    assert dict(result.unverified) == {"server error": 2}
    assert "redirect" in (result.problem or "")


def test_a_huge_reply_is_not_read(tmp_path: Path) -> None:
    huge = Reply(says("reject", "CHF") + " " * 5_000_000)
    result, _ = ask(tmp_path, lambda *_: huge)
    assert result.annotations == [CHF]
    assert dict(result.unverified) == {"server error": 1}


def test_a_server_that_knows_fewer_settings_is_asked_with_fewer(tmp_path: Path) -> None:
    def reply(body: Body, _: int) -> Reply:
        known = {"model", "messages", "stream", "max_completion_tokens"}
        return Reply(says("accept", "CHF")) if set(body) <= known else Reply(status=400)

    result, server = ask(tmp_path, reply, CHF, mention("I50.23", "CHF"))
    assert result.accepted == 2
    assert len(server.asked) == 4  # the form that was understood is kept


def test_a_wrong_key_says_so_and_is_never_shown(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv(KEY, "sk-secret")
    caplog.set_level(logging.DEBUG)

    def reply(body: Body, _: int) -> Reply:
        # Servers repeat in errors what they were sent.
        return Reply(status=401, body=json.dumps(["sk-secret", body]).encode())

    with verifier(tmp_path, reply) as (one, server), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        result = verify([CHF, ASTHMA], NOTES, one)
    assert server.headers[0]["Authorization"] == "Bearer sk-secret"
    assert len(server.asked) == 1
    [warning] = told
    assert "AUSCULT_VERIFY_KEY" in str(warning.message)
    out, err = capfd.readouterr()
    shown = [str(warning.message), caplog.text, out, err, repr(one), repr(result), str(result)]
    shown += [json.dumps(result.to_dict()), result._repr_html_()]
    for text in shown:
        assert "secret" not in text
        assert "CHF" not in text


def test_a_key_that_cannot_be_sent_is_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, "sk-\nsecret")
    with pytest.raises(OptionError, match=KEY) as error:
        ask(tmp_path, lambda *_: Reply(says("accept", "CHF")))
    assert "secret" not in str(error.value)


def test_no_server_at_all(tmp_path: Path) -> None:
    with serving(lambda *_: Reply()) as server:
        url = server.url
    one = Verifier(url, "llm", retry_seconds=0, cache=tmp_path)
    with pytest.warns(UserWarning, match="cannot be reached"):
        assert dict(verify([CHF], NOTES, one).unverified) == {"server error": 1}
