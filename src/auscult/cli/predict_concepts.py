"""`auscult predict` for coders of concepts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from auscult.coders.concepts.coder import ConceptCoder, places_of, together
from auscult.coders.concepts.contract import Places
from auscult.core import Annotation, Note, OptionError
from auscult.core.names import require_known
from auscult.core.progress import track
from auscult.corpus import Corpus


class Reader:
    """A coder of concepts, over the vocabulary it learnt with, wherever that is now."""

    def __init__(self, coder: Path, vocabulary: Path | None) -> None:
        self.coder = ConceptCoder.load(coder, vocabulary)
        self._vocabulary = vocabulary

    def annotate(
        self,
        corpus: Corpus,
        notes: Sequence[Note],
        *,
        annotator: str | None,
        spans_of: str | None,
        spans_by: Sequence[Path],
    ) -> list[Annotation]:
        """Its annotations of notes, at the places of an annotator or of other coders."""
        if spans_of is not None and spans_by:
            raise OptionError("Give --spans-of or --spans-by, not both.")
        places: Places | None = None
        if spans_of is not None:
            there = corpus.annotations.select("annotator").unique().collect()["annotator"]
            require_known(spans_of, there.to_list(), "annotator")
            places = places_of(corpus.select(annotators=[spans_of]).iter_annotations())
        for path in spans_by:
            finder = ConceptCoder.load(path, self._vocabulary)
            more = places_of(finder.annotate(track(notes, "finding spans", len(notes))))
            places = together(places or {}, more)
        going_by = track(notes, "reading spans", len(notes))
        return list(self.coder.annotate(going_by, places, annotator=annotator))
