"""From a heading down to the billable code that is documented, or to its default."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Protocol

import numpy.typing as npt

from auscult.codes.index.strings import Strings, packed
from auscult.codes.lookup.words import description_stems, emphasis, stem_of, without_doubt, words_of

_UNSPECIFIED = re.compile(r"unspecified\b", re.IGNORECASE)
_OTHER = re.compile(r"other\b(?! and unspecified)", re.IGNORECASE)
_ABSENT = re.compile(r"\b(?:without foreign body\b|(?:without|not)\b[^,]*)", re.IGNORECASE)
_NEUTRAL = (
    *("applicable", "degree", "duration", "ear", "eye", "limb", "organism", "other", "part"),
    *("severity", "side", "site", "stage", "trimester", "type", "uncomplicated"),
)
"""What "unspecified" is said of."""
_NEUTRAL_STEMS = frozenset(map(stem_of, _NEUTRAL))
_ONE_SIDED, _TWO_SIDED = stem_of("unilateral"), stem_of("bilateral")
_SIDES = frozenset(map(stem_of, ("left", "right")))
_LEFT_OPEN = re.compile(r"\bunspecified\b(?! whether)", re.IGNORECASE)
_MANY = frozenset("STVWXY")
"""Chapters whose categories have hundreds of codes, by site and encounter."""
_STEP = 10
_SHORT = 3
_SEVENTH = 7  # and the dot
_DEFAULTS, _TOPS = "descent_default", "descent_top"


class CodeHierarchy(Protocol):
    """What a table of codes and the Tabular List have in common."""

    def __contains__(self, value: object) -> bool:
        """Whether there is such a code or heading."""

    def describe(self, value: str) -> str | None:
        """Its description."""

    def is_billable(self, value: str) -> bool:
        """Whether it can be billed."""

    def parent(self, value: str) -> str | None:
        """The next heading up."""

    def children(self, value: str) -> tuple[str, ...]:
        """What is one step below."""


class Descent:
    """Goes down a hierarchy of codes.

    `values` are codes for which `arrays` have what `descent_arrays` found.
    """

    def __init__(
        self,
        codes: CodeHierarchy,
        values: Sequence[str] = (),
        arrays: Mapping[str, npt.NDArray[Any]] | None = None,
    ) -> None:
        self._codes = codes
        self._numbers: Mapping[str, int] = {}
        if arrays is not None and f"{_DEFAULTS}_texts" in arrays:
            self._numbers = {value: at for at, value in enumerate(values)}
            self._defaults = Strings.of(arrays, _DEFAULTS)
            self._tops = Strings.of(arrays, _TOPS)
        self._children = lru_cache(maxsize=20_000)(codes.children)
        self.is_billable = lru_cache(maxsize=50_000)(codes.is_billable)
        self._own = lru_cache(maxsize=20_000)(self._own_stems)
        self._rank = lru_cache(maxsize=50_000)(self._distance)
        self.highest = lru_cache(maxsize=100_000)(self._highest)
        self._siblings = lru_cache(maxsize=20_000)(self._more_specific)
        self.default = lru_cache(maxsize=100_000)(self._default)
        self.is_open = lru_cache(maxsize=20_000)(self._is_open)

    def down(
        self, value: str, words: Sequence[frozenset[str]], *, share: float = 0.0
    ) -> tuple[str, list[int]]:
        """The billable code that has most of the words, and the numbers of those it has.

        A word is the set of the stems that it may stand for. The way begins at a code's heading, if
        the code is what stands for the heading when nothing more is said: the words may say more.
        Where no word decides, it goes to the code for what is not specified. A step down is taken
        only where the words say at least `share` of what it adds.
        """
        left = dict(enumerate(words))
        met: list[int] = []
        if left:
            value = self.highest(value)
        while left and not self.is_billable(value):
            best, most = None, (0, 0)
            for child in self._children(value):
                own = self._own(child, value)
                shared = sum(1 for word in left.values() if not word.isdisjoint(own))
                if shared <= share * len(own):
                    continue
                rank = (shared, -len(own) - self._rank(child, value))
                if best is None or rank > most:
                    best, most = child, rank
            if best is None:  # the words may say more of what is further down
                best = self._likeliest(value)
            if best is None:
                break
            has = self._own(best, value)
            met += [at for at, word in left.items() if not word.isdisjoint(has)]
            left = {at: word for at, word in left.items() if at not in met}
            value = best
        return self.default(value), met

    def beside(self, value: str, stems: Sequence[str]) -> tuple[str, list[int]]:
        """The code of the same category that says all of what a code says and more, if words do.

        Only for a code that leaves something unspecified. All that the other adds must be said.
        Which words said it is given by their numbers. *Acute* leads from respiratory failure with
        hypoxia to acute respiratory failure with hypoxia.
        """
        if not stems or not _LEFT_OPEN.search(self._codes.describe(value) or ""):
            return value, []
        said = frozenset(stems)
        found, most = value, frozenset[str]()
        for other, added in self._siblings(value):
            if len(added) > len(most) and added <= said:
                found, most = other, added
        return found, [at for at, stem in enumerate(stems) if stem in most]

    def _more_specific(self, value: str) -> tuple[tuple[str, frozenset[str]], ...]:
        """The codes of the same category that say more, with what they add."""
        category = value[:3]
        if category[0] in _MANY or category not in self._codes:
            return ()
        own = self._said(value)
        found = []
        for one in self._leaves(category):
            stems = self._said(one)
            if own < stems:
                found.append((one, stems - own))
        return tuple(found)

    def _leaves(self, category: str) -> Iterator[str]:
        """The codes of a category, in order."""
        waiting = [category]
        while waiting:
            one = waiting.pop()
            waiting += reversed(self._children(one))
            if self.is_billable(one):
                yield one

    def added(self, value: str, other: str) -> frozenset[str]:
        """The stems of what the description of another code says and that of a code does not."""
        return self._own(other, value)

    def _said(self, value: str) -> frozenset[str]:
        """The stems of a description that say something, apart from what is left unspecified."""
        return description_stems(self._codes.describe(value) or "") - _NEUTRAL_STEMS

    def bilateral(self, value: str) -> str | None:
        """The code for both sides, where a code says that it is of one.

        *Unilateral primary osteoarthritis, unspecified knee* leads to the bilateral one.
        """
        if not self.is_one_sided(value):
            return None
        own = self._said(value)
        wanted = (own - {_ONE_SIDED, *_SIDES}) | {_TWO_SIDED}
        for other in self._leaves(value[:3]):
            if self._said(other) == wanted:
                return other
        return None

    def is_one_sided(self, value: str) -> bool:
        """Whether a code says that it is of one side, so that there is another one for both."""
        return "unilateral" in (self._codes.describe(value) or "").lower()

    def _is_open(self, value: str) -> bool:
        """Whether nothing stands for a heading: its codes all say what it leaves open, as a week.

        Codes are given at the highest level that is documented (ICD-10-CM Official Guidelines,
        Section I.B.2), and not at one that somebody made up.
        """
        while not self.is_billable(value) and (child := self._likeliest(value)):
            if self._rank(child, value) >= 2 * _STEP:
                return True
            value = child
        return False

    def heading(self, value: str) -> str | None:
        """The heading that a code stands for where nothing more is documented, or None.

        A heading over encounters alone is none: it has no more specific conditions.
        """
        highest = self.highest(value)
        is_encounter = (
            len(value.replace(".", "")) == _SEVENTH and self._codes.parent(value) == highest
        )
        return None if highest == value or is_encounter else highest

    def _highest(self, value: str) -> str:
        """The highest heading of which a code is the default."""
        if (at := self._numbers.get(value)) is not None:
            return self._tops[at]
        default, above = self.default(value), self._codes.parent(value)
        while above is not None and self.default(above) == default and self._covers(value, above):
            value, above = above, self._codes.parent(above)
        return value

    def _covers(self, value: str, heading: str) -> bool:
        """Whether a code says all that its heading says: one of a list of things does not."""
        return description_stems(self._codes.describe(heading) or "") <= description_stems(
            self._codes.describe(value) or ""
        )

    def _own_stems(self, value: str, parent: str) -> frozenset[str]:
        """What a description says that its heading's does not."""
        return description_stems(self._codes.describe(value) or "") - description_stems(
            self._codes.describe(parent) or ""
        )

    def _default(self, value: str) -> str:
        """The code under a heading when nothing more is documented; itself if it is billable."""
        if (at := self._numbers.get(value)) is not None:
            return self._defaults[at]
        while not self.is_billable(value) and (child := self._likeliest(value)):
            value = child
        return value

    def _likeliest(self, value: str) -> str | None:
        """What stands for a heading one step down when nothing more is said."""
        children = self._children(value)
        return min(children, key=lambda child: (self._rank(child, value), child), default=None)

    def _distance(self, child: str, parent: str) -> int:
        """How far a code is from saying no more than its heading.

        What it adds counts most, apart from what it says is not known or not there; then whether it
        says so, or is the rest of a list.
        """
        described = self._codes.describe(child) or ""
        heading = words_of(self._codes.describe(parent) or "")
        # Counted, since "unspecified" may be said of one thing more.
        added = Counter(words_of(described)) - Counter(heading)
        if "initial" in added and "encounter" in added:
            return _STEP if "open" in added else 0
        if "subsequent" in added:
            return _STEP if "routine" in added or added.total() <= _SHORT else 2 * _STEP
        if "unknown" in added:
            return -1
        said = words_of(_ABSENT.sub("", without_doubt(described)))
        stems = {stem_of(word) for word in said if emphasis(word) and word not in _NEUTRAL}
        more = len(stems - {stem_of(word) for word in heading})
        return _STEP * more + _kind(described, added, child)


def descent_arrays(codes: CodeHierarchy, values: Sequence[str]) -> dict[str, npt.NDArray[Any]]:
    """For each value its default and the highest heading of which it is the default.

    To find them out takes a millisecond each, so that a search of new codes would be slow.
    """
    descent = Descent(codes)
    return {
        **packed(_DEFAULTS, map(descent.default, values)),
        **packed(_TOPS, map(descent.highest, values)),
    }


def _kind(described: str, added: Counter[str], value: str) -> int:
    """How plainly a code says that nothing more is known, 0 being most plainly."""
    if "unspecified" in added or _UNSPECIFIED.match(described):
        return 0
    if _ABSENT.search(described) or "uncomplicated" in added:
        return 1
    if _OTHER.match(described):
        return _STEP + 5
    return 2 if value.endswith("9") else 3
