"""The queries for a mention: the strings to look up for it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from auscult.codes.abbreviations import common
from auscult.models.entities import string_forms
from auscult.models.entities.mention_statistics import MentionStatistics

_MOST = 8
_LISTED = 3
_ASIDE = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*")


class QueryOrigin(IntEnum):
    """How a query was derived from the mention, which determines how reliable its results are."""

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
    way: QueryOrigin


def queries(
    text: str, in_note: Mapping[str, Sequence[str]], knowledge: MentionStatistics
) -> list[Query]:
    """The queries for a mention, each string once, the most reliable first."""
    found: dict[str, Query] = {}
    for query in _all(text, in_note, knowledge):
        normal = string_forms.normal(query.text)
        if normal:
            found.setdefault(normal, query)
    return list(found.values())[:_MOST]


def _all(
    text: str, in_note: Mapping[str, Sequence[str]], knowledge: MentionStatistics
) -> Iterator[Query]:
    spelled = list(_spelled_out(text, in_note))
    stated = spelled or [text]
    bare = _ASIDE.sub(" ", text).strip()
    if bare and bare != text:
        stated.append(bare)
    for one in stated:
        yield Query(one, QueryOrigin.STATED)
    for one in [text, *stated]:
        for part in string_forms.parts(one):
            yield Query(part, QueryOrigin.PART)
            for long in _spelled_out(part, in_note):
                yield Query(long, QueryOrigin.PART)
    if not spelled:
        for long in [*knowledge.spelled_out(text)[:_LISTED], *common().expand(text)[:_LISTED]]:
            yield Query(long, QueryOrigin.SUPPOSED)
        known = {word: knowledge.spelled_out(word)[:1] for word in text.split() if word.isupper()}
        for long in _spelled_out(
            text, {string_forms.normal(w): ls for w, ls in known.items() if ls}
        ):
            yield Query(long, QueryOrigin.SUPPOSED)


def _spelled_out(text: str, abbreviations: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The text with an abbreviation spelled out: the whole text, or one of its words."""
    normal = string_forms.normal(text)
    # Patients with the gene are "DMDs", and the plural is no other abbreviation.
    for whole in (normal, normal.removesuffix("s")):
        if whole in abbreviations:
            yield from abbreviations[whole]
            return
    words = text.split()
    for at, word in enumerate(words):
        if len(words) > 1 and (longs := abbreviations.get(string_forms.normal(word))):
            yield " ".join([*words[:at], longs[0], *words[at + 1 :]])
