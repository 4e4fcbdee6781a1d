"""Asking a server with OpenAI's chat completions, within bounds of time, size and patience.

Errors carry the status of a reply and never its body, which may repeat the note. Proxies of the
environment are not used, redirects are not followed: a question goes where it was meant to, or
nowhere.
"""

from __future__ import annotations

import http.client
import json
import os
import socket
import ssl
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from auscult.core import OptionError
from auscult.models.verify.addresses import Endpoint
from auscult.models.verify.budget import estimated_tokens
from auscult.models.verify.reasons import UnverifiedError, UnverifiedReason

KEY = "AUSCULT_VERIFY_KEY"
"""The environment variable with the API key."""
_LONGEST = 1_000_000
"""Bytes of a reply."""
_ATTEMPTS = 5
_FIRST_WAIT = 0.5
_BUSY = frozenset({408, 425, 429, *range(500, 600)})
_REFUSED = frozenset({400, 422})
_FINAL = {
    401: f"Check the API key in {KEY}.",
    403: f"Check the API key in {KEY}, and whether it may use the model.",
    404: "Check the address and the name of the model.",
    405: "Check the address.",
}


@dataclass(frozen=True, slots=True)
class Completion:
    """What a language model wrote, and the tokens that it took."""

    content: str = field(repr=False)
    tokens_in: int
    tokens_out: int
    estimated: bool


