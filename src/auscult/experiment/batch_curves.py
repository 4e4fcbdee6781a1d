"""The learning curve of a project: what a model learns from each further batch of coded charts."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from auscult.core import AuscultError, Metric, OptionError
from auscult.core.progress import track
from auscult.core.results import MetricRow, Result
from auscult.corpus import Corpus
from auscult.corpus.annotators import choose_annotators
from auscult.corpus.batches import finished_charts, is_suggestion, verdicts_on
from auscult.corpus.selecting import matching
from auscult.evaluate import code_metrics, pair
from auscult.models.fitting import DEFAULT, fit
from auscult.models.model import Model
from auscult.models.ready_made import ready_made

CODERS = "coders"
"""Who signs the codes of all annotators that count, as if they were one."""
_SYSTEM = "ICD-10-CM"
_BATCHES = 5
_FEWEST = 2
_F1 = "micro_f1"
_F1_DEFINITION = "2TP / (2TP + FP + FN) over all charts and codes"
_ACCEPTED = "Suggestions accepted as they are / suggestions"


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch of charts, coded by a model that was trained on all charts finished before."""

    number: int
    charts: int
    trained_on: int
    """How many charts were finished before."""
    trained: Metric
    """Micro-F1 of the trained model."""
    codebook: Metric
    """Micro-F1 of the code book without training."""
    suggestions: int
    accepted: int
    corrected: int
    """Taken with another code."""
    rejected: int

    @property
    def accepted_share(self) -> Metric:
        """The part of the suggestions that coders accepted as they are."""
        name = "accepted"
        if not self.suggestions:
            return Metric(name, _ACCEPTED, undefined="there are no suggestions in the batch")
        return Metric(name, _ACCEPTED, self.accepted / self.suggestions, n=self.suggestions)

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        counts = ("number", "charts", "trained_on", "suggestions", "accepted", "corrected")
        return {
            **{name: getattr(self, name) for name in (*counts, "rejected")},
            "trained": self.trained.to_dict(),
            "codebook": self.codebook.to_dict(),
            "accepted_share": self.accepted_share.to_dict(),
        }


@dataclass(frozen=True, slots=True, repr=False)
class BatchCurve(Result):
    """The learning curve over batches."""

    batches: tuple[Batch, ...]
    model: str
    systems: tuple[str, ...]
    annotators: tuple[str, ...]

    def metric_rows(self) -> Iterator[MetricRow]:
        """Every metric of every batch."""
        for one in self.batches:
            at = {"batch": one.number, "trained_on": one.trained_on}
            yield {**at, "of": self.model}, one.trained
            yield {**at, "of": "codebook"}, one.codebook
            yield {**at, "of": "suggestions"}, one.accepted_share

    def headline(self) -> str:
        """How many charts and batches."""
        charts = sum(one.charts for one in self.batches)
        return f"{charts:,} charts in {len(self.batches)} batches"

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "model": self.model,
            "systems": list(self.systems),
            "annotators": list(self.annotators),
            "batches": [one.to_dict() for one in self.batches],
        }


def batch_curve(
    corpus: Corpus,
    model: str = DEFAULT,
    config: Mapping[str, Any] | None = None,
    *,
    size: int | None = None,
    annotators: Collection[str] | None = None,
    systems: Collection[str] = (),
    codebook: Model | None = None,
    times: int = 1000,
    seed: int = 0,
) -> BatchCurve:
    """Train on the charts finished before each batch, and evaluate on the batch.

    The corpus is an export of the workbench with suggestions. Batches have `size` charts, by
    default a fifth of them, in the order in which they were finished; what is left over belongs to
    the last. Only codes of `systems` count, by default ICD-10-CM if coders gave any. `codebook` is
    the model to compare with.
    """
    whose = choose_annotators(corpus, annotators or None) or ()
    order = finished_charts(corpus, whose)
    if len(order) < _FEWEST:
        raise OptionError(
            f"A learning curve needs at least {_FEWEST} finished charts, and the corpus names "
            f"{len(order)}. Export the project from the workbench with its suggestions: only then "
            "the corpus says when charts were finished."
        )
    chosen = tuple(systems) or _default_systems(corpus, whose)
    coded = _coded(corpus, whose, chosen, order)
    compared = codebook or (ready_made("codebook") if _SYSTEM in chosen else None)
    found = []
    batches = in_batches(order, size)
    for number, charts in enumerate(track(batches, "training on batches", len(batches)), 1):
        before = [one for batch in batches[: number - 1] for one in batch]
        part = coded.select(charts=charts)
        found.append(
            Batch(
                number,
                len(charts),
                len(before),
                _trained(coded, before, part, model, config, times, seed),
                _undefined("the code book knows no codes of these systems")
                if compared is None
                else _f1(compared, part, times, seed),
                *_verdicts(corpus, whose, charts),
            )
        )
    return BatchCurve(tuple(found), model, chosen, tuple(whose))


