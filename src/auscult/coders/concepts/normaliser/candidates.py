"""The concepts that a marked text may mean, and what speaks for each: a row of numbers.

Every retriever is asked for every query, and leaves its best score for a concept in a column of its
own, by how the query came about. What holds of the concept itself, of the note and of its rivals
comes after.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from auscult.coders.concepts import wording
from auscult.coders.concepts.contexts import around
from auscult.coders.concepts.knowledge import Knowledge, abbreviations_in
from auscult.coders.concepts.marks import Mark, MarkedNote
from auscult.coders.concepts.names import Names
from auscult.coders.concepts.normaliser.facts import Facts
from auscult.coders.concepts.normaliser.queries import Query, Way, queries
from auscult.codes import is_cui_less
from auscult.core import Code
from auscult.core.span import extent

Rows = npt.NDArray[np.float32]
_NEAR = 25
_VARIANTS = 12
_SURE = 0.5
_MOST = 12
"""Candidates of a mark that are ranked, and parents of the first of them beside them."""
_WITH_PARENTS = 3
_PARENTS = 4


class Part(StrEnum):
    """A part of the normaliser that can be left out, to see what it adds."""

    LOOKUP = "lookup"
    NAMES = "names"
    ABBREVIATIONS = "abbreviations"
    STEMS = "stems"
    TRIGRAMS = "trigrams"
    CONTEXT = "context"
    RANKER = "ranker"


class Retriever(IntEnum):
    """Where a concept may come from, in the order of the columns of each way."""

    USED = 0
    """The string was marked so in training: the share of the concept."""
    TIMES = 1
    """How often, as a logarithm."""
    USED_ALIKE = 2
    """The share of the concept among strings of the same key."""
    NAME = 3
    """It is a name of the concept: 1, or 2 when it is the preferred one."""
    NAME_ALIKE = 4
    """It has the key of a name."""
    NAME_VARIANT = 5
    """It is a name but for one word, which stands for another: how usually it does."""
    NAME_NEAR = 6
    """The cosine of the nearest name by trigrams."""
    USED_NEAR = 7
    """The cosine of the nearest training string times the concept's share of it."""
    COVERS = 8
    """The part of the query's words that the nearest name has."""
    COVERED = 9
    """The part of the nearest name's words that the query has."""
    NUMBERS = 10
    """Whether the nearest name and the query have the same numbers, and some."""


_WAYS = len(Way)
_RETRIEVED = len(Retriever) * _WAYS
_OWN = (
    "prior", "is cui-less", "system", "source", "unseen source", "block", "unseen block", "above",
    "names", "context", "in note", "in longer", "words", "capitals", "spelt out", "rivals",
    "strength", "strength gap", "strength rank", "context gap",
)  # fmt: skip
COLUMNS: tuple[str, ...] = (
    *(f"{way.name.lower()} {r.name.lower()}" for way in Way for r in Retriever),
    *_OWN,
)


_ABOVE = COLUMNS.index("above")
_BLOCK = COLUMNS.index("block")
_CAPITALS = COLUMNS.index("capitals")
_CONTEXT = COLUMNS.index("context")
_CONTEXT_GAP = COLUMNS.index("context gap")
_IN_LONGER = COLUMNS.index("in longer")
_IN_NOTE = COLUMNS.index("in note")
IS_CUI_LESS = COLUMNS.index("is cui-less")
_NAMES = COLUMNS.index("names")
PRIOR = COLUMNS.index("prior")
_RIVALS = COLUMNS.index("rivals")
_SOURCE = COLUMNS.index("source")
_SPELT_OUT = COLUMNS.index("spelt out")
_STRENGTH = COLUMNS.index("strength")
_STRENGTH_GAP = COLUMNS.index("strength gap")
_STRENGTH_RANK = COLUMNS.index("strength rank")
_SYSTEM = COLUMNS.index("system")
_UNSEEN_BLOCK = COLUMNS.index("unseen block")
_UNSEEN_SOURCE = COLUMNS.index("unseen source")
_WORDS = COLUMNS.index("words")


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The candidates of one mark, a row for each, and whether the text was marked in training."""

    codes: tuple[Code, ...]
    rows: Rows
    mark: Mark = field(repr=False)
    seen: bool = False


class Scores:
    """The best score of each retriever for each concept."""

    def __init__(self) -> None:
        self.rows: dict[Code, Rows] = {}

    def add(self, code: Code, retriever: Retriever, value: float) -> None:
        """A retriever's score for a concept, kept if it is the best so far."""
        row = self.rows.get(code)
        if row is None:
            row = self.rows[code] = np.zeros(len(Retriever), np.float32)
        row[retriever] = max(row[retriever], value)


