"""The subsets of gold spans that show how robust a system is (Table 1 of the paper)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from auscult.core.option_names import option
from auscult.evaluate.entities.marked_spans import NONE, Bools, ConceptNumbers
from auscult.evaluate.entities.settings import Direct, EntitySettings, Popular
from auscult.evaluate.entities.terminology import Terminology
from auscult.evaluate.entities.training import TrainingUses, uses, why_unknown

ALL = "all"


@dataclass(frozen=True, slots=True)
class Subset:
    """A subset of the gold spans: its definition and its spans, or why it is undefined."""

    name: str
    definition: str
    spans: Bools = field(repr=False)
    undefined: str | None = None

    def __len__(self) -> int:
        return int(self.spans.sum())


def subsets(
    texts: Sequence[str | None],
    gold: Sequence[tuple[int, ...]],
    asked: Bools,
    training: TrainingUses | None,
    terminology: Terminology | None,
    settings: EntitySettings,
    concepts: ConceptNumbers,
) -> dict[str, Subset]:
    """The subsets of Table 1, in its order; `texts` are as the settings want them compared."""
    unknown = why_unknown(sum(text is None for text in texts), len(texts))
    untrained, unnamed = None, None
    if training is None:
        untrained = f"there is no training corpus ({option('--train-corpus', 'train')})"
    if terminology is None:
        unnamed = f"there is no vocabulary ({option('--vocabulary')})"
    unread = untrained or (training.without_text if training is not None else None)
    top = frozenset() if training is None else training.top(settings.top, concepts)
    seen = frozenset() if training is None else frozenset(training.concepts)
    texts_seen = {} if training is None else training.by_text
    is_training = settings.popular is Popular.TRAINING
    counted = training if is_training else _uses_of(texts, gold, asked)
    case = "whatever the case" if settings.fold_case else "in the same case"
    where = "in training" if is_training else "in gold"
    named = (
        "a name of any concept of the vocabulary"
        if settings.direct is Direct.VOCABULARY
        else "a name of one of its gold concepts in the vocabulary"
    )
    rows: list[tuple[str, str, list[bool], str | None]] = [
        (ALL, "every span", [True] * len(gold), None),
        (
            f"top_{settings.top}",
            f"mapped to one of the {settings.top} concepts most frequent in training",
            [not top.isdisjoint(meant) for meant in gold],
            untrained,
        ),
        (
            "multi_word",
            "several words, with blanks between",
            [text is not None and " " in text for text in texts],
            unknown,
        ),
        (
            "unseen_text",
            f"the text is not annotated in training, {case}",
            [text not in texts_seen for text in texts],
            unknown or unread,
        ),
        (
            "unseen_concept",
            "none of its concepts is in training",
            [_is_unseen(meant, seen) for meant in gold],
            untrained,
        ),
        (
            "no_direct_match",
            f"the text is not {named}",
            _no_match(texts, gold, terminology, settings),
            unknown or unnamed,
        ),
        (
            "unpopular",
            f"the text is more often mapped to another concept {where}",
            [
                counted is not None and text is not None and counted.is_unpopular(text, meant)
                for text, meant in zip(texts, gold, strict=True)
            ],
            unknown or (unread if is_training else None),
        ),
    ]
    return {
        name: Subset(
            name,
            definition,
            asked & np.array(chosen, dtype=np.bool_) & (why is None),
            why,
        )
        for name, definition, chosen, why in rows
    }


def by_type(types: Sequence[frozenset[str]], asked: Bools, least: int) -> dict[str, Subset]:
    """The spans of each semantic type that has at least `least`, the most frequent type first.

    A span whose concepts have several types is in each of them.
    """
    members: dict[str, list[int]] = {}
    for span in np.flatnonzero(asked).tolist():
        for name in types[span]:
            members.setdefault(name, []).append(span)
    ordered = sorted(members.items(), key=lambda item: (-len(item[1]), item[0]))
    found = {}
    for name, spans in ordered:
        if len(spans) >= least:
            chosen = np.zeros(len(asked), dtype=np.bool_)
            chosen[spans] = True
            found[name] = Subset(name, f"a concept of the semantic type {name}", chosen)
    return found


def _uses_of(
    texts: Sequence[str | None], gold: Sequence[tuple[int, ...]], asked: Bools
) -> TrainingUses:
    chosen = np.flatnonzero(asked).tolist()
    return uses([texts[at] for at in chosen], [gold[at] for at in chosen])


def _is_unseen(concepts: tuple[int, ...], seen: frozenset[int]) -> bool:
    """Whether all concepts of a span are new; CUI-less is no concept and never new."""
    return NONE not in concepts and seen.isdisjoint(concepts)


def _no_match(
    texts: Sequence[str | None],
    gold: Sequence[tuple[int, ...]],
    terminology: Terminology | None,
    settings: EntitySettings,
) -> list[bool]:
    if terminology is None:
        return [False] * len(gold)
    called = {text: terminology.called(text) for text in set(texts) if text is not None}
    found = []
    for text, concepts in zip(texts, gold, strict=True):
        names = called.get(text or "", frozenset())
        own = names & {terminology.code(c) for c in concepts if c != NONE}
        found.append(not (names if settings.direct is Direct.VOCABULARY else own))
    return found
