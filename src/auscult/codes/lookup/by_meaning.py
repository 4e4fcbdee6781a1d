"""Wordings of codes that mean what a phrase says and need not share a word with it.

The retriever is passed to the search by its caller, since embeddings need libraries that the code
book does without.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class TermRetriever(Protocol):
    """Finds wordings of a search by their meaning."""

    def nearest(self, text: str, most: int) -> Sequence[tuple[int, float]]:
        """The numbers of the wordings nearest to a phrase, and their cosines, nearest first."""
        ...
