"""Evaluation of a synthetic corpus against the authentic one with the same records."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from auscult.core import OptionError
from auscult.core.plurals import counted
from auscult.core.results import MetricRow, Result
from auscult.corpus.corpus import Corpus
from auscult.corpus.records import Cleaning, RecordTexts, pairs_of
from auscult.evaluate.text.epidemiology import Association, associations, common_complaints
from auscult.evaluate.text.memorization import Memorization, memorization
from auscult.evaluate.text.result import TextResult, evaluate_texts
from auscult.evaluate.text.vectors import WordVectors

Text = tuple[str, ...]
_GROUPS = ("sex", "gender", "age_band", "age")


@dataclass(frozen=True, slots=True, repr=False)
class SyntheticResult(Result):
    """The results of `evaluate_synthetic`, and the texts they were computed on."""

    texts: TextResult
    memorization: Memorization | None
    """None when there are no training texts to compare with."""
    associations: tuple[Association, ...]
    cleaning: Cleaning
    records: pl.DataFrame = field(repr=False)
    authentic: tuple[Text, ...] = field(repr=False)
    synthetic: tuple[Text, ...] = field(repr=False)

    def metric_rows(self) -> Iterator[MetricRow]:
        """Similarity, diversity and memorization; then odds ratios and prevalence by group."""
        yield from self.texts.metric_rows()
        if self.memorization is not None:
            for metric in self.memorization.metrics.values():
                yield {}, metric
        for one in self.associations:
            of = {"complaint": one.complaint, "variable": one.variable, "level": one.level}
            for side in ("authentic", "synthetic"):
                yield {**of, "side": side}, getattr(one, side)
                yield {**of, "side": side}, getattr(one, f"prevalence_{side}")

    def headline(self) -> str:
        """How many pairs of texts."""
        return f"{len(self.authentic):,} pairs of texts"

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        kept = [one.is_kept for one in self.associations if one.is_kept is not None]
        return {
            "pairs": len(self.authentic),
            "cleaning": self.cleaning.model_dump(),
            **self.texts.to_dict(),
            "memorization": None
            if self.memorization is None
            else {name: one.to_dict() for name, one in self.memorization.metrics.items()},
            "odds_ratios": [one.to_dict() for one in self.associations],
            "odds_ratios_kept": {"kept": sum(kept), "of": len(kept)},
        }


def evaluate_synthetic(
    authentic: Corpus,
    synthetic: Corpus,
    *,
    train_split: str = "train",
    category: str | None = None,
    cleaning: Cleaning | None = None,
    complaints: Mapping[str, Collection[str]] | None = None,
    variables: Sequence[str] | None = None,
    secrets: Sequence[str] = (),
    bootstrap: int = 1000,
    seed: int = 0,
) -> SyntheticResult:
    """Compare the synthetic and authentic texts of the same records, with the same preprocessing.

    Word vectors and memorization use the texts of `train_split` of the authentic corpus.
    Complaints are by default the most common words, and groups are those of age and sex. Intervals
    come from `bootstrap` resamples of the pairs (0 for none).
    """
    clean = cleaning or Cleaning()
    every = pairs_of(authentic, category=category)
    theirs, ours = _matched(every, pairs_of(synthetic))
    training = every.of_split(train_split) if train_split in every.splits else None
    if training is not None and (seen := set(theirs.ids) & set(training.ids)):
        warnings.warn(
            f"{counted(len(seen), 'record')} of {len(theirs):,} are in the split {train_split}, "
            "which the generator was trained on, so the results are too optimistic.",
            stacklevel=2,
        )
    if training is None:
        warnings.warn(
            f"The authentic corpus has no split {train_split}, so word vectors are trained on the "
            "evaluated texts, and memorization is not measured.",
            stacklevel=2,
        )
    one, other = (tuple(map(clean.words, side.texts)) for side in (theirs, ours))
    train_words = None if training is None else [clean.words(text) for text in training.texts]
    columns = [name for name in _GROUPS if name in theirs.records.columns]
    return SyntheticResult(
        evaluate_texts(
            one, other, vectors=WordVectors.fit(train_words or one), times=bootstrap, seed=seed
        ),
        None
        if train_words is None
        else memorization(
            other, train_words, one, secrets=[clean.words(secret) for secret in secrets],
            times=bootstrap, seed=seed,
        ),
        tuple(
            associations(
                theirs.records,
                one,
                other,
                common_complaints(train_words or one) if complaints is None else complaints,
                columns if variables is None else variables,
            )
        ),
        clean,
        theirs.records,
        one,
        other,
    )  # fmt: skip


def _matched(authentic: RecordTexts, synthetic: RecordTexts) -> tuple[RecordTexts, RecordTexts]:
    """Both sides of the records that have a text on both, in the order of the synthetic ones."""
    places = {record: at for at, record in enumerate(authentic.ids)}
    found = [(places.get(record), at) for at, record in enumerate(synthetic.ids)]
    kept = [(ours, at) for ours, at in found if ours is not None]
    if not kept:
        raise OptionError(
            "No record of the synthetic corpus has a text in the authentic one. Check that "
            "it is the corpus whose records the texts were generated from."
        )
    if missing := len(found) - len(kept):
        warnings.warn(
            f"{counted(missing, 'record')} of {len(found):,} left out: there is no authentic text "
            "to compare the synthetic one with.",
            stacklevel=3,
        )
    return authentic.at([ours for ours, _ in kept]), synthetic.at([at for _, at in kept])
