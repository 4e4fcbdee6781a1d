"""Whether a range of words matches the gold evidence of a code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from auscult.models.examples import Example

_SLACK = 10
"""Characters to spare at either end, as in CodiEsp's rule."""
FOLDS = 10
"""Number of folds of the training patients."""


@dataclass(frozen=True, slots=True)
class GoldEvidence:
    """The codes of a chart, and for those that have evidence the words each reference covers.

    Where a code has no annotated evidence, any of its terms may be evidence. The counts for a chart
    leave out all of its fold: with only the chart itself left out, each count would be one lower
    where the code is right, which would leak the answer.
    """

    codes: frozenset[int]
    extents: dict[int, list[tuple[int, int]]]
    example: Example = field(repr=False)
    fold: int = 0

    @classmethod
    def of(cls, example: Example, fold: int = 0) -> GoldEvidence:
        """Read off an example. A discontinuous reference is its whole extent."""
        return cls(
            frozenset(example.codes.tolist()),
            {
                code: [(int(parts[0, 0]), int(parts[:, 1].max())) for parts in references]
                for code, references in example.references.items()
            },
            example,
            fold,
        )

    @classmethod
    def of_all(cls, train: Sequence[Example]) -> list[GoldEvidence]:
        """Of every training chart; all charts of a patient are in one fold."""
        folds: dict[str, int] = {}
        return [
            cls.of(one, folds.setdefault(one.text.patient, len(folds) % FOLDS)) for one in train
        ]

    def covers(self, begin: int, end: int, code: int) -> bool:
        """Whether the range and some reference of the code share at least half of both."""
        return self._fits(
            begin,
            end,
            code,
            lambda first, last, left, right: (
                2 * (min(last, right) - max(first, left)) >= max(last, right) - min(first, left)
            ),
        )

    def matches(self, begin: int, end: int, code: int) -> bool:
        """Whether the range contains some reference of the code with little to spare."""
        return self._fits(
            begin,
            end,
            code,
            lambda first, last, left, right: (
                0 <= left - first <= _SLACK and 0 <= last - right <= _SLACK
            ),
        )

    def _fits(
        self, begin: int, end: int, code: int, rule: Callable[[int, int, int, int], bool]
    ) -> bool:
        """Whether the range and some reference of the code, in characters, fit by a rule."""
        if code not in self.codes:
            return False
        extents = self.extents.get(code)
        if extents is None:
            return True
        place = self._characters(begin, end)
        return any(rule(*place, *self._characters(*reference)) for reference in extents)

    def _characters(self, begin: int, end: int) -> tuple[int, int]:
        text = self.example.text
        return int(text.begins[begin]), int(text.ends[end - 1])
