"""Compound mentions: the parts that a system got right where it missed the whole.

A compound is a gold span with gold spans inside it that is inside no other. Vocabularies hold such
concepts inconsistently, so a system that misses the whole may have the parts right. The paper
counts 174 compounds: a system recovered 74 of the spans, and in 54 of the other 100 had a right
concept on one of the spans inside (section 5.3).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from auscult.evaluate.entities.marked_spans import Bools, Ints, MarkedSpans
from auscult.evaluate.entities.overlap import on_notes, overlapping


@dataclass(frozen=True, slots=True)
class Compounds:
    """How many there are, how many spans were recovered, and what is inside the missed ones."""

    compounds: int
    recovered: int
    """The span was predicted exactly, whatever the concept."""
    missed: int
    missed_with_a_part_right: int
    """Of the missed, those with a right concept predicted exactly on a span inside."""

    def to_dict(self) -> dict[str, int]:
        """For JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True, repr=False)
class Nesting:
    """Gold spans inside gold spans: `inner` is inside `outer`; which spans are compounds."""

    outer: Ints
    inner: Ints
    is_compound: Bools


def nesting(gold: MarkedSpans, asked: Bools) -> Nesting:
    """How the spans that are asked about lie in each other, by their characters."""
    one, other, shared = overlapping(on_notes(gold), on_notes(gold))
    inside = (
        asked[one]
        & asked[other]
        & (shared == gold.length[other])
        & (gold.length[other] < gold.length[one])
    )
    outer, inner = one[inside], other[inside]
    has_parts, is_part = (np.zeros(len(gold), dtype=np.bool_) for _ in range(2))
    has_parts[outer] = True
    is_part[inner] = True
    return Nesting(outer, inner, has_parts & ~is_part)


def compounds(found: Nesting, is_given: Bools, is_right: Bools) -> Compounds:
    """The compounds: spans predicted exactly, and spans predicted with a right concept."""
    missed = found.is_compound & ~is_given
    part_right = np.zeros(len(is_given), dtype=np.bool_)
    part_right[found.outer[is_right[found.inner]]] = True
    return Compounds(
        int(found.is_compound.sum()),
        int((found.is_compound & is_given).sum()),
        int(missed.sum()),
        int((missed & part_right).sum()),
    )
