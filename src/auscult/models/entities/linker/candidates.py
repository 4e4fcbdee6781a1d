"""Candidate generation: the concepts that a mention may mean, each with a row of features.

Every retriever is run for every query; its best score for a concept goes into a column of its own,
by the origin of the query. Features of the concept itself, of the note and of the competing
candidates follow.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from auscult.codes import is_cui_less
from auscult.core import Code
from auscult.core.span import extent
from auscult.models.entities import string_forms
from auscult.models.entities.context_counts import around
from auscult.models.entities.gold_mentions import GoldMention, MarkedNote
from auscult.models.entities.linker.concept_facts import ConceptFacts
from auscult.models.entities.linker.name_match import NameFit, NameMatch
from auscult.models.entities.linker.queries import Query, QueryOrigin, queries
from auscult.models.entities.mention_statistics import (
    MentionStatistics,
    StringUse,
    abbreviations_in,
)
from auscult.models.entities.name_index import NameIndex
from auscult.models.semantic.name_embeddings import DIGITS, NameEmbeddings

Rows = npt.NDArray[np.float32]
_NEAR = 25
_VARIANTS = 12
_SURE = 0.5
_NEAR_MEANT = 20
_USED_MEANT = 8
_MOST = 12
"""Maximum number of candidates of a mention, not counting the parents of the first of them."""
_WITH_PARENTS = 3
_PARENTS = 4
_MATCHED = 4
"""Maximum number of queries that a concept's names are compared with."""


class LinkerPart(StrEnum):
    """A component of the linker that can be left out, for an ablation study."""

    LOOKUP = "lookup"
    NAMES = "names"
    ABBREVIATIONS = "abbreviations"
    STEMS = "stems"
    TRIGRAMS = "trigrams"
    CONTEXT = "context"
    RANKER = "ranker"
    EMBEDDINGS = "embeddings"


class Retriever(IntEnum):
    """The retrievers, in the order of their columns."""

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
    MEANT = 11
    """The embedding cosine of the mention and the concept's nearest name."""
    MEANT_NEAR = 12
    """The same, if the name is among the nearest names of the vocabulary."""
    USED_MEANT = 13
    """The embedding cosine of the nearest training string, times the concept's share of it."""
    MEANT_PREFERRED = 14
    """The embedding cosine of the mention and the concept's preferred name."""


_OWN = (
    "prior", "is cui-less", "system", "source", "unseen source", "block", "unseen block", "above",
    "names", "context", "in note", "in longer", "words", "capitals", "spelled out", "rivals",
    "strength", "strength gap", "strength rank", "context gap", "meaning gap", "used meaning gap",
)  # fmt: skip
_FIT = tuple(f"name {name}" for name in NameFit._fields)
COLUMNS: tuple[str, ...] = (
    *(f"{way.name.lower()} {r.name.lower()}" for way in QueryOrigin for r in Retriever),
    *_OWN,
    *_FIT,
)


_ABOVE = COLUMNS.index("above")
_BLOCK = COLUMNS.index("block")
_CAPITALS = COLUMNS.index("capitals")
_CONTEXT = COLUMNS.index("context")
_CONTEXT_GAP = COLUMNS.index("context gap")
_FITS = slice(COLUMNS.index(_FIT[0]), COLUMNS.index(_FIT[-1]) + 1)
_IN_LONGER = COLUMNS.index("in longer")
_IN_NOTE = COLUMNS.index("in note")
IS_CUI_LESS = COLUMNS.index("is cui-less")
_MEANING_GAP = COLUMNS.index("meaning gap")
_NAMES = COLUMNS.index("names")
PRIOR = COLUMNS.index("prior")
_RIVALS = COLUMNS.index("rivals")
_SOURCE = COLUMNS.index("source")
_SPELLED_OUT = COLUMNS.index("spelled out")
_STRENGTH = COLUMNS.index("strength")
_STRENGTH_GAP = COLUMNS.index("strength gap")
_STRENGTH_RANK = COLUMNS.index("strength rank")
_SYSTEM = COLUMNS.index("system")
_UNSEEN_BLOCK = COLUMNS.index("unseen block")
_UNSEEN_SOURCE = COLUMNS.index("unseen source")
_USED_MEANING_GAP = COLUMNS.index("used meaning gap")
_WORDS = COLUMNS.index("words")


