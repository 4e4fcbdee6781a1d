"""Suggest vocabulary concepts for a marked text, each with the reason for the suggestion.

Exact matches of a name or synonym come first, then the nearest terms of an inverted index over
stemmed words. Ties are ordered by the number of synonyms, a proxy for prevalence (Agrawal and
others 2020, appendix A), or by how often a corpus uses the concept, if it has been counted.
Abbreviations are expanded as the note itself does or from a list; words that the vocabulary does
not contain are read as prefixes or misspellings of words that it does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from auscult.codes.abbreviations import Abbreviations, common, defined_in
from auscult.codes.filters import TermFilter
from auscult.codes.index.build import NO_STEM
from auscult.codes.index.folding import fold
from auscult.codes.index.nearest import Stem, nearest
from auscult.codes.index.stems import stem
from auscult.codes.index.tokens import tokenize
from auscult.codes.index.trigrams import Trigrams
from auscult.codes.index.wordlists import stop_words
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Code, OptionError

LONGEST = 4_000
"""Maximum length of a query in characters."""
_SHORTEST_BEGINNING = 3
_GUESSES = 6
"""How many known words an unknown word may be corrected to."""
_GUESSED = 8
"""How many unknown words of one query are corrected."""
_READINGS = 6
_FILTERS = 32


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A concept that a text may mean.

    `score` is 1 for one that is called exactly so, as the text stands or with its abbreviation
    spelled out; otherwise it is how much the words share, below 1 unless they share all.

    `why` may quote the text asked about, so it does not show in a `repr`.
    """

    code: Code
    name: str
    score: float
    why: str = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "id": self.code.value,
            "system": self.code.system,
            "name": self.name,
            "score": round(self.score, 4),
            "why": self.why,
        }


@dataclass(frozen=True, slots=True)
class _Query:
    """The text, or one way to spell it out, and what to say of that."""

    text: str = field(repr=False)
    because: str = field(default="", repr=False)


class Prior:
    """How often each string was used for each code, wherever that was counted.

    >>> prior = Prior([("pt", Code("UMLS", "C0033707"))] * 15)
    >>> prior.counts("PT")
    {Code(system='UMLS', value='C0033707'): 15}
    """

    def __init__(self, uses: Iterable[tuple[str, Code]] = ()) -> None:
        self._counts: dict[str, dict[Code, int]] = {}
        for text, code in uses:
            self.add(text, code)

    def add(self, text: str, code: Code) -> None:
        """One more use of a string for a code."""
        of = self._counts.setdefault(_normal(text), {})
        of[code] = of.get(code, 0) + 1

    def counts(self, text: str) -> Mapping[Code, int]:
        """How often a string, in whatever case and spacing, was used for each code."""
        return self._counts.get(_normal(text), {})


class _Near(NamedTuple):
    concept: int
    term: int
    score: float
    query: _Query
    stems: Mapping[str, tuple[Stem, ...]]


