"""Whether a coder knows the charts it is about to be measured on."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from typing import TYPE_CHECKING

from auscult.coders.about import corpus_digest
from auscult.corpus import Corpus

if TYPE_CHECKING:
    from auscult.coders.coder import Coder
    from auscult.coders.concepts.coder import ConceptCoder


def warn_if_familiar(coder: Coder | ConceptCoder, corpus: Corpus, charts: Collection[str]) -> int:
    """Warn of charts that the coder learnt from, and of a corpus that has changed since.

    Returns how many of the charts it has seen.
    """
    source = coder.about.source
    seen = coder.has_seen(charts)
    if seen:
        warnings.warn(
            f"The coder learnt or was tuned on {len(seen):,} of the {len(charts):,} charts: "
            "measures on them flatter it. Choose others with --split.",
            stacklevel=3,
        )
    digest = corpus_digest(corpus)
    if corpus.manifest.name == source.name and digest and source.digest not in (None, digest):
        warnings.warn(
            f"The corpus {source.name} has changed since the coder learnt from it (digest "
            f"{(source.digest or '')[:8]} then, {digest[:8]} now): its splits may be others than "
            "those the coder was kept from.",
            stacklevel=3,
        )
    return len(seen)
