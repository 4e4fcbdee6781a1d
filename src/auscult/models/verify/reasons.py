"""Why a candidate stays unverified."""

from __future__ import annotations

from enum import StrEnum

from auscult.core import AuscultError


class UnverifiedReason(StrEnum):
    """Why there is no verdict on a candidate, which then stays as it was."""

    NO_EVIDENCE = "no evidence"
    """The annotation points at no text, so there is nothing to ask about."""
    NOT_IN_BOOK = "not in the Tabular List"
    BROKEN = "broken answer"
    """Twice no JSON object with a verdict and a quote."""
    INVENTED = "invented quote"
    """The quote is not in the passages that were shown."""
    UNLISTED = "unlisted code"
    """The answer names a code that it could not choose."""
    CONTRADICTORY = "contradictory"
    """It chose another code that it rejected in the same chart."""
    TIMEOUT = "timeout"
    SERVER = "server error"
    BUDGET = "budget"


ANSWERED = frozenset(
    {UnverifiedReason.BROKEN, UnverifiedReason.INVENTED, UnverifiedReason.UNLISTED}
)
"""Faults of an answer, as opposed to those of the way to it. Asking again would not help."""


class UnverifiedError(AuscultError):
    """There is no verdict on a candidate. The message has no text of a note or of an answer.

    `is_final` says that no other question would fare better, such as with a wrong key.
    """

    def __init__(self, reason: UnverifiedReason, problem: str = "", *, is_final: bool = False):
        super().__init__(problem or str(reason))
        self.reason = reason
        self.is_final = is_final
