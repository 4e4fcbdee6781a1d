"""The label space of a model: the codes it can predict, in a fixed order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from auscult.core import AuscultError, Code


@dataclass(frozen=True)
class LabelSpace:
    """Codes in order, and how many training charts have each.

    >>> space = LabelSpace.of([{Code("ICD-10-CM", "I10")}, {Code("ICD-10-CM", "I10")}])
    >>> len(space), space.counts, space.index[Code("ICD-10-CM", "I10")]
    (1, (2,), 0)
    """

    codes: tuple[Code, ...]
    counts: tuple[int, ...]

    @classmethod
    def of(cls, charts: Iterable[Iterable[Code]], *, minimum: int = 1) -> LabelSpace:
        """The codes of training charts, those in at least `minimum` charts, sorted."""
        counted = Counter(code for codes in charts for code in set(codes))
        kept = sorted(code for code, count in counted.items() if count >= minimum)
        if not kept:
            raise AuscultError(
                f"No code is on at least {minimum} training charts, so there is nothing to "
                "train on. Check the split, the annotators and the code systems chosen."
            )
        return cls(tuple(kept), tuple(counted[code] for code in kept))

    def __len__(self) -> int:
        return len(self.codes)

    def __iter__(self) -> Iterator[Code]:
        return iter(self.codes)

    @cached_property
    def index(self) -> dict[Code, int]:
        """The index of each code."""
        return {code: at for at, code in enumerate(self.codes)}
