"""The code box: codes as they are typed, and suggestions for words that were marked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from auscult.codes import SYSTEMS, is_well_formed, normalize, table_of
from auscult.codes.lookup.quick import quick_matches, starting_codes
from auscult.codes.lookup.words import description_stems
from auscult.codes.sources import icd
from auscult.codes.suggest import LONGEST, shared_words
from auscult.codes.table import CodeEntry, CodeTable
from auscult.core import Code
from auscult.server.coding.sources import CodeSources
from auscult.server.errors import RefusedError
from auscult.server.shapes.search import CodeOut, Pair

_DIAGNOSES = "ICD-10-CM"
_PROCEDURES = ("ICD-10-PCS", "ICD-9-PCS")
_LEADING = 3
"""How many codes of the first system come before those of others."""
_NOISE = 0.3
"""Below this part of the best score, a procedure is not shown among the first."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question to all systems."""

    text: str = field(repr=False)
    note: str | None = field(repr=False)
    limit: int
    billed: frozenset[Code]
    is_typing: bool = False


@dataclass(frozen=True, slots=True)
class _Candidate:
    code: Code
    name: str | None
    score: float | None
    why: str = field(repr=False)


class CodeBox:
    """The code box of a project.

    Typed and marked words are looked up in the same way. The project's first system leads: its
    first codes come before those of any other. Then comes the best of each other system, so that
    none is crowded out, and then the rest by turns.
    """

    def __init__(
        self, sources: CodeSources, systems: Sequence[str], vocabulary: str | None
    ) -> None:
        self._sources = sources
        self._systems = systems
        self._vocabulary = vocabulary
        self._names = sources.names(vocabulary)

    def search(
        self, typed: str, systems: Sequence[str], limit: int, billed: frozenset[Code] = frozenset()
    ) -> list[CodeOut]:
        """Codes by what is typed; a free code that is in no table comes last."""
        wanted = [system for system in self._systems if not systems or system in systems]
        text = typed.strip()
        if not text or not wanted:
            return []
        started = {
            system: entries
            for system in wanted
            if (table := table_of(system)) and (entries := starting_codes(table, text))
        }
        asked = _Asked(text, None, limit, billed, is_typing=True)
        each = {system: self._of(system, asked, started) for system in wanted}
        return self._ranked(
            [*_merged(each, text, limit - 1), self._free(text, wanted)], limit, billed
        )

    def suggest(
        self,
        words: str,
        note: str | None,
        limit: int,
        billed: frozenset[Code] = frozenset(),
    ) -> list[CodeOut]:
        """Codes for marked words, the likeliest of each system first.

        Billed codes that share a word with them come right after the first of their system.
        """
        if len(words) > LONGEST:
            raise RefusedError(f"Select at most {LONGEST} characters; got {len(words)}.")
        if not words.strip():
            return []
        started = {
            system: entries
            for system in self._systems
            # Of what stands in a note only a whole code is one: C3 is a vertebra.
            if (table := table_of(system))
            and words in table
            and (entries := starting_codes(table, words))
        }
        asked = _Asked(words, note, limit, billed)
        each = {system: self._of(system, asked, started) for system in self._systems}
        for system, found in each.items():
            # After an exact match, which the search puts first.
            found[1:1] = self._billed(words, system, billed)
        return self._ranked(_merged(each, words, limit), limit, billed)

    def _of(
        self, system: str, asked: _Asked, started: Mapping[str, Sequence[CodeEntry]]
    ) -> list[_Candidate]:
        """The codes of one system; `started` has those that begin as the query does."""
        if system in started:
            return [
                _Candidate(Code(system, entry.value), entry.description, None, "starts with this")
                for entry in started[system][: asked.limit]
            ]
        own = self._of_vocabulary(system, asked)
        if system not in icd.SYSTEMS:
            return own
        search = self._sources.search(system)
        if search is None or started:
            # What is the beginning of another system's code is hardly a word.
            matches = quick_matches(asked.text, asked.note) if system == _DIAGNOSES else []
        else:
            matches = search.search(
                asked.text,
                limit=asked.limit,
                typing=asked.is_typing,
                note=asked.note,
                billed=[code.value for code in asked.billed if code.system == system],
            )
        found = [_Candidate(one.code, one.description, one.score, one.why) for one in matches]
        exact = [one for one in own if one.score == 1.0]
        rest = [one for one in own if one.score != 1.0]
        return [*found[:1], *exact, *found[1:], *rest]

    def _of_vocabulary(self, system: str, asked: _Asked) -> list[_Candidate]:
        """Codes of a system that the project's vocabulary has, or that have the system's form."""
        value = normalize(system, asked.text)
        vocabulary = self._sources.vocabulary(self._vocabulary)
        found = []
        if vocabulary is not None and system in vocabulary.manifest.systems:
            concept = vocabulary.get(value, system) if asked.is_typing else None
            if concept is not None:
                found.append(_Candidate(concept.code, concept.name, 1.0, "exact code"))
            near = self._sources.suggest(vocabulary.path, asked.text, asked.note, asked.limit)
            found += [
                _Candidate(one.code, one.name, one.score, one.why)
                for one in near
                if one.code.system == system
            ]
        elif table_of(system) is None and _has_form(system, value):
            why = f"has the form of a {system} code"
            found.append(_Candidate(Code(system, value), None, None, why))
        return found

    def _billed(self, words: str, system: str, billed: frozenset[Code]) -> Iterator[_Candidate]:
        """The billed codes of a system whose names share words with the marked ones."""
        vocabulary = self._sources.vocabulary(self._vocabulary)
        language = "english" if vocabulary is None else vocabulary.manifest.language
        for code in sorted(billed, key=str):
            if code.system == system:
                name = self._names.about(code.system, code.value)["name"]
                if name and (shared := shared_words(words, name, language)):
                    why = f'billed for this chart, and shares {", ".join(shared)} with "{name}"'
                    yield _Candidate(code, name, None, why)

    def _free(self, typed: str, systems: Sequence[str]) -> _Candidate:
        """What was typed, as it is: kept if it is chosen, and flagged."""
        fitting = (s for s in systems if is_well_formed(Code(s, normalize(s, typed))))
        system = next(fitting, systems[0])
        value = normalize(system, typed)[:200]
        return _Candidate(Code(system, value), None, None, "as typed: unknown code")

    def _ranked(
        self, found: Iterable[_Candidate], limit: int, billed: frozenset[Code]
    ) -> list[CodeOut]:
        kept = _unique(found)
        if len(kept) > limit:
            kept = [*kept[: limit - 1], kept[-1]] if kept[-1].name is None else kept[:limit]
        tables = {system: table_of(system) for system in {one.code.system for one in kept}}
        return [
            self._out(rank, one, tables[one.code.system], billed)
            for rank, one in enumerate(kept, 1)
        ]

    def _out(
        self, rank: int, one: _Candidate, table: CodeTable | None, billed: frozenset[Code]
    ) -> CodeOut:
        about = self._names.about(one.code.system, one.code.value)
        return CodeOut(
            rank=rank,
            system=one.code.system,
            code=one.code.value,
            name=one.name or about["name"],
            score=one.score,
            why=one.why,
            known=about["known"],
            billable=None if table is None else table.is_billable(one.code.value),
            billed=one.code in billed,
            pair=self._pair(one.code),
        )

    def _pair(self, code: Code) -> Pair | None:
        mapped = self._sources.pair(code)
        if mapped is None:
            return None
        other = mapped.code
        about = None if other is None else self._names.about(other.system, other.value)
        return Pair(
            system="ICD-9-CM" if code.system == "ICD-10-CM" else "ICD-10-CM",
            code=None if other is None else other.value,
            name=None if about is None else about["name"],
            step=mapped.step.value,
            alternatives=list(mapped.alternatives[:20]),
        )


