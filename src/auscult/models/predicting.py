"""Inference over the notes of a corpus on any engine."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from auscult.core import Annotation, CorpusError, Note, OptionError, Status
from auscult.core.digests import directory_digest
from auscult.core.names import require_known
from auscult.core.progress import track
from auscult.corpus import schema
from auscult.corpus.corpus import Corpus
from auscult.corpus.partitioned import Annotated, annotate_at_once, annotated
from auscult.corpus.partitions import NOTES
from auscult.corpus.provenance import corpus_digest
from auscult.engine import Engine
from auscult.models import config_type_of, model_class
from auscult.models.architecture import ModelConfiguration
from auscult.models.card import ModelCard
from auscult.models.categories import Categories
from auscult.models.chart_inputs import codes_by_chart
from auscult.models.decoding import Decoding
from auscult.models.explaining import untuned_rule, with_attribution
from auscult.models.inference_settings import with_inference_settings
from auscult.models.model import Model
from auscult.models.saved import KEPT, about_file, read_about
from auscult.models.seen_charts import warn_of_seen
from auscult.models.skipped import SkippedText
from auscult.models.span_annotation import Places, merged_places, places_of

_ANNOTATIONS = 1_000_000
"""Number of ranked codes that are in memory at once, as annotations of half a kilobyte."""
_SKIPPED = ("empty", "cut", "words_cut", "uncategorized")
"""Counts that add up over partitions."""


@dataclass(frozen=True)
class AnnotatorSource:
    """The annotations of one annotator in a corpus on disk, read for some charts at a time."""

    corpus: Path
    digest: str
    annotator: str

    @classmethod
    def of(cls, corpus: Corpus, annotator: str) -> AnnotatorSource:
        """An error unless the corpus has annotations of that name."""
        there = (
            corpus.lazy_annotations.select("annotator").unique().collect()["annotator"].to_list()
        )
        require_known(annotator, there, "annotator")
        if corpus.path is None:
            raise CorpusError(
                "Worker processes cannot read the annotations of a corpus in memory. Save the "
                "corpus to a directory first."
            )
        return cls(corpus.path, corpus_digest(corpus), annotator)

    @property
    def asked(self) -> list[Any]:
        """For a digest."""
        return [self.digest, self.annotator]

    @cached_property
    def _opened(self) -> Corpus:
        opened = Corpus.open(self.corpus)
        if corpus_digest(opened) != self.digest:
            raise CorpusError(
                f"The corpus {self.corpus} changed during the run. Run the command again."
            )
        return opened

    def on(self, charts: Iterable[str]) -> Iterable[Annotation]:
        """The annotations on these charts."""
        chosen = pl.col("chart_id").is_in(list(charts)) & (pl.col("annotator") == self.annotator)
        return schema.iter_annotations(self._opened.lazy_annotations.filter(chosen))


@dataclass(frozen=True)
class Prediction:
    """A saved model, and how to run it over tables of notes on any engine."""

    model: Path
    digest: str
    annotator: str | None = None
    category: str | None = None
    """The category that notes without one are read as, instead of the model's default."""
    code_threshold: float | None = None
    evidence_threshold: float | None = None
    """Instead of the model's own."""
    codes_of: AnnotatorSource | None = None
    never_empty: bool = False
    ranked: int | None = 0
    """None ranks all codes."""
    alternatives: bool = False
    explain: str | None = None
    """Attribution method for the evidence, instead of the one used in training."""
    vocabulary: Path | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings of inference, instead of the model's own."""
    spans_of: AnnotatorSource | None = None
    spans_by: Sequence[tuple[Path, str]] = ()
    """Models that find the spans to link, each with its digest."""

    @property
    def asked(self) -> list[Any]:
        """What the annotations depend on; a vocabulary is checked by its digest on loading."""
        return [
            self.digest, self.annotator, self.category,
            self.code_threshold, self.evidence_threshold,
            self.codes_of and self.codes_of.asked, self.never_empty, self.ranked, self.alternatives,
            self.explain, sorted(self.settings.items()),
            self.spans_of and self.spans_of.asked, [digest for _, digest in self.spans_by],
        ]  # fmt: skip

    def begin(self) -> Callable[[pl.DataFrame], Annotated]:
        """Load the model, and those that find spans, unless they have changed."""
        model, *finders = (
            Model.load(path, vocabulary=self.vocabulary, settings=settings).with_category(
                self.category
            )
            for path, settings in (
                (self.model, self.settings),
                *((path, None) for path, _ in self.spans_by),
            )
        )
        for path, digest in ((self.model, self.digest), *self.spans_by):
            require_same(path, digest)
        if self.explain is not None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # said once, with the other warnings
                model = model.with_explainer(self.explain)
        model = model.with_thresholds(self.code_threshold, self.evidence_threshold)

        def annotate(table: pl.DataFrame) -> Annotated:
            notes = list(schema.iter_notes(table.lazy()))
            charts = list(dict.fromkeys(note.chart_id for note in notes))
            skipped = SkippedText()
            made = model.predict(
                track(notes, "predicting", len(notes)),
                spans=self._spans(notes, charts, finders),
                annotator=self.annotator,
                also=codes_by_chart(self.codes_of.on(charts)) if self.codes_of else None,
                never_empty=self.never_empty,
                ranked=len(model.labels) if self.ranked is None else self.ranked,
                alternatives=self.alternatives,
                skipped=skipped,
            )
            counts = {
                "notes": len(notes),
                "charts": len(charts),
                "seen": len(model.has_seen(charts)),
                "annotations": len(made),
                **{name: getattr(skipped, name) for name in _SKIPPED},
            }
            if model.can.scores_codes:
                pairs = {(a.chart_id, a.code) for a in made if a.status is Status.GIVEN}
                with_evidence = {(a.chart_id, a.code) for a in made if a.spans} & pairs
                counts |= {"codes": len(pairs), "codes_with_evidence": len(with_evidence)}
            return schema.annotations_table(made), counts

        return annotate

    def _spans(
        self, notes: Sequence[Note], charts: Sequence[str], finders: Sequence[Model]
    ) -> Places | None:
        """The spans to link, if some are given."""
        places: Places | None = None
        if self.spans_of is not None:
            places = places_of(self.spans_of.on(charts))
        for finder in finders:
            found = finder.predict(track(notes, "finding spans", len(notes)), skipped=SkippedText())
            places = merged_places(places or {}, places_of(found))
        return places


