"""Warnings about evaluation on charts that a model was trained on."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from auscult.core.option_names import option
from auscult.corpus import Corpus
from auscult.corpus.provenance import files_digest
from auscult.models.card import ModelSource, chart_digest
from auscult.models.saved import read_trained_on

if TYPE_CHECKING:
    from auscult.models.model import Model


def warn_if_seen(model: Model, corpus: Corpus, charts: Collection[str]) -> int:
    """Warn of charts that the model was trained on, and of a corpus that has changed since.

    Returns the number of such charts.
    """
    seen = len(model.has_seen(charts))
    _warn(model.about.source, model.trained_on, corpus, seen, len(charts))
    return seen


def warn_of_seen(path: Path, source: ModelSource, corpus: Corpus, seen: int, charts: int) -> None:
    """The same for the model in a directory, which was trained on so many of the charts."""
    _warn(source, read_trained_on(path, source), corpus, seen, charts)


def _warn(
    source: ModelSource, trained_on: frozenset[str], corpus: Corpus, seen: int, charts: int
) -> None:
    if seen:
        warnings.warn(
            f"The model was trained or tuned on {seen:,} of the {charts:,} charts, so its "
            f"results on them are too optimistic. Choose other charts with {option('--split')}.",
            stacklevel=4,
        )
    digest = files_digest(corpus)
    is_named_so = corpus.manifest.name == source.name
    # Two files of one format have the same name by default; only one with its charts is the same.
    if (
        is_named_so
        and digest
        and source.files not in (None, digest)
        and (seen or any(chart_digest(chart) in trained_on for chart in corpus.chart_ids()))
    ):
        warnings.warn(
            f"The corpus {source.name} has changed since the model was trained on it "
            f"(digest {(source.files or '')[:8]} then, {digest[:8]} now), so its splits "
            "may hold charts that the model was trained on.",
            stacklevel=4,
        )
