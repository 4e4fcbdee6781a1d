"""The systems and their training notes, where only corpora are given."""

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

    If the corpus has one annotator, that is the system. Of several, gold's `annotators` are not
    systems, nor are those who also annotated the gold corpus, as long as others remain. `only`
    names the systems instead.

    >>> from auscult.core import Annotation, Code
    >>> def annotated_by(*who):
    ...     return Corpus.of([], [Annotation(one, Code("UMLS", "C1"), "c") for one in who])
    >>> gold, both = annotated_by("ann", "bob"), annotated_by("ann", "bob", "ctakes")
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
                f"{called}: {', '.join(left)} also annotated GOLD and is not counted as a "
                "system. Name the systems with --system-annotator.",
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
    """The part of the gold corpus that systems were trained on: another split than the evaluated.

    That is the split `train` unless another is named, or nothing when there is none.
    """
    splits = gold.lazy_notes.select("split").unique().drop_nulls().collect()["split"].to_list()
    if train_split is not None:
        require_known(train_split, splits, "split")
        if split in (None, train_split):
            raise OptionError(
                f"The systems were trained on the split {train_split}, which is evaluated too. "
                "Choose the split to evaluate with --split."
            )
    elif split in (None, TRAIN) or annotator is None or TRAIN not in splits:
        return None
    part = gold.select(
        annotators=None if annotator is None else [annotator], splits=[train_split or TRAIN]
    )
    return part if part.lazy_annotations.head(1).collect().height else None