def _merged(each: Mapping[str, Sequence[_Candidate]], text: str, limit: int) -> list[_Candidate]:
    """The codes of all systems in one list, of which the first `limit` are shown.

    Procedures come after diagnoses, unless the project codes them in the first place or the words
    are the very name of one.
    """
    found = {system: list(some) for system, some in each.items() if some}
    if not found:
        return []
    first = next(iter(each))
    named = [one for one in found if one in _PROCEDURES and _is_name(text, found[one][0])]
    waiting = [one for one in found if one in _PROCEDURES and one not in (*named, first)]
    order = [*named, *(one for one in found if one not in (*named, *waiting))]
    lead, *others = order or waiting
    waiting = [one for one in waiting if one != lead]
    far = [one for one in waiting if _is_far_behind(found[one][0], found[lead][0])]
    merged = [
        *found[lead][:_LEADING],
        *(found[one][0] for one in others),
        *(found[one][0] for one in waiting if one not in far),
        *_in_turn([found[lead][_LEADING:], *(found[one][1:] for one in others)]),
    ]
    if far:  # it closes the list, but is in it
        merged = _unique(merged)[: max(limit - len(far), 1)]
    return [*merged, *(found[one][0] for one in far), *_in_turn([found[one] for one in waiting])]


def _unique(found: Iterable[_Candidate]) -> list[_Candidate]:
    """Each code once, where it comes first."""
    unique: dict[Code, _Candidate] = {}
    for one in found:
        unique.setdefault(one.code, one)
    return list(unique.values())


def _is_name(text: str, one: _Candidate) -> bool:
    return bool(one.name) and description_stems(text) == description_stems(one.name or "")


def _is_far_behind(one: _Candidate, best: _Candidate) -> bool:
    """Whether a code matches so much worse than the best that it is noise among the first."""
    return one.score is not None and best.score is not None and one.score < _NOISE * best.score


def _has_form(system: str, value: str) -> bool:
    return system in SYSTEMS and SYSTEMS[system].shape.fullmatch(value) is not None


def _in_turn(each: Sequence[Sequence[_Candidate]]) -> Iterator[_Candidate]:
    """One of each list after the other, so that no system crowds out the others."""
    for at in range(max(map(len, each), default=0)):
        for some in each:
            if at < len(some):
                yield some[at]
