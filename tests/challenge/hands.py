"""A clock that a test sets."""

from __future__ import annotations

from auscult.challenge.calendar import read_moment
from auscult.core.clock import Clock


class Hands:
    """A clock that stands where it was put."""

    def __init__(self, at: str) -> None:
        self.at = read_moment(at)
        self.clock = Clock(lambda: self.at)

    def put(self, at: str) -> None:
        self.at = read_moment(at)