class NameSearch:
    """What a vocabulary's names say of a query; remembered, since strings come again and again."""

    def __init__(self, names: Names, without: Collection[Part] = ()) -> None:
        self.names = names
        self._without = without
        self.facts = Facts(names)
        self._remembered = lru_cache(maxsize=50_000)(self._search)

    def __call__(self, text: str) -> list[tuple[Code, Rows]]:
        """The concepts near to a query, with what each retriever says."""
        return self._remembered(wording.normal(text))

    def _search(self, text: str) -> list[tuple[Code, Rows]]:
        names, scores = self.names, Scores()
        code_at = names.vocabulary.code_at
        key = wording.key(text, names.language)
        if Part.NAMES not in self._without:
            rows = names.called(text)
            for row, concept in zip(rows.tolist(), names.concepts(rows).tolist(), strict=True):
                scores.add(code_at(concept), Retriever.NAME, 1 + names.is_preferred(row))
        if Part.STEMS not in self._without:
            for concept in set(names.concepts(names.keyed(key)).tolist()):
                scores.add(code_at(concept), Retriever.NAME_ALIKE, 1)
            for variant, weight in names.equivalents.variants(key)[:_VARIANTS]:
                for concept in set(names.concepts(names.keyed(variant)).tolist()):
                    scores.add(code_at(concept), Retriever.NAME_VARIANT, weight)
        if Part.TRIGRAMS not in self._without:
            near = names.near(text, _NEAR)
            rows = np.array([row for row, _ in near], np.int64)
            said = set(key.split())
            numbers = _numbers(said)
            seen: set[int] = set()
            for (row, cosine), concept in zip(near, names.concepts(rows).tolist(), strict=True):
                if concept not in seen:
                    seen.add(concept)
                    has = set(wording.stems(names.text(row), names.language))
                    shared = len(said & has)
                    code = code_at(concept)
                    scores.add(code, Retriever.NAME_NEAR, cosine)
                    scores.add(code, Retriever.COVERS, shared / max(1, len(said)))
                    scores.add(code, Retriever.COVERED, shared / max(1, len(has)))
                    scores.add(code, Retriever.NUMBERS, bool(numbers) and _numbers(has) == numbers)
        return list(scores.rows.items())