class Suggester:
    """Suggests concepts of a vocabulary. One suggester serves any number of questions.

    Without `abbreviations` it knows the common ones. `prior` adds to the counts of a corpus that
    the vocabulary was built with; it may grow between questions.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from auscult.codes.concept import Concept
    >>> heart = Concept(Code("UMLS", "C0018802"), "Congestive heart failure")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     suggester = Suggester(Vocabulary.build([heart], Path(folder, "small")))
    ...     for found in suggester.suggest("failing heart"):
    ...         print(found.name, round(found.score, 2), found.why)
    Congestive heart failure 0.25 shares heart with "Congestive heart failure"
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        abbreviations: Abbreviations | None = None,
        prior: Prior | None = None,
    ) -> None:
        self.vocabulary = vocabulary
        self._prior = prior or Prior()
        self._abbreviations = common() if abbreviations is None else abbreviations
        self._trigrams = Trigrams(vocabulary.arrays, vocabulary.words)
        self._stop = stop_words(vocabulary.manifest.language)
        self._filters: dict[tuple[tuple[str, ...], tuple[str, ...]], TermFilter] = {}
        self._note: tuple[str, Abbreviations] = ("", Abbreviations())

    def suggest(
        self,
        text: str,
        *,
        note: str | None = None,
        limit: int = 10,
        types: Sequence[str] = (),
        sources: Sequence[str] = (),
    ) -> list[Suggestion]:
        """The concepts a text may mean, the likeliest first.

        `note` is the text it was marked in, for the abbreviations it spells out. `types` and
        `sources` keep to concepts of those semantic types and terms of those sources.
        """
        if len(text) > LONGEST:
            raise OptionError(
                f"The query has {len(text)} characters; a term has at most {LONGEST}."
            )
        if limit < 1:
            raise OptionError(f"limit must be at least 1; got {limit}.")
        allowed = self._filter(types, sources)
        queries = self._queries(text, note)
        found: dict[int, Suggestion] = {}
        for query in queries:
            for number, suggestion in self._exact(query, limit, allowed):
                found.setdefault(number, suggestion)
        if len(found) < limit:
            near: dict[int, _Near] = {}
            for query in queries:
                for one in self._near(query, limit + len(found), allowed):
                    if one.concept not in near or one.score > near[one.concept].score:
                        near[one.concept] = one
            for one in sorted(near.values(), key=lambda one: (-one.score, one.concept)):
                if len(found) == limit:
                    break
                if one.concept not in found:
                    found[one.concept] = self._suggestion(
                        one.concept, one.score, self._reason(one), one.query
                    )
        return list(found.values())[:limit]

    def _filter(self, types: Sequence[str], sources: Sequence[str]) -> TermFilter:
        key = (tuple(types), tuple(sources))
        made = self._filters.get(key)
        if made is None:
            if len(self._filters) >= _FILTERS:
                self._filters.clear()
            made = self._filters[key] = TermFilter(self.vocabulary, types, sources)
        return made

    def _queries(self, text: str, note: str | None) -> list[_Query]:
        """The text as it is and spelled out; a reading that the note itself gives comes first."""
        by_note = [] if note is None else list(self._spelled_out(text, self._in_note(note)))
        certain = [
            _Query(full, f'the note spells out {short} as "{long}"')
            for short, long, full in by_note
        ]
        listed = [
            _Query(full, f'{short} may stand for "{long}"')
            for short, long, full in self._spelled_out(text, self._abbreviations)
        ]
        return [*certain, _Query(text), *listed][: _READINGS + 1]

    def _in_note(self, note: str) -> Abbreviations:
        known, abbreviations = self._note
        if known != note:
            abbreviations = Abbreviations(defined_in(note))
            self._note = (note, abbreviations)
        return abbreviations

    def _spelled_out(
        self, text: str, abbreviations: Abbreviations
    ) -> Iterator[tuple[str, str, str]]:
        """Short form, long form, and the text with the one put for the other."""
        for long in abbreviations.expand(text):
            yield text.strip(), long, long
        words = text.split()
        if len(words) > 1:
            for at, word in enumerate(words[:12]):
                for long in abbreviations.expand(word)[:2]:
                    yield word, long, " ".join([*words[:at], long, *words[at + 1 :]])

    def _exact(
        self, query: _Query, limit: int, allowed: TermFilter
    ) -> list[tuple[int, Suggestion]]:
        """The concepts called so, by how often a corpus means them by it, then by prevalence."""
        vocabulary = self.vocabulary
        terms = vocabulary.terms_called(query.text)
        if len(terms) == 0:
            terms = vocabulary.terms_called(_without_edges(query.text))
        concepts = vocabulary.concepts_of(terms)
        fits = allowed.allows(terms, concepts)
        rows: dict[int, list[int]] = {}
        for term, concept in zip(terms[fits].tolist(), concepts[fits].tolist(), strict=True):
            rows.setdefault(concept, []).append(term)
        used = {
            number: count
            for code, count in self._prior.counts(query.text).items()
            if (number := vocabulary.number_of(code)) is not None and allowed.allows_concept(number)
        }
        if not rows and not used:
            return []
        of_term = vocabulary.arrays["term_count"]
        counts = {
            concept: int(of_term[rows.get(concept, [])].sum()) + used.get(concept, 0)
            for concept in dict.fromkeys([*rows, *used])
        }
        ranked = sorted(counts, key=lambda concept: (-counts[concept], concept))[:limit]
        return [
            (c, self._suggestion(c, 1.0, self._called(c, rows.get(c, []), counts[c]), query))
            for c in ranked
        ]

    def _called(self, concept: int, terms: list[int], count: int) -> str:
        """The reason for an exact match."""
        reasons = []
        if int(self.vocabulary.arrays["concept_terms"][concept]) in terms:
            reasons.append("preferred name")
        elif terms:
            synonym = self.vocabulary.synonym_at(terms[0])
            origin = f"{synonym.source} {synonym.term_type}".strip()
            reasons.append(f'synonym "{synonym.text}"' + (f" ({origin})" if origin else ""))
        if count:
            reasons.append(f"used in annotations {count:,} time{'s' if count > 1 else ''}")
        return ", ".join(reasons)

    def _near(self, query: _Query, limit: int, allowed: TermFilter) -> Iterator[_Near]:
        stems: dict[str, tuple[Stem, ...]] = {}
        guessed = 0
        for word in dict.fromkeys(tokenize(fold(query.text).text)):
            if word[0].isalnum() and word not in self._stop:
                stems[word] = self._own_stem(word)
                if not stems[word] and guessed < _GUESSED:
                    stems[word] = self._guess(word)
                    guessed += 1
        # Two forms of one word are one word: "infection" and "infected" count once.
        distinct = {possible or word: possible for word, possible in stems.items()}
        for row in nearest(self.vocabulary, list(distinct.values()), limit, allowed):
            yield _Near(*row, query, stems)

    def _own_stem(self, word: str) -> tuple[Stem, ...]:
        vocabulary = self.vocabulary
        number = vocabulary.numbers[word]
        known = vocabulary.arrays["word_stem"][number] if number >= 0 else NO_STEM
        if known == NO_STEM:
            own = vocabulary.stems.find(stem(word, vocabulary.manifest.language))
            known = NO_STEM if own is None else own
        return () if known == NO_STEM else (Stem(int(known), 1.0),)

    def _guess(self, word: str) -> tuple[Stem, ...]:
        """The stems of words that a word may be the beginning of, or meant for."""
        if not word.isalpha():
            return ()
        vocabulary = self.vocabulary
        likeness: dict[int, float] = {}
        for other, edits in [*self._begun(word), *self._trigrams.near(word)]:
            of = int(vocabulary.arrays["word_stem"][other])
            if of != NO_STEM:
                alike = 1 - edits / max(len(word), len(vocabulary.words[other]))
                likeness[of] = max(alike, likeness.get(of, 0.0))
        best = sorted(likeness.items(), key=lambda item: (-item[1], item[0]))
        return tuple(Stem(number, alike) for number, alike in best[:_GUESSES])

    def _begun(self, word: str) -> Iterable[tuple[int, int]]:
        """The words that begin so, commonest first; a word cut short counts as one slip."""
        if len(word) < _SHORTEST_BEGINNING:
            return []
        arrays = self.vocabulary.arrays
        begun = self.vocabulary.words.starting(word)
        stems, first = np.unique(arrays["word_stem"][begun.start : begun.stop], return_index=True)
        stems, first = stems[stems != NO_STEM].astype(np.int64), first[stems != NO_STEM]
        offsets = arrays["stem_offsets"]
        terms = offsets[stems + 1].astype(np.int64) - offsets[stems]
        commonest = np.lexsort((stems, -terms))[:_GUESSES]
        return [(begun.start + at, 1) for at in first[commonest].tolist()]

    def _reason(self, near: _Near) -> str:
        vocabulary = self.vocabulary
        text = vocabulary.synonym_at(near.term).text
        has: dict[int, str] = {}
        for word in tokenize(fold(text).text):
            has.setdefault(int(vocabulary.arrays["word_stem"][vocabulary.numbers[word]]), word)
        shared, read = [], []
        for word, possible in near.stems.items():
            hits = [s for s in possible if s.number in has]
            if hits:
                best = max(hits, key=lambda s: s.likeness)
                shared.append(word)
                if best.likeness < 1:
                    read.append(f"{word} read as {has[best.number]}")
        return f'shares {", ".join(shared)} with "{text}"' + "".join(f"; {r}" for r in read)

    def _suggestion(self, concept: int, score: float, why: str, query: _Query) -> Suggestion:
        vocabulary = self.vocabulary
        return Suggestion(
            vocabulary.code_at(concept),
            vocabulary.name_at(concept),
            score,
            f"{query.because}: {why}" if query.because else why,
        )


def shared_words(text: str, name: str, language: str) -> list[str]:
    """The words of a text that a name has too, whatever their endings; stop words do not count.

    >>> shared_words("hypertensive, in the past", "Essential (primary) hypertension", "english")
    ['hypertensive']
    """
    stop = stop_words(language)
    has = {stem(word, language) for word in tokenize(fold(name).text)}
    words = dict.fromkeys(tokenize(fold(text).text))
    return [w for w in words if w[0].isalnum() and w not in stop and stem(w, language) in has]


def _normal(text: str) -> str:
    return " ".join(tokenize(fold(text).text))


def _without_edges(text: str) -> str:
    """The text without punctuation around it."""
    begin, end = 0, len(text)
    while begin < end and not text[begin].isalnum():
        begin += 1
    while end > begin and not text[end - 1].isalnum():
        end -= 1
    return text[begin:end]
