"""Around every request: which host was meant, how large it is, what headers the answer has."""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import MutableMapping
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from auscult.server.settings import LOCAL_HOSTS, ServerSettings

logger = logging.getLogger("auscult.server")
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "worker-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
_HEADERS = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), interest-cohort=()",
}


class Guard:
    """An ASGI layer. Logs the route's pattern, never the address: that may name a chart."""

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status, is_answered = time.perf_counter(), 500, False
        limit = _Limit(receive, self._most(scope))

        async def sending(message: Message) -> None:
            nonlocal status, is_answered
            if message["type"] == "http.response.start":
                status, is_answered = message["status"], True
                self._add_headers(scope, message)
            await send(message)

        async def answering(message: Message) -> None:
            # Whatever the application made of a body that was cut off, this is what it was.
            if not limit.is_exceeded:
                await sending(message)
            elif message["type"] == "http.response.start":
                await too_large(self._most(scope))(scope, receive, sending)

        try:
            refusal = self._refusal(scope)
            if refusal is not None:
                await refusal(scope, receive, sending)
            else:
                await self._app(scope, limit.receive, answering)
        except Exception as error:
            # Not passed on: the server beyond would log the message, which may quote a note.
            log_defect(error)
            if not is_answered:
                defect = _problem(500, "defect", "Internal server error. Nothing was changed.")
                await defect(scope, receive, sending)
        finally:
            route = getattr(scope.get("route"), "path", "(none)")
            elapsed = (time.perf_counter() - started) * 1000
            logger.info("%s %s %d %.0f ms", scope["method"], route, status, elapsed)

    def _most(self, scope: Scope) -> int:
        """Bytes a request may have: only forms carry files."""
        kind = _header(scope, b"content-type")
        is_form = kind.startswith(b"multipart/form-data")
        return self._settings.largest_upload if is_form else self._settings.largest_body

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        host = _header(scope, b"host").decode("latin-1")
        name = host.rsplit(":", 1)[0].strip("[]") if not host.endswith("]") else host.strip("[]")
        if self._settings.token is not None and name not in LOCAL_HOSTS:
            # A page that lets its own name point at this machine would read along otherwise.
            return _problem(
                400, "host", "This workbench only accepts requests to 127.0.0.1 and localhost."
            )
        length = _header(scope, b"content-length")
        if length.isdigit() and int(length) > self._most(scope):
            return too_large(self._most(scope))
        return None

    def _add_headers(self, scope: Scope, message: MutableMapping[str, Any]) -> None:
        headers = MutableHeaders(scope=message)
        for name, value in _HEADERS.items():
            headers[name] = value
        if scope["path"].startswith("/api/"):
            headers["cache-control"] = "no-store"
        if self._settings.is_https:
            headers["strict-transport-security"] = "max-age=31536000"


class _Limit:
    """Counts what comes in, and ends it when it is too much, whatever was announced."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive = receive
        self._most = most
        self._read = 0

    @property
    def is_exceeded(self) -> bool:
        return self._read > self._most

    async def receive(self) -> Message:
        message = await self._receive()
        self._read += len(message.get("body", b""))
        return {"type": "http.disconnect"} if self.is_exceeded else message


def log_defect(error: Exception) -> None:
    """Where it happened, without the message: that may quote what was sent."""
    places = traceback.extract_tb(error.__traceback__)
    where = " < ".join(f"{place.name} ({place.lineno})" for place in reversed(places[-6:]))
    logger.error("%s in %s", type(error).__name__, where)


def too_large(most: int) -> JSONResponse:
    """The answer to a body that is too large."""
    return _problem(413, "too_large", f"A request may have at most {most:,} bytes.")


def _problem(status: int, kind: str, message: str) -> JSONResponse:
    return JSONResponse({"kind": kind, "message": message}, status)


def _header(scope: Scope, name: bytes) -> bytes:
    return next((value for key, value in scope["headers"] if key == name), b"")
