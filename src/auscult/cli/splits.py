"""A split of a corpus by its name, for the commands that look at one."""

from __future__ import annotations

from auscult.core.names import require_known
from auscult.corpus import Corpus


def part_of(corpus: Corpus, split: str) -> Corpus:
    """The charts of a split; `all` is the whole corpus."""
    if split == "all":
        return corpus
    there = corpus.notes.select("split").unique().collect()["split"].drop_nulls().to_list()
    require_known(split, [*there, "all"], "split")
    return corpus.select(splits=[split])
