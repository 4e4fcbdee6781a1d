"""Who decided: a coder of the queue, however the name is typed, or somebody else."""

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


def coder_of(who: str, coders: Sequence[str]) -> str | None:
    """The coder that a name is of, or None when it is somebody else's."""
    if who in coders:
        return who
    alike = [coder for coder in coders if plain(coder) == plain(who)]
    if len(alike) > 1:
        raise OptionError(
            f"The name under who could be {' or '.join(alike)}. Use the exact annotator name."
        )
    return alike[0] if alike else None


def one_spelling(decisions: Iterable[Decision], coders: Sequence[str]) -> list[Decision]:
    """The decisions with every person's name in one spelling, that of a coder their own."""
    made = list(decisions)
    spelling: dict[str, str] = {}
    for who in sorted({decision.who for decision in made}):
        spelling[who] = coder_of(who, coders) or spelling.get(plain(who), who)
        spelling.setdefault(plain(who), spelling[who])
    return [
        decision
        if spelling[decision.who] == decision.who
        else replace(decision, who=spelling[decision.who])
        for decision in made
    ]


def named(who: str, coders: Sequence[str], known: Collection[str] = ()) -> str:
    """The name as the coder writes it, or as it is when it is somebody else's.

    Whether a coder or somebody else decides makes all the difference, so a name that is nearly a
    coder's is an error, unless it is that of another annotator who is `known`.

    >>> named("Ann ", ["ann", "bob"]), named("eve", ["ann", "bob"])
    ('ann', 'eve')
    """
    coder = coder_of(who, coders)
    if coder is not None or plain(who) in map(plain, known):
        return coder or who
    near = difflib.get_close_matches(plain(who), map(plain, coders), n=1, cutoff=_NEAR)
    if near:
        meant = next(coder for coder in coders if plain(coder) == near[0])
        raise OptionError(
            f"The name under who is similar to the annotator {meant}. If {meant} decided, write "
            "exactly that; otherwise use a clearly different name."
        )
    return who
