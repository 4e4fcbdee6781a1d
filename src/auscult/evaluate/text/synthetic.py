"""A synthetic corpus against the authentic one whose records it was written for."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from auscult.core import OptionError
from auscult.core.words import counted
from auscult.corpus.corpus import Corpus
from auscult.corpus.records import Cleaning, Pairs, pairs_of
from auscult.evaluate.text.epidemiology import Association, associations, common_complaints
from auscult.evaluate.text.memorisation import Memorisation, memorisation
from auscult.evaluate.text.result import TextResult, evaluate_texts
from auscult.evaluate.text.vectors import WordVectors

Text = tuple[str, ...]
_GROUPS = ("sex", "gender", "age_band", "age")


@dataclass(frozen=True, slots=True)
class SyntheticResult:
    """Everything that is measured without a classifier, and the texts it was measured on."""

    texts: TextResult
    memorisation: Memorisation | None
    """None when there are no training texts to compare with."""
    associations: tuple[Association, ...]
    cleaning: Cleaning
    records: pl.DataFrame = field(repr=False)
    authentic: tuple[Text, ...] = field(repr=False)
    synthetic: tuple[Text, ...] = field(repr=False)

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        kept = [one.is_kept for one in self.associations if one.is_kept is not None]
        return {
            "pairs": len(self.authentic),
            "cleaning": self.cleaning.model_dump(),
            **self.texts.to_dict(),
            "memorisation": None
            if self.memorisation is None
            else {name: one.to_dict() for name, one in self.memorisation.measures.items()},
            "odds_ratios": [one.to_dict() for one in self.associations],
            "odds_ratios_kept": {"kept": sum(kept), "of": len(kept)},
        }


def evaluate_synthetic(
    authentic: Corpus,
    synthetic: Corpus,
    *,
    train: str = "train",
    category: str | None = None,
    cleaning: Cleaning | None = None,
    complaints: Mapping[str, Collection[str]] | None = None,
    variables: Sequence[str] | None = None,
    secrets: Sequence[str] = (),
    times: int = 1000,
    seed: int = 0,
) -> SyntheticResult:
    """Compare the texts of the same records, cleaned alike.

    Word vectors and memorisation go by the texts of the split `train` of the authentic corpus.
    Complaints are by default the commonest words, and groups are those of age and sex.
    """
    clean = cleaning or Cleaning()
    every = pairs_of(authentic, category=category)
    theirs, ours = _matched(every, pairs_of(synthetic))
    training = every.of_split(train) if train in every.splits else None
    if training is not None and (seen := set(theirs.ids) & set(training.ids)):
        warnings.warn(
            f"{counted(len(seen), 'record')} of {len(theirs):,} are of the split {train}, which "
            "the writer learnt from; that flatters it.",
            stacklevel=2,
        )
    if training is None:
        warnings.warn(
            f"The authentic corpus has no split {train}, so word vectors are learnt from the texts "
            "measured, and memorisation is not measured.",
            stacklevel=2,
        )
    one, other = (tuple(map(clean.words, side.texts)) for side in (theirs, ours))
    taught = None if training is None else [clean.words(text) for text in training.texts]
    columns = [name for name in _GROUPS if name in theirs.records.columns]
    return SyntheticResult(
        evaluate_texts(one, other, vectors=WordVectors.fit(taught or one), times=times, seed=seed),
        None
        if taught is None
        else memorisation(
            other, taught, one, secrets=[clean.words(secret) for secret in secrets],
            times=times, seed=seed,
        ),
        tuple(
            associations(
                theirs.records,
                one,
                other,
                common_complaints(taught or one) if complaints is None else complaints,
                columns if variables is None else variables,
            )
        ),
        clean,
        theirs.records,
        one,
        other,
    )  # fmt: skip


def _matched(authentic: Pairs, synthetic: Pairs) -> tuple[Pairs, Pairs]:
    """Both sides of the records that have a text on both, in the order of the synthetic ones."""
    places = {record: at for at, record in enumerate(authentic.ids)}
    found = [(places.get(record), at) for at, record in enumerate(synthetic.ids)]
    kept = [(ours, at) for ours, at in found if ours is not None]
    if not kept:
        raise OptionError(
            "No record of the synthetic corpus has a text in the authentic one. Is it the corpus "
            "whose records were written about?"
        )
    if missing := len(found) - len(kept):
        warnings.warn(
            f"{counted(missing, 'record')} of {len(found):,} left out: there is no authentic text "
            "to compare the synthetic one with.",
            stacklevel=3,
        )
    return authentic.at([ours for ours, _ in kept]), synthetic.at([at for _, at in kept])