@dataclass(frozen=True, slots=True, eq=False)
class LinkCandidates:
    """The candidates of one mention, a row for each, and whether the text was seen in training."""

    codes: tuple[Code, ...]
    rows: Rows
    mark: GoldMention = field(repr=False)
    seen: bool = False


class RetrieverScores:
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
    """Searches the names of a vocabulary; results are cached, since strings repeat."""

    def __init__(
        self,
        names: NameIndex,
        without: Collection[LinkerPart] = (),
        embeddings: NameEmbeddings | None = None,
    ) -> None:
        self.names = names
        self.embeddings = None if LinkerPart.EMBEDDINGS in without else embeddings
        self._without = without
        self.facts = ConceptFacts(names)
        self.match = NameMatch(names, self.facts)
        self._remembered = lru_cache(maxsize=50_000)(self._search)

    def __call__(self, text: str) -> list[tuple[Code, Rows]]:
        """The concepts near to a query, with the scores of each retriever."""
        return self._remembered(string_forms.normal(text))

    def _search(self, text: str) -> list[tuple[Code, Rows]]:
        names, scores = self.names, RetrieverScores()
        code_at = names.vocabulary.code_at
        key = string_forms.key(text, names.language)
        if LinkerPart.NAMES not in self._without:
            rows = names.called(text)
            for row, concept in zip(rows.tolist(), names.concepts(rows).tolist(), strict=True):
                scores.add(code_at(concept), Retriever.NAME, 1 + names.is_preferred(row))
        if LinkerPart.STEMS not in self._without:
            for concept in set(names.concepts(names.keyed(key)).tolist()):
                scores.add(code_at(concept), Retriever.NAME_ALIKE, 1)
            for variant, weight in names.equivalents.variants(key)[:_VARIANTS]:
                for concept in set(names.concepts(names.keyed(variant)).tolist()):
                    scores.add(code_at(concept), Retriever.NAME_VARIANT, weight)
        if LinkerPart.TRIGRAMS not in self._without:
            near = names.near(text, _NEAR)
            rows = np.array([row for row, _ in near], np.int64)
            query_words = set(key.split())
            numbers = _numbers(query_words)
            seen: set[int] = set()
            for (row, cosine), concept in zip(near, names.concepts(rows).tolist(), strict=True):
                if concept not in seen:
                    seen.add(concept)
                    has = set(string_forms.stems(names.text(row), names.language))
                    shared = len(query_words & has)
                    code = code_at(concept)
                    scores.add(code, Retriever.NAME_NEAR, cosine)
                    scores.add(code, Retriever.COVERS, shared / max(1, len(query_words)))
                    scores.add(code, Retriever.COVERED, shared / max(1, len(has)))
                    scores.add(code, Retriever.NUMBERS, bool(numbers) and _numbers(has) == numbers)
        return list(scores.rows.items())

    def add_meanings(self, text: str, scores: RetrieverScores) -> None:
        """Add the concepts with similar names, and the similarity of all candidates."""
        if self.embeddings is None:
            return
        vocabulary = self.names.vocabulary
        near = self.embeddings.nearest(text, _NEAR_MEANT)
        terms = np.array([term for term, _ in near], np.int64)
        concepts = vocabulary.concepts_of(terms).tolist()
        inside = np.isin(terms, self.names.terms).tolist()
        for (_, cosine), concept, is_in in zip(near, concepts, inside, strict=True):
            if is_in:
                scores.add(vocabulary.code_at(concept), Retriever.MEANT_NEAR, cosine)
        numbers = {code: self.facts.number(code) for code in scores.rows}
        known = {code: number for code, number in numbers.items() if number is not None}
        cosines = self.embeddings.likeness(text, known.values())
        for code, (best, preferred) in zip(known, cosines, strict=True):
            scores.add(code, Retriever.MEANT, best)
            scores.add(code, Retriever.MEANT_PREFERRED, preferred)