@contextmanager
def predicted(
    corpus: Corpus,
    how: Prediction,
    out: Path | None,
    engine: Engine,
    *,
    splits: Collection[str] = (),
    notes: int = NOTES,
) -> Iterator[tuple[Corpus, Counter[str]]]:
    """The corpus, or some splits of it, with the predictions of a model, and counts.

    To be written to `out` inside the `with`. A corpus in memory, or one that is not written, is
    processed at once in this process.
    """
    part = corpus.select(splits=splits) if splits else corpus
    if not part.lazy_notes.select(pl.len()).collect().item():
        where = corpus.path or "The input"
        raise OptionError(f"{where} has no notes{' in that split' if splits else ''}.")
    if corpus.path is None or out is None:
        made, found = annotate_at_once(part, how)
        _warn(how, corpus, part, counts := Counter(found))
        yield replace(part, lazy_all_annotations=made.lazy(), path=None), counts
        return
    notes = min(notes, _notes_at_once(how))
    with annotated(
        corpus, how, out, engine, splits=splits or None, notes=notes, doing="coding"
    ) as (table, counts):
        _warn(how, corpus, part, counts)
        yield replace(part, lazy_all_annotations=table, path=None), counts


def _notes_at_once(how: Prediction) -> int:
    """Notes in a partition: fewer where every one of them gets thousands of ranked codes."""
    codes = len(read_about(about_file(how.model), ModelCard).labels)
    ranked = codes if how.ranked is None else min(codes, how.ranked)
    return max(1, _ANNOTATIONS // max(1, ranked))


def can_score(model: Path) -> bool:
    """Whether the model in a directory scores the codes of charts."""
    return read_about(about_file(model), ModelCard).decoding is not None


def check_explainer(model: Path, explainer: str) -> None:
    """Raise an error if the model in a directory does not support an attribution method."""
    with_attribution(read_about(about_file(model), ModelCard).kind, _settings(model), explainer)


def check_settings(model: Path, given: Mapping[str, Any]) -> None:
    """Raise an error if the model in a directory cannot be run with other such settings."""
    kind = read_about(about_file(model), ModelCard).kind
    with_inference_settings(kind, _settings(model), given)


def _settings(model: Path) -> ModelConfiguration:
    file = about_file(model)
    about = read_about(file, ModelCard)
    config_type = config_type_of(model_class(about.kind))
    return KEPT.configuration(file, about.kind, config_type, about.configuration)


def categories_of(model: Path, category: str | None = None) -> Categories:
    """Which notes the model in a directory reads, and as what those without a category."""
    about = read_about(about_file(model), ModelCard)
    return Categories.of(about.source, about.configuration.get("categories"), category)


def _warn(how: Prediction, corpus: Corpus, part: Corpus, counts: Counter[str]) -> None:
    """Warn of text that was not read, and of charts that the model was trained on."""
    source = read_about(about_file(how.model), ModelCard).source
    unread = SkippedText(
        counts["empty"], counts["cut"], counts["words_cut"], counts["charts"],
        counts["uncategorized"],
    )  # fmt: skip
    if unread.is_everything:
        column = part.lazy_notes.select("category").drop_nulls().collect()["category"]
        unread.categories.update(column.to_list())
    unread.warn(categories_of(how.model, how.category))
    if how.category is not None and not unread.uncategorized:
        warnings.warn(
            f"--default-category {how.category} has no effect: every note already has a category.",
            stacklevel=3,
        )
    if how.explain is not None and how.evidence_threshold is None:
        decoding = read_about(about_file(how.model), ModelCard).decoding or Decoding()
        rule = untuned_rule(_settings(how.model), decoding, how.explain)
        if rule is not None:
            warnings.warn(rule, stacklevel=3)
    warn_of_seen(how.model, source, corpus, counts["seen"], counts["charts"])


def require_same(path: Path, digest: str) -> None:
    """Raise an error if a model has changed since the run began."""
    if directory_digest(path) != digest:
        raise OptionError(
            f"The model {path} changed during the run. Run the command again; predictions "
            "of the earlier model are not reused."
        )
