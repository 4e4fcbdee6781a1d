"""A chat server on loopback that behaves as a test tells it to."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = dict[str, Any]


@dataclass(frozen=True)
class Reply:
    """What goes back: text as the model's words, or a body as it is."""

    text: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    usage: object = None

    def to_bytes(self) -> bytes:
        if self.body is not None:
            return self.body
        held: Body = {"choices": [{"message": {"role": "assistant", "content": self.text}}]}
        if self.usage is not None:
            held["usage"] = self.usage
        return json.dumps(held).encode()


@dataclass
class ChatServer:
    """The server's address, and what came in."""

    url: str
    asked: list[Body] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    @property
    def user(self) -> list[str]:
        """The data of every question."""
        return [body["messages"][1]["content"] for body in self.asked]


@contextmanager
def serving(
    reply: Callable[[Body, int], Reply], secure: ssl.SSLContext | None = None
) -> Iterator[ChatServer]:
    """A server that answers each request by what `reply` makes of it and of its number."""
    seen = ChatServer("")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.asked.append(body)
            seen.headers.append(dict(self.headers))
            seen.paths.append(self.path)
            made = reply(body, len(seen.asked))
            data = made.to_bytes()
            try:
                self.send_response(made.status)
                for name, value in {"Content-Length": str(len(data)), **made.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)
            except OSError:
                pass  # whoever asked has hung up

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if secure is not None:
        server.socket = secure.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    seen.url = f"http{'s' if secure else ''}://127.0.0.1:{server.server_address[1]}"
    try:
        yield seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def says(verdict: str, quote: str, other: str = "") -> str:
    """An answer as the language model should write it."""
    return json.dumps({"verdict": verdict, "other": other, "quote": quote})


def proposed(body: Body) -> str:
    """The code that a question is about."""
    return str(body["messages"][1]["content"].split("Proposed code: ")[1].split()[0])
