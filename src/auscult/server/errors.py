"""Errors that the server answers with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auscult.core import AuscultError


class RefusedError(AuscultError):
    """A request that is answered with an error message.

    `kind` is for programs, `details` are further fields of the answer.
    """

    status = 422
    kind = "invalid"

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.details: Mapping[str, Any] = details


class UnknownPersonError(RefusedError):
    """Nobody is logged in, or not any more."""

    status = 401
    kind = "login"


class ForbiddenError(RefusedError):
    """The person may not do that."""

    status = 403
    kind = "forbidden"


class NotFoundError(RefusedError):
    """Not found, or not visible to the person: the answer does not say which."""

    status = 404
    kind = "not_found"


class ConflictError(RefusedError):
    """Something has changed since; `details` say what is there now."""

    status = 409
    kind = "conflict"


class TooLargeError(RefusedError):
    """More bytes than are taken."""

    status = 413
    kind = "too_large"


class TooManyError(RefusedError):
    """Too many attempts; `details` say after how many seconds to come back."""

    status = 429
    kind = "too_many"
