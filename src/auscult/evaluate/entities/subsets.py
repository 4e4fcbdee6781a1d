"""The subsets of gold spans on which accuracy tells who is robust (Table 1 of the paper)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from auscult.evaluate.entities.marked import NONE, Bools, Concepts
from auscult.evaluate.entities.settings import Direct, Popular, Settings
from auscult.evaluate.entities.terminology import Terminology
from auscult.evaluate.entities.training import Uses, uses, why_unknown

_NO_TRAINING = "there is no training corpus (--train)"
_NO_VOCABULARY = "there is no vocabulary (--vocabulary)"

ALL = "all"


@dataclass(frozen=True, slots=True)
class Subset:
    """Some of the gold spans: what they have in common, and which they are, or why none can be."""

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
    training: Uses | None,
    terminology: Terminology | None,
    settings: Settings,
    concepts: Concepts,
) -> dict[str, Subset]:
    """The subsets of Table 1, in its order; `texts` are as the settings want them compared."""
    unknown = why_unknown(sum(text is None for text in texts), len(texts))
    learnt = _NO_TRAINING if training is None else None
    unread = learnt or (training.without_text if training is not None else None)
    top = frozenset() if training is None else training.top(settings.top, concepts)
    seen = frozenset() if training is None else frozenset(training.concepts)
    texts_seen = {} if training is None else training.by_text
    is_training = settings.popular is Popular.TRAINING
    judged = training if is_training else _uses_of(texts, gold, asked)
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
            learnt,
        ),
        (
            "multi_word",
            "several words, with blanks between",
            [text is not None and " " in text for text in texts],
            unknown,
        ),
        (
            "unseen_text",
            f"the text is not marked in training, {case}",
            [text not in texts_seen for text in texts],
            unknown or unread,
        ),
        (
            "unseen_concept",
            "none of its concepts is in training",
            [_is_unseen(meant, seen) for meant in gold],
            learnt,
        ),
        (
            "no_direct_match",
            f"the text is not {named}",
            _no_match(texts, gold, terminology, settings),
            unknown or (_NO_VOCABULARY if terminology is None else None),
        ),
        (
            "unpopular",
            f"the text is more often mapped to another concept {where}",
            [
                judged is not None and text is not None and judged.is_unpopular(text, meant)
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


def _uses_of(texts: Sequence[str | None], gold: Sequence[tuple[int, ...]], asked: Bools) -> Uses:
    chosen = np.flatnonzero(asked).tolist()
    return uses([texts[at] for at in chosen], [gold[at] for at in chosen])


def _is_unseen(concepts: tuple[int, ...], seen: frozenset[int]) -> bool:
    """Whether all concepts of a span are new; CUI-less is no concept and never new."""
    return NONE not in concepts and seen.isdisjoint(concepts)


def _no_match(
    texts: Sequence[str | None],
    gold: Sequence[tuple[int, ...]],
    terminology: Terminology | None,
    settings: Settings,
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