class CandidateFinder:
    """Finds the candidates of marks; parts that it is to do without say nothing."""

    def __init__(
        self,
        search: NameSearch | None,
        knowledge: Knowledge,
        *,
        nothing: Code,
        without: Collection[Part] = (),
    ) -> None:
        self._search = search
        self._knowledge = knowledge
        self._nothing = nothing
        self._without = without
        self._systems = {
            system: at
            for at, system in enumerate(sorted({code.system for code in knowledge.prior}))
        }
        self._odds = search.facts.odds(knowledge.prior) if search else None
        self._retrieve = lru_cache(maxsize=50_000)(self._retrieved)

    def find(self, marked: MarkedNote) -> list[Candidates]:
        """The candidates of every mark of a note."""
        in_note = {} if Part.ABBREVIATIONS in self._without else abbreviations_in(marked.text)
        found = [self._of_mark(mark, marked, in_note) for mark in marked.marks]
        self._compare(found)
        return found

    def _of_mark(
        self, mark: Mark, marked: MarkedNote, in_note: Mapping[str, Sequence[str]]
    ) -> Candidates:
        asked = queries(mark.text, in_note, self._knowledge)
        if Part.ABBREVIATIONS in self._without:
            asked = [query for query in asked if query.way is not Way.SUPPOSED]
        evidence: dict[Code, Rows] = {}
        for query in asked:
            begin = query.way * len(Retriever)
            for code, scores in self._retrieve(query.text):
                row = evidence.get(code)
                if row is None:
                    row = evidence[code] = np.zeros(len(COLUMNS), np.float32)
                part = row[begin : begin + len(Retriever)]
                np.maximum(part, scores, out=part)
        # That nothing fits is a reading like any other, and always there.
        evidence.setdefault(self._nothing, np.zeros(len(COLUMNS), np.float32))
        ranked = sorted(evidence, key=lambda c: (c != self._nothing, -strength(evidence[c]), c))
        codes = tuple(ranked[:_MOST])
        codes += tuple(self._above(codes, evidence))
        rows = np.stack([evidence[code] for code in codes])
        self._add_own(codes, rows, mark, marked, asked)
        return Candidates(codes, rows, mark, self._knowledge.used(mark.text) is not None)

    def _above(self, codes: Sequence[Code], evidence: dict[Code, Rows]) -> list[Code]:
        """The parents of the best candidates, which only a ranker can tell the use of."""
        if self._search is None or Part.RANKER in self._without:
            return []
        found: dict[Code, None] = {}
        for code in [code for code in codes if not is_cui_less(code.value)][:_WITH_PARENTS]:
            by = strength(evidence[code])
            for parent in self._search.facts.parents(code):
                row = evidence.setdefault(parent, np.zeros(len(COLUMNS), np.float32))
                row[_ABOVE] = max(row[_ABOVE], by)
                if parent not in codes:
                    found[parent] = None
        return list(found)[:_PARENTS]

    def _add_own(
        self,
        codes: tuple[Code, ...],
        rows: Rows,
        mark: Mark,
        marked: MarkedNote,
        asked: Sequence[Query],
    ) -> None:
        knowledge = self._knowledge
        words = around(marked.text, extent(mark.spans), knowledge.language)
        with_context = Part.CONTEXT not in self._without
        spelt = bool(asked) and wording.normal(asked[0].text) != wording.normal(mark.text)
        said = wording.words(mark.text)
        for row, code in zip(rows, codes, strict=True):
            row[PRIOR] = math.log1p(knowledge.prior[code])
            row[IS_CUI_LESS] = is_cui_less(code.value)
            row[_SYSTEM] = self._systems.get(code.system, -1)
            if self._search is not None and self._odds is not None:
                facts = self._search.facts
                row[_NAMES] = math.log1p(facts.size(code))
                row[_SOURCE], row[_BLOCK] = self._odds.of(code)
                if not row[PRIOR]:
                    row[_UNSEEN_SOURCE], row[_UNSEEN_BLOCK] = row[_SOURCE], row[_BLOCK]
            row[_CONTEXT] = knowledge.contexts.fit(words, code) if with_context else 0
            row[_WORDS] = len(said)
            row[_CAPITALS] = mark.text.isupper()
            row[_SPELT_OUT] = spelt
            row[_STRENGTH] = strength(row)
        strengths = rows[:, _STRENGTH]
        rows[:, _RIVALS] = (strengths >= _SURE * strengths.max()).sum()
        rows[:, _STRENGTH_GAP] = strengths - strengths.max()
        order = np.argsort(-strengths, kind="stable")
        rows[order, _STRENGTH_RANK] = np.arange(len(codes))
        context = rows[:, _CONTEXT]
        rows[:, _CONTEXT_GAP] = context - context.max()

    def _compare(self, found: Sequence[Candidates]) -> None:
        """Let the marks of a note speak for one another's candidates."""
        if Part.CONTEXT in self._without:
            return
        sure: dict[Code, set[int]] = {}
        stems = [frozenset(wording.stems(one.mark.text, self._knowledge.language)) for one in found]
        for at, one in enumerate(found):
            strengths = one.rows[:, _STRENGTH]
            for place in np.flatnonzero(strengths >= max(1.0, float(strengths.max()))).tolist():
                sure.setdefault(one.codes[place], set()).add(at)
        for at, one in enumerate(found):
            for row, code in zip(one.rows, one.codes, strict=True):
                others = {other for other in sure.get(code, ()) if stems[other] != stems[at]}
                row[_IN_NOTE] = len(others) / max(1, len(found))
                row[_IN_LONGER] = any(stems[at] < stems[other] for other in others)

    def _retrieved(self, text: str) -> list[tuple[Code, Rows]]:
        """What the retrievers find for one query, whatever the note."""
        scores = Scores()
        for code, row in self._search(text) if self._search is not None else ():
            scores.rows[code] = row.copy()
        if Part.LOOKUP not in self._without:
            self._ask_knowledge(text, scores)
        return list(scores.rows.items())

    def _ask_knowledge(self, text: str, scores: Scores) -> None:
        knowledge = self._knowledge
        if used := knowledge.used(text):
            for code, times in used.codes.items():
                scores.add(code, Retriever.USED, used.share(code))
                scores.add(code, Retriever.TIMES, math.log1p(times))
        key = wording.key(text, knowledge.language)
        if Part.STEMS not in self._without and (used := knowledge.used_alike(key)):
            for code in used.codes:
                scores.add(code, Retriever.USED_ALIKE, used.share(code))
        if Part.TRIGRAMS not in self._without:
            for near, cosine in knowledge.used_near(text):
                for code in near.codes:
                    scores.add(code, Retriever.USED_NEAR, cosine * near.share(code))


def _numbers(stems: Collection[str]) -> set[str]:
    """What tells numbered concepts apart: numbers and single letters."""
    return {stem for stem in stems if stem.isdecimal() or len(stem) == 1}


_TRUST = {Way.STATED: 1.0, Way.SUPPOSED: 0.6, Way.PART: 0.5}


def strength(row: Rows) -> float:
    """One number for all that retrievers say: the order of candidates before anything is learnt."""
    best = 0.0
    for way, trust in _TRUST.items():
        of = row[way * len(Retriever) : (way + 1) * len(Retriever)]
        score = (
            2.0 * of[Retriever.USED]
            + 1.0 * of[Retriever.USED_ALIKE]
            + 0.5 * of[Retriever.NAME]
            + 0.5 * of[Retriever.NAME_ALIKE]
            + 0.4 * of[Retriever.NAME_VARIANT]
            + 0.8 * of[Retriever.NAME_NEAR]
            + 0.8 * of[Retriever.USED_NEAR]
        )
        best = max(best, trust * float(score))
    return best + 0.05 * float(row[PRIOR])
