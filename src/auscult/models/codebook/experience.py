"""What training charts teach about the code book: how often its codes are given, and are right.

Everything is counted by patient, so that a chart can be judged by the charts of the others alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from auscult.core import AuscultError, Code

_PRIOR = 2.0
"""Imagined finds of a code, of which as many are right as of all codes."""


@dataclass(frozen=True, slots=True, eq=False)
class Experience:
    """For each code the training charts that have it, those it was found in, and those both."""

    given: Mapping[Code, int] = field(default_factory=dict)
    found: Mapping[Code, int] = field(default_factory=dict)
    right: Mapping[Code, int] = field(default_factory=dict)

    @classmethod
    def of(cls, charts: Iterable[tuple[Iterable[Code], Iterable[Code]]]) -> Experience:
        """Counted over charts: the codes that each has, and those that were found."""
        given, found, right = Counter[Code](), Counter[Code](), Counter[Code]()
        for has, finds in charts:
            own, other = set(has), set(finds)
            given.update(own)
            found.update(other)
            right.update(own & other)
        return cls(given, found, right)

    @property
    def precision(self) -> float:
        """The part of all finds that is right."""
        return (sum(self.right.values()) + 1) / (sum(self.found.values()) + 2)

    def features(self, code: Code, without: Experience | None = None) -> dict[str, float]:
        """What it says of a code; `without` is the experience of a patient who does not count."""
        given, found, right = (
            getattr(self, name).get(code, 0)
            - (getattr(without, name).get(code, 0) if without else 0)
            for name in ("given", "found", "right")
        )
        prior = self.precision
        share = (right + _PRIOR * prior) / (found + _PRIOR)
        told = {"reliability": float(np.log(share / (1 - share)))}
        return {**told, "seen": float(np.log(given))} if given else {**told, "unseen": 1.0}

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        every = sorted({*self.given, *self.found})
        rows = [
            [code.system, code.value, *(getattr(self, part).get(code, 0) for part in _PARTS)]
            for code in every
        ]
        return {"codes": rows}

    @classmethod
    def from_dict(cls, held: Mapping[str, Any]) -> Experience:
        """What `to_dict` gave."""
        try:
            rows = [(Code(row[0], row[1]), [int(n) for n in row[2:5]]) for row in held["codes"]]
            given, found, right = (
                {code: counts[at] for code, counts in rows if counts[at]} for at in range(3)
            )
            return cls(given, found, right)
        except (LookupError, TypeError, ValueError) as error:
            raise AuscultError(
                "The counts of the code book are damaged. Train it again."
            ) from error


_PARTS = ("given", "found", "right")
