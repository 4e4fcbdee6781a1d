"""New terms by analogy with known ones.

"CT of the neck" and "MRI of the neck" are alike but for one word, and their procedure codes but for
one character. Where an exchange of words goes with the same change of the code in two contexts or
more, it is a rule, and a term that has the one word is tried with the other: "CT of the spine"
gives the code of "MRI of the spine". The same holds for left and right; and where the code does not
change at all, the words are synonyms, and a known code gets a new wording.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, product
from math import log1p

from auscult.core import Code
from auscult.models.label_space import LabelSpace
from auscult.models.lexicon.lexicon_text import Key

_EXCHANGED = (1, 2)
"""How many words may be exchanged at once, so that "CT" can be "computed tomography"."""
_LEAST = 2
_SHARE = 0.1
"""How much of the time a rule must hold where both of its words are found."""
_MOST = 200
"""Terms of one context. With more, its words go with everything."""


@dataclass(frozen=True, slots=True, order=True)
class DerivedTerm:
    """The support of a term by analogy; of two, the larger is the stronger.

    How often its rule held and in how many contexts; the number of charts of the term it is derived
    from; whether the code is that term's.
    """

    share: float
    contexts: int
    charts: int
    is_synonym: bool

    def numbers(self) -> tuple[float, float, float]:
        """As columns of a candidate."""
        return self.share, log1p(self.contexts), 1.0 + self.is_synonym


NOT_DERIVED = (0.0, 0.0, 0.0)
"""The columns of a candidate whose term is known."""


@dataclass(frozen=True, slots=True)
class CodeChange:
    """One character of codes of a system and chapter that another takes the place of."""

    system: str
    chapter: str
    place: int
    before: str
    after: str

    @classmethod
    def between(cls, one: Code, other: Code) -> CodeChange | None:
        """The change that makes one code the other, if it is of a single character.

        >>> left = CodeChange.between(Code("ICD-10-CM", "M25.551"), Code("ICD-10-CM", "M25.552"))
        >>> left.of(Code("ICD-10-CM", "M79.601")).value
        'M79.602'
        """
        if one.system != other.system or len(one.value) != len(other.value):
            return None
        pairs = zip(one.value, other.value, strict=True)
        places = [at for at, (before, after) in enumerate(pairs) if before != after]
        if len(places) != 1:
            return None
        [at] = places
        return cls(one.system, one.value[0], at, one.value[at], other.value[at])

    def of(self, code: Code) -> Code | None:
        """The code after the change; None where it cannot be made."""
        value, at = code.value, self.place
        if (code.system, value[0], value[at : at + 1]) != (self.system, self.chapter, self.before):
            return None
        return Code(self.system, value[:at] + self.after + value[at + 1 :])


@dataclass(frozen=True, slots=True)
class _Rule:
    """Words to put in the place of others, and what that does to the code, if anything."""

    words: Key
    change: CodeChange | None
    contexts: int
    share: float


def derive(
    terms: Mapping[Key, Mapping[int, int]], labels: LabelSpace
) -> dict[Key, dict[int, DerivedTerm]]:
    """Terms that follow from some, each a sorted key with the charts of every code it stands for.

    A key stands for no code here that it is known to stand for. Of several ways to the same one,
    the best counts.
    """
    rules = _rules(terms, labels)
    found: dict[Key, dict[int, DerivedTerm]] = defaultdict(dict)
    for key, codes in terms.items():
        for words, rest in _parts(key):
            for rule in rules.get(words, ()):
                if not set(rest).isdisjoint(rule.words):
                    continue
                new = _term(rest, rule.words)
                known = terms.get(new, {})
                for code, charts in codes.items():
                    to = _changed(labels, code, rule.change)
                    if to is None or to in known:
                        continue
                    way = DerivedTerm(rule.share, rule.contexts, charts, rule.change is None)
                    found[new][to] = max(way, found[new].get(to, way))
    return {key: codes for key, codes in found.items() if codes}


def _rules(terms: Mapping[Key, Mapping[int, int]], labels: LabelSpace) -> dict[Key, list[_Rule]]:
    contexts: dict[Key, list[Key]] = defaultdict(list)
    for key in terms:
        for words, rest in _parts(key):
            contexts[rest].append(words)
    tried: dict[tuple[Key, Key], list[Key]] = defaultdict(list)
    for rest, exchanged in contexts.items():
        if len(exchanged) <= _MOST:
            for words, others in combinations(sorted(exchanged), 2):
                if words[0] not in others and words[-1] not in others:
                    tried[words, others].append(rest)
    found: dict[Key, list[_Rule]] = defaultdict(list)
    for (words, others), rests in tried.items():
        if len(rests) < _LEAST:  # most pairs by far, so no code is looked at before
            continue
        for one, other in ((words, others), (others, words)):
            holds: Counter[CodeChange | None] = Counter()
            for rest in rests:
                holds.update(_changes(labels, terms[_term(rest, one)], terms[_term(rest, other)]))
            for change, number in holds.items():
                share = number / len(rests)
                if number >= _LEAST and share >= _SHARE:
                    found[one].append(_Rule(other, change, number, share))
    return found


def _changes(
    labels: LabelSpace, codes: Iterable[int], others: Iterable[int]
) -> set[CodeChange | None]:
    """All that may become of the codes of a term when it is changed into another."""
    found: set[CodeChange | None] = set()
    for code, other in product(codes, others):
        change = CodeChange.between(labels.codes[code], labels.codes[other])
        if change is not None or code == other:
            found.add(change)
    return found


def _term(rest: Key, words: Key) -> Key:
    return tuple(sorted((*rest, *words)))


def _parts(key: Key) -> Iterator[tuple[Key, Key]]:
    """The words of a term that may be exchanged, and those that stay."""
    for number in _EXCHANGED:
        if len(key) > number:
            for words in combinations(key, number):
                yield words, tuple(word for word in key if word not in words)


def _changed(labels: LabelSpace, code: int, change: CodeChange | None) -> int | None:
    if change is None:
        return code
    to = change.of(labels.codes[code])
    return None if to is None else labels.index.get(to)
