"""The code box: codes as they are typed, and suggestions for words that were marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from auscult.codes import SYSTEMS, is_well_formed, normalize, table_of
from auscult.codes.suggest import LONGEST, shared_words
from auscult.core import Code
from auscult.server.coding.sources import CodeSources
from auscult.server.errors import RefusedError
from auscult.server.shapes.search import CodeOut, Pair


@dataclass(frozen=True, slots=True)
class _Candidate:
    code: Code
    name: str | None
    score: float | None
    why: str = field(repr=False)


class CodeBox:
    """The code box of a project."""

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
        typed = typed.strip()
        each = [list(self._typed(system, typed, limit)) for system in wanted] if typed else []
        found = list(_in_turn(each))
        if typed and wanted:
            found.append(self._free(typed, wanted))
        return self._ranked(found, limit, billed)

    def suggest(
        self,
        words: str,
        note: str | None,
        limit: int,
        billed: frozenset[Code] = frozenset(),
    ) -> list[CodeOut]:
        """Codes for marked words: those called exactly so first, then the nearest.

        Billed codes that share a word with them come right after the first, in whatever place the
        tables have them. The best of each system comes before the second of any, so that none is
        crowded out.
        """
        if len(words) > LONGEST:
            raise RefusedError(f"Select at most {LONGEST} characters; got {len(words)}.")
        if not words.strip():
            return []
        found: list[_Candidate] = []
        served: set[str] = set()
        for path in self._sources.suggesting(self._vocabulary, self._systems):
            for one in self._sources.suggest(path, words, note, limit):
                served.add(one.code.system)
                if one.code.system in self._systems:
                    found.append(_Candidate(one.code, one.name, one.score, one.why))
        for system in self._systems:
            if system not in served:
                found += self._typed(system, words, limit)
        found += self._billed(words, billed)
        found.sort(key=lambda one: -(one.score or 0.0))
        best = {one.code.system: one for one in reversed(found)}

        def turn(one: _Candidate) -> int:
            first = one is best[one.code.system]
            if first and one.score == 1.0:
                return 0
            if one.code in billed:
                return 1
            return 2 if first else 3

        found.sort(key=turn)
        return self._ranked(found, limit, billed)

    def _billed(self, words: str, billed: frozenset[Code]) -> Iterator[_Candidate]:
        """The billed codes whose names share words with the marked ones."""
        vocabulary = self._sources.vocabulary(self._vocabulary)
        language = "english" if vocabulary is None else vocabulary.manifest.language
        for code in sorted(billed, key=str):
            if code.system in self._systems:
                name = self._names.about(code.system, code.value)["name"]
                if name and (shared := shared_words(words, name, language)):
                    why = f'billed for this chart, and shares {", ".join(shared)} with "{name}"'
                    yield _Candidate(code, name, None, why)

    def _typed(self, system: str, typed: str, limit: int) -> Iterator[_Candidate]:
        index = self._sources.index(system)
        if index is not None:
            for entry in index.search(typed, limit):
                begins = entry.value.replace(".", "").startswith(typed.upper().replace(".", ""))
                why = "starts with this" if begins else "contains these words"
                yield _Candidate(Code(system, entry.value), entry.description, None, why)
            return
        value = normalize(system, typed)
        vocabulary = self._sources.vocabulary(self._vocabulary)
        if vocabulary is not None and system in vocabulary.manifest.systems:
            concept = vocabulary.get(value, system)
            if concept is not None:
                yield _Candidate(concept.code, concept.name, 1.0, "exact code")
            path = vocabulary.path
            for one in self._sources.suggest(path, typed, None, limit):
                if one.code.system == system:
                    yield _Candidate(one.code, one.name, one.score, one.why)
        elif system in SYSTEMS and SYSTEMS[system].shape.fullmatch(value):
            yield _Candidate(Code(system, value), None, None, f"has the form of a {system} code")

    def _free(self, typed: str, systems: Sequence[str]) -> _Candidate:
        """What was typed, as it is: kept if it is chosen, and flagged."""
        fitting = (s for s in systems if is_well_formed(Code(s, normalize(s, typed))))
        system = next(fitting, systems[0])
        value = normalize(system, typed)[:200]
        return _Candidate(Code(system, value), None, None, "as typed: unknown code")

    def _ranked(
        self, found: Sequence[_Candidate], limit: int, billed: frozenset[Code]
    ) -> list[CodeOut]:
        unique: dict[Code, _Candidate] = {}
        for one in found:
            unique.setdefault(one.code, one)
        kept = list(unique.values())
        if len(kept) > limit:
            kept = [*kept[: limit - 1], kept[-1]] if kept[-1].name is None else kept[:limit]
        return [self._out(rank, one, billed) for rank, one in enumerate(kept, 1)]

    def _out(self, rank: int, one: _Candidate, billed: frozenset[Code]) -> CodeOut:
        about = self._names.about(one.code.system, one.code.value)
        table = table_of(one.code.system)
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


def _in_turn(each: Sequence[Sequence[_Candidate]]) -> Iterator[_Candidate]:
    """One of each list after the other, so that no system crowds out the others."""
    for at in range(max(map(len, each), default=0)):
        for some in each:
            if at < len(some):
                yield some[at]
