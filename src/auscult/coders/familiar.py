"""Whether a coder knows the charts it is about to be measured on."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from auscult.coders.about import Source, chart_digest
from auscult.coders.stored import read_trained_on
from auscult.corpus import Corpus
from auscult.learning.source import corpus_digest

if TYPE_CHECKING:
    from auscult.coders.coder import Coder
    from auscult.coders.concepts.coder import ConceptCoder


def warn_if_familiar(coder: Coder | ConceptCoder, corpus: Corpus, charts: Collection[str]) -> int:
    """Warn of charts that the coder learnt from, and of a corpus that has changed since.

    Returns how many of the charts it has seen.
    """
    seen = len(coder.has_seen(charts))
    _warn(coder.about.source, coder.trained_on, corpus, seen, len(charts))
    return seen


def warn_of_seen(path: Path, source: Source, corpus: Corpus, seen: int, charts: int) -> None:
    """The same for the coder in a directory, which has seen so many of the charts."""
    _warn(source, read_trained_on(path, source), corpus, seen, charts)


def _warn(
    source: Source, trained_on: frozenset[str], corpus: Corpus, seen: int, charts: int
) -> None:
    if seen:
        warnings.warn(
            f"The coder learnt or was tuned on {seen:,} of the {charts:,} charts: measures on them "
            "flatter it. Choose others with --split.",
            stacklevel=4,
        )
    digest = corpus_digest(corpus)
    is_named_so = corpus.manifest.name == source.name
    # Two files of one format have the same name by default; only one with its charts is the same.
    if (
        is_named_so
        and digest
        and source.digest not in (None, digest)
        and (seen or any(chart_digest(chart) in trained_on for chart in corpus.chart_ids()))
    ):
        warnings.warn(
            f"The corpus {source.name} has changed since the coder learnt from it (digest "
            f"{(source.digest or '')[:8]} then, {digest[:8]} now): its splits may be others than "
            "those the coder was kept from.",
            stacklevel=4,
        )
