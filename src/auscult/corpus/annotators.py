"""Whose annotations count: the annotator named, the only one, or the one that is gold by its name.

Several people's codes of one chart are never taken together unless somebody asks for it: their
union is nobody's opinion.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection

import polars as pl

from auscult.core import OptionError
from auscult.core.names import require_known
from auscult.corpus.corpus import Corpus
from auscult.corpus.readers import readings

GOLD_NAMES = ("gold", "adjudicated", "consensus", "majority")
"""Words in the name of an annotator whose codes are the right ones, the surest first."""
_LISTED = 20


def annotators_of(corpus: Corpus) -> list[str]:
    """Everyone who annotated, by name."""
    return corpus.annotations.select("annotator").unique().collect()["annotator"].sort().to_list()


def gold_by_name(names: Collection[str]) -> str | None:
    """The annotator whose name says that the codes are right, if just one does.

    >>> gold_by_name(["COMPANY1", "COMPANY2", "CMC_MAJORITY"]), gold_by_name(["ann", "bob"])
    ('CMC_MAJORITY', None)
    """
    for word in GOLD_NAMES:
        found = [name for name in names if word in re.split(r"[^a-z]+", name.lower())]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def choose_annotator(
    corpus: Corpus,
    name: str | None,
    side: str = "The corpus",
    option: str = "--annotator",
    *,
    is_gold: bool = True,
) -> str | None:
    """The annotator named; else the only one, or the one that is gold by name, which is said.

    None where nobody annotated. `side` and `option` are what messages call the corpus, and what
    names an annotator. Of predictions (`is_gold` is false) no one is gold.
    """
    known = annotators_of(corpus)
    if name is not None:
        return require_known(name, known, f"annotator in {_in(side)}")
    return _only(known, side, option, is_gold=is_gold)


def choose_annotators(
    corpus: Corpus, names: Collection[str] | None, option: str = "--annotator"
) -> tuple[str, ...] | None:
    """The annotators named; else everyone, as long as no chart was annotated by two of them.

    Where one was, the one who is gold by name is taken. None where nobody annotated.
    """
    known = annotators_of(corpus)
    if names is not None:
        return tuple(require_known(name, known, "annotator") for name in names)
    theirs = readings(corpus).filter(pl.col("annotator").is_in(known))
    if len(known) > 1 and theirs.group_by("chart_id").len().collect()["len"].max() != 1:
        known = [name for name in [_only(known, "The corpus", option)] if name is not None]
    return tuple(known) or None


def _only(known: list[str], side: str, option: str, *, is_gold: bool = True) -> str | None:
    if len(known) < 2:
        return known[0] if known else None
    listed = ", ".join(known[:_LISTED]) + (", …" if len(known) > _LISTED else "")
    there = f"{side} has annotations by {len(known)} annotators: {listed}."
    gold = gold_by_name(known) if is_gold else None
    if gold is None:
        raise OptionError(f"{there} Choose one with {option} NAME.")
    warnings.warn(
        f"{there} Using {gold}, which is the gold standard by its name. To use another, pass "
        f"{option} NAME.",
        stacklevel=4,
    )
    return gold


def _in(side: str) -> str:
    return "the corpus" if side == "The corpus" else side
