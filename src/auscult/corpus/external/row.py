"""One concept found by another system, as in its output."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ExternalRow:
    """A concept on ranges of a note, in whatever the system counts, and what it quotes there.

    `quote` is None when the output has none; then the numbers have to be believed. It is the text
    of `ranges`, unless `quoted` says of which.
    """

    note_id: str
    code: str
    ranges: tuple[Range, ...]
    quote: str | None = field(default=None, repr=False)
    score: float | None = None
    meta: Mapping[str, str] = field(default_factory=dict)
    file: Path | None = None
    number: int | None = None
    quoted: tuple[Range, ...] | None = None
