"""The ways to understand a query: as it stands, and with its shorthand spelled out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from auscult.codes.abbreviations import defined_in
from auscult.codes.lookup.clinicians import ClinicianTable, Wording, WordingKind
from auscult.codes.lookup.words import emphasis, words_of

_WORD = re.compile(r"[^\W_]+")
_SENSE = 0.06
"""What each sense of an abbreviation is behind the one before it."""
_MOST_SENSES = 3
_ALIAS = 0.95
_DEFINED = 1.05
_MOST_READINGS = 6
_EXACT = 1.2
"""The score of what the clinicians' table says the whole query means."""
_SHORT = (WordingKind.ABBREVIATION, WordingKind.SHORTHAND, WordingKind.SPELLING)
_Spans = list[tuple[int, int, tuple[Wording, ...]]]


@dataclass(frozen=True, slots=True, repr=False)
class Reading:
    """One way to understand a query, how likely it is, and what to say of it."""

    text: str
    factor: float = 1.0
    because: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class WholeMeaning:
    """What the clinicians' table says that a whole query means."""

    code: str
    score: float
    because: str


@dataclass(frozen=True, slots=True, repr=False)
class PhraseQuery:
    """A query, and the note that it was marked in, if any."""

    text: str
    words: tuple[str, ...]
    capitals: tuple[bool, ...]
    note: str | None

    @classmethod
    def of(cls, text: str, note: str | None = None) -> PhraseQuery:
        """The query of a text."""
        words = tuple(words_of(text))
        capitals = tuple(token.isupper() for token in _WORD.findall(text))
        # Where folding changed the number of words, no word is known to be in lower case.
        return cls(
            text, words, capitals if len(capitals) == len(words) else (True,) * len(words), note
        )

    def context(self) -> frozenset[str]:
        """The words around, which tell the senses of an abbreviation apart."""
        return frozenset(self.words) | _words_in(self.note or "")


class QueryReadings:
    """Understands queries by the clinicians' table, the note, and the index's own references."""

    def __init__(self, clinicians: ClinicianTable, aliases: Mapping[str, Sequence[str]]) -> None:
        self._clinicians = clinicians
        self._aliases = aliases

    def whole(self, query: PhraseQuery) -> list[WholeMeaning]:
        """What the whole query means, likeliest first."""
        meant = self._clinicians.meanings(query.words, query.capitals, query.context)
        return [
            WholeMeaning(one.code, _EXACT * (1 - _SENSE * rank), str(one))
            for rank, one in enumerate(one for one in meant if one.code)
        ]

    def of(self, query: PhraseQuery) -> list[Reading]:
        """The ways to read a query, the way it stands first."""
        spans = list(self._clinicians.spans(query.words, query.capitals, query.context))
        short = [span for span in spans if span[2][0].kind in _SHORT]
        found: dict[str, Reading] = {}
        if not _hides_a_word(query, short):
            found[query.text] = Reading(query.text)
        for reading in (
            *_defined(query),
            *_spelled_out(query, short),
            *_spelled_out(query, spans),
            *self._aliased(query),
        ):
            found.setdefault(reading.text, reading)
        return list(found.values())[:_MOST_READINGS]

    def _aliased(self, query: PhraseQuery) -> list[Reading]:
        return [
            Reading(
                " ".join(other if one == word else one for one in query.words),
                _ALIAS,
                f"{word}: {other}",
            )
            for word in query.words
            for other in self._aliases.get(word, ())
        ]


def _hides_a_word(query: PhraseQuery, spans: _Spans) -> bool:
    """Whether an abbreviation looks like a word that says nothing: NEC is an enterocolitis, too."""
    return any(
        query.capitals[begin]
        and all(not emphasis(word) for word in query.words[begin:end])
        and meanings[0].kind is WordingKind.ABBREVIATION
        for begin, end, meanings in spans
    )


def _spelled_out(query: PhraseQuery, spans: _Spans) -> list[Reading]:
    """The query with each wording in the place of what it means, in one sense after the other."""
    most = max((len(meanings) for _, _, meanings in spans), default=0)
    found = []
    for rank in range(min(most, _MOST_SENSES)):
        parts: list[str] = []
        because: list[str] = []
        last = 0
        for begin, end, meanings in spans:
            meant = meanings[min(rank, len(meanings) - 1)]
            parts += [*query.words[last:begin], meant.means]
            because.append(str(meant))
            last = end
        text = " ".join([*parts, *query.words[last:]])
        found.append(Reading(text, 1 - _SENSE * rank, "; ".join(because)))
    return found


def _defined(query: PhraseQuery) -> list[Reading]:
    """The query with the abbreviations that the note itself spells out."""
    if query.note is None:
        return []
    longs = _definitions(query.note)
    if not any(word in longs for word in query.words):
        return []
    text = " ".join(longs.get(word, word) for word in query.words)
    because = "; ".join(
        f"the note spells out {word} as {longs[word]}" for word in query.words if word in longs
    )
    return [Reading(text, _DEFINED, because)]


@lru_cache(maxsize=8)
def _definitions(note: str) -> Mapping[str, str]:
    return {
        words[0]: long for short, long in defined_in(note) if len(words := words_of(short)) == 1
    }


@lru_cache(maxsize=8)
def _words_in(note: str) -> frozenset[str]:
    return frozenset(words_of(note))
