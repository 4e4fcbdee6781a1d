"""Dividing a corpus into train, dev and test."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any, Literal

from auscult.core import OptionError
from auscult.core.deferred import polars as pl
from auscult.core.names import require_known
from auscult.core.option_names import option
from auscult.core.randomness import shuffled
from auscult.corpus.corpus import Corpus
from auscult.corpus.history import recorded
from auscult.learning.splits import require_one_split

Unit = Literal["subject", "chart", "note"]
ALL = "all"
"""In place of a split: the whole corpus."""


def split_at_random(
    corpus: Corpus, shares: Mapping[str, float], *, by: Unit = "subject", seed: int = 0
) -> Corpus:
    """Put every note into a split at random, keeping what belongs together in one split.

    `by` says what belongs together: all notes of a patient (the default; a note without
    `subject_id` is of its chart's patient, or its chart counts as one), of a chart, or none. The
    same seed and the same ids give the same splits, whatever the order of the notes.

    >>> from auscult.core import Note
    >>> corpus = Corpus.of([Note(str(i), str(i)) for i in range(10)])
    >>> made = split_at_random(corpus, {"train": 0.8, "test": 0.2})
    >>> made.notes.group_by("split").len().sort("split").rows()
    [('test', 2), ('train', 8)]
    """
    require_notes(corpus)
    require_shares(shares)
    groups = (
        corpus.lazy_notes.select(group_of(corpus, by)).unique().collect()["group"].sort().to_list()
    )
    order = shuffled(groups, random.Random(seed))
    edges = [round(edge * len(order)) for edge in accumulate(shares.values())]
    placed = {}
    start = 0
    for name, edge in zip(shares, edges, strict=True):
        placed.update(dict.fromkeys(order[start:edge], name))
        start = edge
    how = {"shares": dict(shares), "by": by, "seed": seed}
    return place(corpus, by, placed, how)


def split_by_list(
    corpus: Corpus, lists: Mapping[str, Sequence[str]], *, by: Unit = "chart"
) -> Corpus:
    """Put the notes of the listed charts (patients, notes) into the splits that list them.

    Notes that no list names have no split afterwards. An id in two lists is an error.
    """
    require_notes(corpus)
    placed: dict[str, str] = {}
    for name, ids in lists.items():
        for group in ids:
            if placed.setdefault(group, name) != name:
                raise OptionError(
                    f"{by} {group} is in the lists of {placed[group]} and {name}; "
                    "it can be in one split only."
                )
    here = set(corpus.lazy_notes.select(group_of(corpus, by)).unique().collect()["group"])
    if not here & placed.keys():
        raise OptionError(
            f"None of the {len(placed)} ids in the lists is a {by} id of the corpus. If they "
            f"are ids of another kind, change {option('--by')}."
        )
    how = {"listed": {name: len(ids) for name, ids in lists.items()}, "by": by}
    return place(corpus, by, placed, how)


def part_of(corpus: Corpus, split: str) -> Corpus:
    """The charts of a split; `all` is the whole corpus. A split that is not there is an error."""
    if require_one_split(split) == ALL:
        return corpus
    require_known(split, [*splits_of(corpus), ALL], "split")
    return corpus.select(splits=[split])


def splits_of(corpus: Corpus) -> list[str]:
    """The names of the splits that a corpus has, in order."""
    found = corpus.lazy_notes.select("split").drop_nulls().unique().collect()["split"]
    return found.sort().to_list()


def require_shares(shares: Mapping[str, float]) -> None:
    """An error unless the shares of a split can be."""
    sound = all(0 < share <= 1 for share in shares.values())  # which is false of NaN as well
    if not shares or not sound or abs(sum(shares.values()) - 1) > 1e-6:
        raise OptionError(
            "The shares of a split must be positive and sum to 1; got "
            f"{', '.join(f'{name}={share:g}' for name, share in shares.items()) or 'none'}."
        )


def require_notes(corpus: Corpus) -> None:
    """An error unless there is something to split."""
    if corpus.lazy_notes.select("note_id").head(1).collect().is_empty():
        raise OptionError("The corpus has no notes to split.")


def group_of(corpus: Corpus, by: Unit) -> pl.Expr:
    """What a note belongs to, as the column `group`."""
    if by != "subject":
        return pl.col(f"{by}_id").alias("group")
    of_chart = pl.col("subject_id").drop_nulls().min()
    # Of a merged corpus, some notes of a chart may name its patient and some not.
    partly = (
        corpus.lazy_notes.select("chart_id", "subject_id")
        .group_by("chart_id")
        .agg(of_chart.alias("patient"), pl.col("subject_id").is_null().any().alias("lacks"))
        .filter(pl.col("lacks") & pl.col("patient").is_not_null())
        .collect()
    )
    chart = pl.col("chart_id").replace(partly["chart_id"], partly["patient"])
    return pl.coalesce("subject_id", chart).alias("group")


def place(corpus: Corpus, by: Unit, placed: Mapping[str, str], how: Mapping[str, Any]) -> Corpus:
    """The corpus with each note in the split that its patient, chart or itself is placed in.

    `how` that was decided goes into the corpus's history.
    """
    split = group_of(corpus, by).replace_strict(
        list(placed), list(placed.values()), default=None, return_dtype=pl.String
    )
    made = replace(
        corpus, lazy_notes=corpus.lazy_notes.with_columns(split.alias("split")), path=None
    )
    unit = "note_id" if by == "note" else "chart_id"
    counted = made.lazy_notes.group_by("split").agg(pl.col(unit).n_unique()).sort("split").collect()
    steps = [(f"in {name}" if name else "in no split", 0, n) for name, n in counted.iter_rows()]
    return recorded(made, "split", how, steps)
