"""The notes for pretraining an encoder, and those of other patients for validation."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from auscult.corpus.corpus import Chart, Corpus
from auscult.corpus.selecting import require_names
from auscult.corpus.split import group_of, splits_of
from auscult.learning.splits import NONE, dev_split, held_out_patients
from auscult.models.chart_text import patient_of

HELD_OUT = "held-out patients"
"""Replaces a missing dev split: a tenth of the training patients."""


@dataclass(frozen=True, slots=True)
class PretrainingNotes:
    """The texts to train on and those held out, read chart by chart on demand."""

    whole: Corpus
    corpus: Corpus
    """The part of it with the chosen categories, without annotations."""
    categories: tuple[str, ...] | None
    train: str
    dev: str
    held_out: frozenset[str]
    """Patients whose notes are not used for training."""

    @classmethod
    def of(
        cls,
        corpus: Corpus,
        categories: Sequence[str] | None,
        train: str,
        dev: str | None,
        seed: int,
    ) -> PretrainingNotes:
        there = splits_of(corpus)
        wanted = dev
        dev = dev_split(there, train, dev, of="charts")
        require_names(corpus, categories=categories)
        part = corpus.select(categories=categories, annotators=[])
        if not there:
            warnings.warn(
                "The corpus has no splits, so pretraining uses all of its notes, and none are left "
                "for testing. Split it first: auscult corpus split",
                stacklevel=3,
            )
        held_out: set[str] = set()
        if dev != NONE:
            held_out = _patients(part.select(splits=[dev]))
        elif wanted != NONE:
            train_part = part.select(splits=[train]) if there else part
            held_out = held_out_patients(_patients(train_part), seed, of="charts")
            dev = HELD_OUT
        chosen = None if categories is None else tuple(categories)
        return cls(corpus, part, chosen, train if there else NONE, dev, frozenset(held_out))

    def training(self) -> Iterator[list[str]]:
        """The texts of each chart to train on."""
        return self._texts(self.train, is_held_out=False)

    def tuning(self) -> Iterator[list[str]]:
        """The texts of each chart for measuring the perplexity."""
        if self.dev == NONE:
            return iter(())
        return self._texts(self.train if self.dev == HELD_OUT else self.dev, is_held_out=True)

    def _texts(self, split: str, *, is_held_out: bool) -> Iterator[list[str]]:
        part = self.corpus if split == NONE else self.corpus.select(splits=[split])
        for chart in part.charts():
            if (_patient(chart) in self.held_out) == is_held_out:
                texts = [note.text for note in chart.notes if note.text and note.text.strip()]
                if texts:
                    yield texts


def _patient(chart: Chart) -> str:
    return patient_of(chart.chart_id, chart.notes)


def _patients(part: Corpus) -> set[str]:
    found = part.lazy_notes.select(group_of(part, "subject")).unique().collect()
    return set(found["group"].to_list())