class CandidateFinder:
    """Finds the candidates of mentions; components in `without` are not used."""

    def __init__(
        self,
        search: NameSearch | None,
        knowledge: MentionStatistics,
        *,
        nothing: Code,
        without: Collection[LinkerPart] = (),
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
        self._embeddings = None if search is None else search.embeddings
        self._retrieve = lru_cache(maxsize=50_000)(self._retrieved)

    def find(self, marked: MarkedNote) -> list[LinkCandidates]:
        """The candidates of every mention of a note."""
        in_note = {} if LinkerPart.ABBREVIATIONS in self._without else abbreviations_in(marked.text)
        asked = [self._queries(mark, in_note) for mark in marked.marks]
        if self._embeddings is not None and any(asked):
            # Those of a note together, which is faster than one by one.
            self._embeddings.embed([query.text for some in asked for query in some])
        found = [
            self._of_mark(mark, marked, some)
            for mark, some in zip(marked.marks, asked, strict=True)
        ]
        self._compare(found)
        return found

    def _queries(self, mark: GoldMention, in_note: Mapping[str, Sequence[str]]) -> list[Query]:
        asked = queries(mark.text, in_note, self._knowledge)
        if LinkerPart.ABBREVIATIONS in self._without:
            asked = [query for query in asked if query.way is not QueryOrigin.SUPPOSED]
        return asked

    def _of_mark(
        self, mark: GoldMention, marked: MarkedNote, asked: Sequence[Query]
    ) -> LinkCandidates:
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
        return LinkCandidates(codes, rows, mark, self._knowledge.used(mark.text) is not None)

    def _above(self, codes: Sequence[Code], evidence: dict[Code, Rows]) -> list[Code]:
        """The parents of the best candidates, for the ranker to choose from."""
        if self._search is None or LinkerPart.RANKER in self._without:
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
        mark: GoldMention,
        marked: MarkedNote,
        asked: Sequence[Query],
    ) -> None:
        knowledge = self._knowledge
        words = around(marked.text, extent(mark.spans), knowledge.language)
        with_context = LinkerPart.CONTEXT not in self._without
        spelled = bool(asked) and string_forms.normal(asked[0].text) != string_forms.normal(
            mark.text
        )
        query_words = string_forms.words(mark.text)
        whole = [query.text for query in asked if query.way is not QueryOrigin.PART][:_MATCHED]
        for row, code in zip(rows, codes, strict=True):
            row[PRIOR] = math.log1p(knowledge.prior[code])
            row[IS_CUI_LESS] = is_cui_less(code.value)
            row[_SYSTEM] = self._systems.get(code.system, -1)
            if self._search is not None and self._odds is not None:
                facts = self._search.facts
                row[_NAMES] = math.log1p(facts.size(code))
                if LinkerPart.STEMS not in self._without:
                    row[_FITS] = self._search.match(whole, code)
                row[_SOURCE], row[_BLOCK] = self._odds.of(code)
                if not row[PRIOR]:
                    row[_UNSEEN_SOURCE], row[_UNSEEN_BLOCK] = row[_SOURCE], row[_BLOCK]
            row[_CONTEXT] = knowledge.contexts.log_ratio(words, code) if with_context else 0
            row[_WORDS] = len(query_words)
            row[_CAPITALS] = mark.text.isupper()
            row[_SPELLED_OUT] = spelled
            row[_STRENGTH] = strength(row)
        strengths = rows[:, _STRENGTH]
        rows[:, _RIVALS] = (strengths >= _SURE * strengths.max()).sum()
        rows[:, _STRENGTH_GAP] = strengths - strengths.max()
        order = np.argsort(-strengths, kind="stable")
        rows[order, _STRENGTH_RANK] = np.arange(len(codes))
        context = rows[:, _CONTEXT]
        rows[:, _CONTEXT_GAP] = context - context.max()
        for column, retriever in (
            (_MEANING_GAP, Retriever.MEANT),
            (_USED_MEANING_GAP, Retriever.USED_MEANT),
        ):
            of = rows[:, retriever :: len(Retriever)][:, : len(QueryOrigin)].max(axis=1)
            rows[:, column] = of - of.max()

    def _compare(self, found: Sequence[LinkCandidates]) -> None:
        """Add features from the candidates of the other mentions of the note."""
        if LinkerPart.CONTEXT in self._without:
            return
        sure: dict[Code, set[int]] = {}
        stems = [
            frozenset(string_forms.stems(one.mark.text, self._knowledge.language)) for one in found
        ]
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
        """The candidates that the retrievers find for one query, independent of the note."""
        scores = RetrieverScores()
        for code, row in self._search(text) if self._search is not None else ():
            scores.rows[code] = row.copy()
        if LinkerPart.LOOKUP not in self._without:
            self._ask_knowledge(text, scores)
        if self._search is not None:
            self._search.add_meanings(text, scores)
        return list(scores.rows.items())

    def _ask_knowledge(self, text: str, scores: RetrieverScores) -> None:
        knowledge = self._knowledge
        if used := knowledge.used(text):
            for code, times in used.codes.items():
                scores.add(code, Retriever.USED, used.share(code))
                scores.add(code, Retriever.TIMES, math.log1p(times))
        key = string_forms.key(text, knowledge.language)
        if LinkerPart.STEMS not in self._without and (used := knowledge.used_alike(key)):
            for code in used.codes:
                scores.add(code, Retriever.USED_ALIKE, used.share(code))
        if LinkerPart.TRIGRAMS not in self._without:
            for near, cosine in knowledge.used_near(text):
                for code in near.codes:
                    scores.add(code, Retriever.USED_NEAR, cosine * near.share(code))
        if self._embeddings is not None:
            exact = self._strings @ self._embeddings.embed([text])[0]
            cosines = np.round(exact, DIGITS)  # the last digits depend on what is embedded together
            for at in np.argsort(-cosines, kind="stable")[:_USED_MEANT].tolist():
                used = self._uses[at]
                for code in used.codes:
                    scores.add(code, Retriever.USED_MEANT, float(cosines[at]) * used.share(code))

    @cached_property
    def _uses(self) -> list[StringUse]:
        return list(self._knowledge.strings.values())

    @cached_property
    def _strings(self) -> Rows:
        """The embeddings of the training strings."""
        assert self._embeddings is not None  # nobody asks otherwise
        return self._embeddings.embed(list(self._knowledge.strings))


def _numbers(stems: Collection[str]) -> set[str]:
    """What tells numbered concepts apart: numbers and single letters."""
    return {stem for stem in stems if stem.isdecimal() or len(stem) == 1}


_FORM_WEIGHT = {QueryOrigin.STATED: 1.0, QueryOrigin.SUPPOSED: 0.6, QueryOrigin.PART: 0.5}


def strength(row: Rows) -> float:
    """One number from all retrievers, which orders the candidates before the ranker is trained."""
    best = 0.0
    for way, weight in _FORM_WEIGHT.items():
        of = row[way * len(Retriever) : (way + 1) * len(Retriever)]
        score = (
            2.0 * of[Retriever.USED]
            + 1.0 * of[Retriever.USED_ALIKE]
            + 0.5 * of[Retriever.NAME]
            + 0.5 * of[Retriever.NAME_ALIKE]
            + 0.4 * of[Retriever.NAME_VARIANT]
            + 0.8 * of[Retriever.NAME_NEAR]
            + 0.8 * of[Retriever.USED_NEAR]
            + 0.8 * of[Retriever.MEANT]
        )
        best = max(best, weight * float(score))
    return best + 0.05 * float(row[PRIOR])