def in_batches(charts: Sequence[str], size: int | None) -> list[Sequence[str]]:
    """Charts in batches of a size, or in five. The last batch takes what is left over.

    >>> in_batches("abcdefg", 3)
    ['abc', 'defg']
    """
    step = size or max(1, len(charts) // _BATCHES)
    count = max(1, len(charts) // step)
    ends = [at * step for at in range(1, count)] + [len(charts)]
    return [charts[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]


def _default_systems(corpus: Corpus, whose: Collection[str]) -> tuple[str, ...]:
    """ICD-10-CM if coders gave any of it: the code book knows no other. Otherwise all."""
    there = matching(corpus, annotators=list(whose)).lazy_annotations.select("system").unique()
    return (_SYSTEM,) if _SYSTEM in there.collect()["system"].to_list() else ()


def _coded(
    corpus: Corpus, whose: Collection[str], systems: Collection[str], charts: Sequence[str]
) -> Corpus:
    """The finished charts with their coders' codes as if of one coder, without splits."""
    part = corpus.select(charts=charts)
    said = part.lazy_annotations.filter(pl.col("annotator").is_in(list(whose)))
    if systems:
        said = said.filter(pl.col("system").is_in(list(systems)))
    return replace(
        part,
        lazy_notes=part.lazy_notes.with_columns(
            read_by=pl.lit([CODERS], pl.List(pl.String)), split=pl.lit(None, pl.String)
        ),
        lazy_all_annotations=said.with_columns(annotator=pl.lit(CODERS)),
        path=None,
    )


def _trained(
    coded: Corpus,
    before: Sequence[str],
    part: Corpus,
    model: str,
    config: Mapping[str, Any] | None,
    times: int,
    seed: int,
) -> Metric:
    """Micro-F1 on a batch of a model trained on the charts before it."""
    if not before:
        return _undefined("no chart was finished before")
    try:
        with warnings.catch_warnings():
            # That there are no splits is on purpose, and that charts are few shows on the page.
            warnings.simplefilter("ignore", UserWarning)
            made = fit(coded.select(charts=before), model, config, seed=seed)
    except OptionError:
        raise  # another number of charts would not help
    except AuscultError as error:
        return _undefined(str(error))
    return _f1(made, part, times, seed)


def _f1(model: Model, part: Corpus, times: int, seed: int) -> Metric:
    empty = part.select(annotators=[])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        predicted = empty.with_annotations(model.predict(empty, annotator=model.name))
        sides = pair(part, predicted, annotator=CODERS, counts_all=None)
        return code_metrics(sides, times=times, seed=seed).metrics[_F1]


def _verdicts(
    corpus: Corpus, whose: Collection[str], charts: Sequence[str]
) -> tuple[int, int, int, int]:
    """Suggestions in a batch: all, accepted as they are, accepted with another code, rejected."""
    part = corpus.select(charts=charts)
    given = {
        (one.note_id, one.code) for one in part.iter_annotations() if one.annotator in set(whose)
    }
    every = accepted = corrected = rejected = 0
    for one in part.iter_annotations(every_status=True):
        if not is_suggestion(one):
            continue
        every += 1
        said = set(verdicts_on(one).values())
        if "accepted" in said:
            is_same = (one.note_id, one.code) in given
            accepted += is_same
            corrected += not is_same
        else:
            rejected += "rejected" in said
    return every, accepted, corrected, rejected


def _undefined(why: str) -> Metric:
    return Metric(_F1, _F1_DEFINITION, undefined=why)
