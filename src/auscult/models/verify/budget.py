"""What verification may use, and has used: tokens and money."""

from __future__ import annotations

from dataclasses import dataclass

_CHARACTERS = 4
"""Characters of a token, where a server does not count."""
_MILLION = 1_000_000


def estimated_tokens(characters: int) -> int:
    """About how many tokens a text has.

    >>> estimated_tokens(10)
    3
    """
    return -(-characters // _CHARACTERS)


@dataclass(slots=True)
class VerifierBudget:
    """Tokens and their cost, with limits; prices are for a million tokens."""

    max_tokens: int | None = None
    max_cost: float | None = None
    price_in: float | None = None
    price_out: float | None = None
    tokens_in: int = 0
    tokens_out: int = 0
    estimated: int = 0
    """Requests whose tokens the server did not count."""

    def has_room(self, tokens_in: int, tokens_out: int) -> bool:
        """Whether a request of that size stays within the limits."""
        tokens = self.tokens_in + tokens_in + self.tokens_out + tokens_out
        if self.max_tokens is not None and tokens > self.max_tokens:
            return False
        cost = self._cost(self.tokens_in + tokens_in, self.tokens_out + tokens_out)
        return self.max_cost is None or cost <= self.max_cost

    def spend(self, tokens_in: int, tokens_out: int, *, estimated: bool) -> None:
        """Count a request."""
        self.tokens_in += tokens_in
        self.tokens_out += tokens_out
        self.estimated += estimated

    @property
    def cost(self) -> float | None:
        """In the currency of the prices; None without any."""
        if self.price_in is None and self.price_out is None:
            return None
        return self._cost(self.tokens_in, self.tokens_out)

    def _cost(self, tokens_in: int, tokens_out: int) -> float:
        paid = tokens_in * (self.price_in or 0.0) + tokens_out * (self.price_out or 0.0)
        return paid / _MILLION
