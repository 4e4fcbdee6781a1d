"""Numbers of things in messages."""

from __future__ import annotations


def counted(number: int, what: str) -> str:
    """A number of things in words.

    >>> counted(1, "note"), counted(1340, "note")
    ('1 note', '1,340 notes')
    """
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
