"""Choose the annotator: the one named, the only one, or the gold standard judging by its name.

Several people's codes of one chart are never taken together unless somebody asks for it: their
union is nobody's opinion.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection

from auscult.core import OptionError
from auscult.core.deferred import polars as pl
from auscult.core.names import require_known
from auscult.core.option_names import option
from auscult.corpus.corpus import Corpus
from auscult.corpus.gold_names import gold_by_name
from auscult.corpus.readers import readings

_LISTED = 20


def annotators_of(corpus: Corpus) -> list[str]:
    """Everyone who annotated, by name."""
    return (
        corpus.lazy_annotations.select("annotator").unique().collect()["annotator"].sort().to_list()
    )


def choose_annotator(
    corpus: Corpus,
    name: str | None,
    side: str = "The corpus",
    flag: str = "--annotator",
    *,
    is_gold: bool = True,
) -> str | None:
    """The annotator named; else the only one, or the gold standard by name (with a message).

    None where nobody annotated. `side` and `flag` are what messages call the corpus, and the
    option that names an annotator. Of predictions (`is_gold` is false) no one is gold.
    """
    if name is not None:
        return require_known(name, _everyone(corpus), f"annotator in {_in(side)}")
    known = annotators_of(corpus)
    # Not every function that takes predictions has an argument for their annotator.
    select = None if is_gold else "Corpus.select(annotators=[NAME])"
    how = option(f"{flag} NAME", select)
    return _only(known, side, how, is_gold=is_gold)


def choose_annotators(corpus: Corpus, names: Collection[str] | None) -> tuple[str, ...] | None:
    """The annotators named; else all of them, provided no chart was annotated by two of them.

    Where one was, the one who is gold by name is taken. None where nobody annotated.
    """
    if names is not None:
        return tuple(require_known(name, _everyone(corpus), "annotator") for name in names)
    known = annotators_of(corpus)
    theirs = readings(corpus).filter(pl.col("annotator").is_in(known))
    how = option("--annotator NAME", "config={'annotators': [NAME]}")
    if len(known) > 1 and theirs.group_by("chart_id").len().collect()["len"].max() != 1:
        known = [name for name in [_only(known, "The corpus", how)] if name is not None]
    return tuple(known) or None


def _only(known: list[str], side: str, how: str, *, is_gold: bool = True) -> str | None:
    if len(known) < 2:
        return known[0] if known else None
    listed = ", ".join(known[:_LISTED]) + (", …" if len(known) > _LISTED else "")
    there = f"{side} has annotations by {len(known)} annotators: {listed}."
    gold = gold_by_name(known) if is_gold else None
    if gold is None:
        raise OptionError(f"{there} Choose one with {how}.")
    warnings.warn(
        f"{there} Using {gold}, the gold standard judging by its name. To use another, pass {how}.",
        stacklevel=4,
    )
    return gold


def _everyone(corpus: Corpus) -> list[str]:
    """Those who annotated, or are named as readers, or gave nothing of what they wrote down."""
    tables = [
        corpus.lazy_all_annotations.select("annotator"),
        corpus.lazy_notes.select(pl.col("read_by").alias("annotator"))
        .drop_nulls()
        .explode("annotator"),
    ]
    return pl.concat(tables).unique().collect()["annotator"].sort().to_list()


def _in(side: str) -> str:
    return "the corpus" if side == "The corpus" else side
