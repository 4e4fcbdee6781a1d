"""Whose annotations are systems, and which notes they learnt from, when only corpora are given."""

from __future__ import annotations

import warnings
from collections.abc import Collection

from auscult.core import OptionError
from auscult.core.names import require_known
from auscult.corpus import Corpus
from auscult.corpus.annotators import annotators_of

TRAIN = "train"


def systems_in(
    corpus: Corpus,
    gold: Corpus,
    annotators: Collection[str],
    *,
    only: Collection[str] = (),
    called: str = "The corpus",
) -> dict[str, Corpus]:
    """The annotations of every system in a corpus, by annotator.

    A corpus of one annotator is that one's. Of several, gold's `annotators` are none; nor is who
    annotated the gold corpus too, as long as there are others: the people that a system's answers
    were put beside. `only` names the systems instead.

    >>> from auscult.core import Annotation, Code
    >>> def said(*who):
    ...     return Corpus.of([], [Annotation(one, Code("UMLS", "C1"), "c") for one in who])
    >>> gold, both = said("ann", "bob"), said("ann", "bob", "ctakes")
    >>> list(systems_in(both, gold, ["ann"], only=["bob"]))
    ['bob']
    """
    known = annotators_of(corpus)
    if only:
        chosen = [who for who in known if who in only]
    elif len(known) < 2:
        chosen = known
    else:
        others = [who for who in known if who not in annotators]
        beside = set(annotators_of(gold))
        chosen = [who for who in others if who not in beside] or others
        if left := [who for who in others if who not in chosen]:
            warnings.warn(
                f"{called}: {', '.join(left)} annotated GOLD too and is not taken for a system. "
                f"Name the systems with --system-annotator.",
                stacklevel=2,
            )
    if known and not chosen:
        whose = f"of {', '.join(only)}" if only else "of a system, only of gold's annotators"
        raise OptionError(
            f"{called} has no annotations {whose}. It has those of {', '.join(known[:20])}."
        )
    return {who: corpus.select(annotators=[who]) for who in chosen} or {"": corpus}


def training_in(
    gold: Corpus, annotator: str | None, split: str | None, train_split: str | None = None
) -> Corpus | None:
    """The part of the gold corpus that systems learnt from: a split other than the one measured.

    That is the split `train` unless another is named, or nothing when there is none.
    """
    splits = gold.notes.select("split").unique().drop_nulls().collect()["split"].to_list()
    if train_split is not None:
        require_known(train_split, splits, "split")
        if split in (None, train_split):
            raise OptionError(
                f"Systems learnt from the split {train_split}, which is measured too. Name the "
                "split to measure with --split."
            )
    elif split in (None, TRAIN) or annotator is None:
        return None
    part = gold.select(
        annotators=None if annotator is None else [annotator], splits=[train_split or TRAIN]
    )
    return part if part.annotations.head(1).collect().height else None
