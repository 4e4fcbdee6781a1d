"""Who decided: an annotator of the queue, however the name is typed, or somebody else."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from auscult.agreement.adjudication.decision import Decision
from auscult.core import OptionError

_NEAR = 0.8


def plain(name: str) -> str:
    """A name without what people type differently: case, and blanks around and within.

    >>> plain("  Ann  SMITH ")
    'ann smith'
    """
    return " ".join(name.split()).casefold()


def annotator_of(who: str, annotators: Sequence[str]) -> str | None:
    """The annotator that a name is of, or None when it is somebody else's."""
    if who in annotators:
        return who
    alike = [annotator for annotator in annotators if plain(annotator) == plain(who)]
    if len(alike) > 1:
        raise OptionError(
            f"The name under who could be {' or '.join(alike)}. Use the exact annotator name."
        )
    return alike[0] if alike else None


def one_spelling(decisions: Iterable[Decision], annotators: Sequence[str]) -> list[Decision]:
    """The decisions with every person's name in one spelling, that of an annotator their own."""
    made = list(decisions)
    spelling: dict[str, str] = {}
    for who in sorted({decision.who for decision in made}):
        spelling[who] = annotator_of(who, annotators) or spelling.get(plain(who), who)
        spelling.setdefault(plain(who), spelling[who])
    return [
        decision
        if spelling[decision.who] == decision.who
        else replace(decision, who=spelling[decision.who])
        for decision in made
    ]


def named(who: str, annotators: Sequence[str], known: Collection[str] = ()) -> str:
    """The name as the annotator writes it, or as it is when it is somebody else's.

    Whether an annotator or somebody else decides makes all the difference, so a name that is nearly
    a annotator's is an error, unless it is that of another annotator who is `known`.

    >>> named("Ann ", ["ann", "bob"]), named("eve", ["ann", "bob"])
    ('ann', 'eve')
    """
    annotator = annotator_of(who, annotators)
    if annotator is not None or plain(who) in map(plain, known):
        return annotator or who
    near = difflib.get_close_matches(plain(who), map(plain, annotators), n=1, cutoff=_NEAR)
    if near:
        meant = next(annotator for annotator in annotators if plain(annotator) == near[0])
        raise OptionError(
            f"The name under who is similar to the annotator {meant}. If {meant} decided, write "
            "exactly that; otherwise use a clearly different name."
        )
    return who
