"""Terms of codes, matched in any word order and with other words between."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from auscult.models.label_space import LabelSpace
from auscult.models.lexicon.analogy import DerivedTerm, derive
from auscult.models.lexicon.gold_evidence import FOLDS
from auscult.models.lexicon.lexicon_text import Key, LexiconText

_WINDOW = 14
"""Words away from its rarest word that another word of a term may stand."""
LONGEST = 7

_NONE: dict[int, int] = {}

Places = tuple[int, ...]


@dataclass
class TermTable:
    """Which keys (sorted shortened stems) stand for which codes, in which wordings.

    `wordings[key][stems][code]` is the number of training charts that have it, the code's name
    counting as one. During training, `charts` tells which, and `parts` how many of them are in each
    fold, so that a chart is never matched by a term of its own fold only.

    `derived[None]` are the terms derived from evidence and names by analogy; during training,
    `derived[fold]` are those derived without a fold.
    """

    wordings: dict[Key, dict[Key, dict[int, int]]] = field(default_factory=dict, repr=False)
    charts: dict[tuple[Key, Key, int], set[int]] = field(default_factory=dict, repr=False)
    parts: dict[tuple[Key, Key, int], dict[int, int]] = field(default_factory=dict, repr=False)
    derived: dict[int | None, dict[Key, dict[int, DerivedTerm]]] = field(
        default_factory=dict, repr=False
    )

    def add(self, key: Key, wording: Key, code: int, chart: int, fold: int = 0) -> None:
        """Note that a chart of a fold has a wording for a code; chart -1 is only a description."""
        had = self.charts.setdefault((key, wording, code), set())
        if chart not in had:
            had.add(chart)
            codes = self.wordings.setdefault(key, {}).setdefault(wording, {})
            codes[code] = codes.get(code, 0) + 1
            if chart >= 0:
                part = self.parts.setdefault((key, wording, code), {})
                part[fold] = part.get(fold, 0) + 1

    def hide(self, key: Key, wording: Key, code: int, fold: int) -> None:
        """Record that without a fold this term of a code would not be known."""
        term = (key, wording, code)
        self.parts[term][fold] = len(self.charts[term] - {-1})

    def derive(self, labels: LabelSpace) -> None:
        """Add what follows by analogy from the terms there are."""
        for without in (None, *range(FOLDS)):
            self.derived[without] = derive(self._held(without), labels)

    def forget_charts(self) -> None:
        """Keep only what is needed to match."""
        self.charts.clear()
        self.parts.clear()
        self.derived = {None: self.derived.get(None, {})}

    def all_keys(self) -> set[Key]:
        """What to look for."""
        return {*self.wordings, *(key for terms in self.derived.values() for key in terms)}

    def codes(self, key: Key, stems: Key, without: int | None) -> dict[int, tuple[int, int]]:
        """Codes a match may stand for: how close the wording is (1 to 3), and charts behind it.

        `without` is a fold whose charts do not count.
        """
        found: dict[int, tuple[int, int]] = {}
        for wording, codes in self.wordings.get(key, {}).items():
            near = 3 if wording == stems else 2 if set(wording) == set(stems) else 1
            for code, count in codes.items():
                if without is not None:
                    count -= self.parts.get((key, wording, code), _NONE).get(without, 0)
                if count:
                    best, charts = found.get(code, (0, 0))
                    found[code] = (max(best, near), charts + count)
        return found

    def derived_codes(self, key: Key, without: int | None) -> Mapping[int, DerivedTerm]:
        """Codes that a key may stand for by analogy."""
        return self.derived.get(without, {}).get(key, {})

    def all_codes(self, key: Key) -> set[int]:
        """Every code that a key may stand for."""
        return {
            *(code for codes in self.wordings.get(key, {}).values() for code in codes),
            *(code for terms in self.derived.values() for code in terms.get(key, ())),
        }

    def _held(self, without: int | None) -> dict[Key, dict[int, int]]:
        """Every key with its codes and the charts behind each, in whatever wording."""
        found: dict[Key, dict[int, int]] = {}
        for key, wordings in self.wordings.items():
            codes: Counter[int] = Counter()
            for wording, counted in wordings.items():
                for code, count in counted.items():
                    part = self.parts.get((key, wording, code), _NONE)
                    codes[code] += count - (0 if without is None else part.get(without, 0))
            if codes := +codes:
                found[key] = dict(codes)
        return found


def content(chart: LexiconText, places: Sequence[int], common: frozenset[str]) -> list[int]:
    """The words of a term that count: all but common ones inside it."""
    last = len(places) - 1
    return [
        at
        for order, at in enumerate(places)
        if order in (0, last) or chart.folded[at] not in common
    ]


class Matcher:
    """Finds the terms of a lexicon in a chart, looking only at those whose rarest word is there."""

    def __init__(self, keys: Iterable[Key], frequency: Counter[str]) -> None:
        self._by_anchor: dict[str, list[tuple[Key, list[str]]]] = defaultdict(list)
        for key in sorted(keys):
            anchor = min(key, key=lambda word: (frequency[word], word))
            self._by_anchor[anchor].append((key, [word for word in key if word != anchor]))

    def matches(self, chart: LexiconText) -> Iterator[tuple[Key, Places]]:
        """Keys and the places of their words, in the order of the text."""
        where: dict[str, list[int]] = defaultdict(list)
        for at, word in enumerate(chart.keys):
            where[word].append(at)
        found: set[tuple[Places, Key]] = set()
        for word, places in where.items():
            for key, others in self._by_anchor.get(word, ()):
                if all(other in where for other in others):
                    for at in places:
                        nearest = _nearest(chart.sentences, where, at, others)
                        if nearest is not None:
                            found.add((nearest, key))
        for matched, key in sorted(found):
            yield key, matched


def _nearest(
    sentences: list[int], where: dict[str, list[int]], at: int, others: list[str]
) -> Places | None:
    """The nearest place of each of the other words in the sentence of word `at`."""
    chosen = [at]
    for other in others:
        places = where[other]
        near = places[bisect_left(places, at - _WINDOW) : bisect_right(places, at + _WINDOW)]
        near = [place for place in near if sentences[place] == sentences[at]]
        if not near:
            return None
        chosen.append(min(near, key=lambda place: abs(place - at)))
    return tuple(sorted(chosen))
