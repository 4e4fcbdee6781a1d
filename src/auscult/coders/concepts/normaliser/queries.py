"""What a marked string may be short for: the ways to look it up."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from auscult.coders.concepts import wording
from auscult.coders.concepts.knowledge import Knowledge
from auscult.codes.abbreviations import common

_MOST = 8
_LISTED = 3
_ASIDE = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*")


class Way(IntEnum):
    """How a query came from the marked text, which says how far to trust what it finds."""

    STATED = 0
    """What the note spells the text out as, or the text itself when it does not.

    A short form that the note spells out is not looked up: elsewhere it may stand for other things.
    """
    SUPPOSED = 1
    """What training notes or a list of abbreviations spell it out as."""
    PART = 2
    """A member of a coordination."""


@dataclass(frozen=True, slots=True)
class Query:
    """One string to look up."""

    text: str = field(repr=False)
    way: Way


def queries(text: str, in_note: Mapping[str, Sequence[str]], knowledge: Knowledge) -> list[Query]:
    """The ways to look a marked text up, each string once, the surest first."""
    found: dict[str, Query] = {}
    for query in _all(text, in_note, knowledge):
        normal = wording.normal(query.text)
        if normal:
            found.setdefault(normal, query)
    return list(found.values())[:_MOST]


def _all(text: str, in_note: Mapping[str, Sequence[str]], knowledge: Knowledge) -> Iterator[Query]:
    spelt = list(_spelt_out(text, in_note))
    stated = spelt or [text]
    bare = _ASIDE.sub(" ", text).strip()
    if bare and bare != text:
        stated.append(bare)
    for one in stated:
        yield Query(one, Way.STATED)
    for one in [text, *stated]:
        for part in wording.parts(one):
            yield Query(part, Way.PART)
            for long in _spelt_out(part, in_note):
                yield Query(long, Way.PART)
    if not spelt:
        for long in [*knowledge.spelt_out(text)[:_LISTED], *common().expand(text)[:_LISTED]]:
            yield Query(long, Way.SUPPOSED)
        learnt = {word: knowledge.spelt_out(word)[:1] for word in text.split() if word.isupper()}
        for long in _spelt_out(text, {wording.normal(w): ls for w, ls in learnt.items() if ls}):
            yield Query(long, Way.SUPPOSED)


def _spelt_out(text: str, abbreviations: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The text with short forms put into words: the whole of it, or one of its words."""
    normal = wording.normal(text)
    # Patients with the gene are "DMDs", and the plural is no other abbreviation.
    for whole in (normal, normal.removesuffix("s")):
        if whole in abbreviations:
            yield from abbreviations[whole]
            return
    words = text.split()
    for at, word in enumerate(words):
        if len(words) > 1 and (longs := abbreviations.get(wording.normal(word))):
            yield " ".join([*words[:at], longs[0], *words[at + 1 :]])