@dataclass(slots=True)
class VerifierClient:
    """Sends chats to one language model of one server."""

    endpoint: Endpoint
    model: str
    timeout: float
    """Seconds for one request, from connecting to the last byte."""
    retry_seconds: float
    """Seconds that may be waited for a server that is busy, for one question."""
    max_answer_tokens: int
    requests: int = 0
    _form: int = 0
    """Which of the forms of a request the server takes."""

    def complete(self, messages: Sequence[Mapping[str, str]]) -> Completion:
        """What the model answers, or an `UnverifiedError`."""
        forms = self._forms()
        refused = 400
        for number in range(self._form, len(forms)):
            body = {"model": self.model, "messages": list(messages), "stream": False}
            status, reply = self._patiently(json.dumps({**body, **forms[number]}).encode())
            if status not in _REFUSED:
                self._form = number
                return self._read(reply, messages)
            refused = status
        raise UnverifiedError(UnverifiedReason.SERVER, self._says(f"HTTP {refused}"))

    def _forms(self) -> tuple[dict[str, Any], ...]:
        """Requests as servers understand them: not all can be told to write JSON, and some newer
        models have another name for the limit and a temperature that is fixed.
        """
        limit = {"max_tokens": self.max_answer_tokens, "temperature": 0}
        return (
            {**limit, "response_format": {"type": "json_object"}},
            limit,
            {"max_completion_tokens": self.max_answer_tokens},
        )

    def _patiently(self, body: bytes) -> tuple[int, bytes]:
        """The reply of a server that may be busy for a while."""
        waited, wait = 0.0, _FIRST_WAIT
        for attempt in range(1, _ATTEMPTS + 1):
            asked_to_wait = 0.0
            try:
                status, after, reply = self._exchange(body)
            except (OSError, http.client.HTTPException) as error:
                problem = self._says(None, type(error).__name__)
            else:
                if status not in _BUSY:
                    return self._checked(status), reply
                problem = self._says(f"HTTP {status}")
                asked_to_wait = after
            pause = max(wait, asked_to_wait)
            if attempt == _ATTEMPTS or waited + pause > self.retry_seconds:
                break
            time.sleep(pause)
            waited, wait = waited + pause, wait * 2
        raise UnverifiedError(UnverifiedReason.SERVER, problem)

    def _checked(self, status: int) -> int:
        if status == 200 or status in _REFUSED:
            return status
        if 300 <= status < 400:
            problem = self._says(f"HTTP {status}", "a redirect, which is not followed")
            raise UnverifiedError(UnverifiedReason.SERVER, problem, is_final=True)
        problem = f"{self._says(f'HTTP {status}')} {_FINAL.get(status, '')}".strip()
        raise UnverifiedError(UnverifiedReason.SERVER, problem, is_final=status in _FINAL)

    def _exchange(self, body: bytes) -> tuple[int, float, bytes]:
        """Status, seconds to wait, and body of one reply."""
        self.requests += 1
        headers = {"Content-Type": "application/json", "Accept": "application/json", **_key()}
        ended = threading.Event()
        deadline = time.monotonic() + self.timeout
        connection = self._connection()
        connection.auto_open = 0  # a second connection would look the name up
        sock = connection.sock
        assert sock is not None  # it was just opened

        def end() -> None:
            # A socket's own timeout begins anew with every byte; this one does not.
            ended.set()
            with suppress(OSError):
                socket.socket.shutdown(sock, socket.SHUT_RDWR)

        timer = threading.Timer(max(deadline - time.monotonic(), 0), end)
        timer.daemon = True
        timer.start()
        try:
            if isinstance(sock, ssl.SSLSocket):
                sock.do_handshake()
            path = f"{self.endpoint.path}/chat/completions"
            connection.request("POST", path, body, headers)
            reply = connection.getresponse()
            after = _seconds(reply.getheader("Retry-After"))
            held = reply.read(_LONGEST + 1) if reply.status == 200 else b""
        except (OSError, http.client.HTTPException) as error:
            if ended.is_set() or isinstance(error, TimeoutError):
                raise self._timed_out() from None
            raise
        finally:
            timer.cancel()
            connection.close()
        if ended.is_set():
            raise self._timed_out()
        if len(held) > _LONGEST:
            problem = self._says(f"more than {_LONGEST:,} bytes")
            raise UnverifiedError(UnverifiedReason.SERVER, problem)
        return reply.status, after, held

    def _connection(self) -> http.client.HTTPConnection:
        """A connection to an address that was checked; the name is not looked up again."""
        where = self.endpoint
        raw = self._socket()
        if where.scheme == "http":
            plain = http.client.HTTPConnection(where.host, where.port, timeout=self.timeout)
            plain.sock = raw
            return plain
        context = ssl.create_default_context()
        secure = http.client.HTTPSConnection(where.host, where.port, timeout=self.timeout)
        secure.sock = context.wrap_socket(
            raw, server_hostname=where.host, do_handshake_on_connect=False
        )
        return secure

    def _socket(self) -> socket.socket:
        deadline = time.monotonic() + self.timeout
        problem: OSError = ConnectionError()
        for address in self.endpoint.addresses:
            left = deadline - time.monotonic()
            if left <= 0:
                break
            try:
                return socket.create_connection((address, self.endpoint.port), left)
            except TimeoutError:
                raise self._timed_out() from None
            except OSError as error:
                problem = error
        raise problem

    def _read(self, reply: bytes, messages: Sequence[Mapping[str, str]]) -> Completion:
        """What the reply holds. One that is broken has no content, and its size is estimated."""
        content = ""
        try:
            found = json.loads(reply)
            said = found["choices"][0]["message"]["content"]
            content = said if isinstance(said, str) else ""
            asked, written = found["usage"]["prompt_tokens"], found["usage"]["completion_tokens"]
            return Completion(content, _count(asked), _count(written), estimated=False)
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            size = estimated_tokens(sum(len(one["content"]) for one in messages))
            return Completion(content, size, estimated_tokens(len(content)), estimated=True)

    def _timed_out(self) -> UnverifiedError:
        problem = f"{self._host} did not answer within {self.timeout:g} seconds."
        return UnverifiedError(UnverifiedReason.TIMEOUT, problem)

    @property
    def _host(self) -> str:
        return f"The verifier at {self.endpoint.host}:{self.endpoint.port}"

    def _says(self, answer: str | None, why: str = "") -> str:
        if answer is None:
            return f"{self._host} cannot be reached ({why}). Check that it is running."
        return f"{self._host} answered with {answer}{f', {why}' if why else ''}."


def _key() -> dict[str, str]:
    """The header with the API key, if there is one."""
    key = os.environ.get(KEY, "").strip()
    if not key:
        return {}
    if not key.isascii() or not key.isprintable() or " " in key:
        raise OptionError(
            f"{KEY} contains characters that no API key has. Set it again; it is not shown here."
        )
    return {"Authorization": f"Bearer {key}"}


def _seconds(after: str | None) -> float:
    """The seconds of a Retry-After header; a date, which it may be, counts as none."""
    return float(after) if after is not None and after.strip().isdecimal() else 0.0


def _count(tokens: object) -> int:
    if isinstance(tokens, bool) or not isinstance(tokens, int) or not 0 <= tokens < 10**9:
        raise ValueError
    return tokens
