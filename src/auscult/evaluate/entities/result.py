"""What the benchmark found, as values that describe themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import polars as pl

from auscult.codes.exclusions import Exclusion
from auscult.core import Code, Measure
from auscult.evaluate.entities.brittleness import Brittleness
from auscult.evaluate.entities.causes import CAUSES, RIGHT, Cause
from auscult.evaluate.entities.compounds import Compounds
from auscult.evaluate.entities.gather import Gathered
from auscult.evaluate.entities.marked import Ints, exact
from auscult.evaluate.entities.settings import Settings
from auscult.evaluate.matched import Matched
from auscult.statistics.significance import Comparison

_BOUNDARIES = (Cause.BOUNDARY, Cause.BOUNDARY_AND_CONCEPT)


@dataclass(frozen=True, slots=True)
class Row:
    """One subset, type or rule: each system's accuracy, the highest, the mean, and any right."""

    name: str
    definition: str
    n: int
    systems: Mapping[str, Measure]
    average: Measure
    pooled: Measure
    undefined: str | None = None

    @property
    def best(self) -> str | None:
        """The system with the highest accuracy, the first among equals."""
        defined = [name for name, m in self.systems.items() if m.value is not None]
        return max(defined, key=lambda name: self.systems[name].value or 0.0, default=None)

    @property
    def max(self) -> Measure:
        """The highest accuracy of any system, with the interval of that system's."""
        if self.best is None:
            return Measure(
                "max", "highest accuracy of any system", undefined=self.average.undefined
            )
        found = self.systems[self.best]
        return Measure("max", "highest accuracy of any system", found.value, found.interval, self.n)

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "n": self.n,
            "definition": self.definition,
            "undefined": self.undefined,
            "best": self.best,
            **{m.name: _number(m) for m in (self.max, self.average, self.pooled)},
            "systems": {name: _number(m) for name, m in self.systems.items()},
        }


@dataclass(frozen=True, slots=True)
class Ratios:
    """Precision, recall and F1 of one way of counting end to end."""

    name: str
    definition: str
    precision: Measure
    recall: Measure
    f1: Measure
    counts: tuple[int, int, int, int]
    """Found, to be found, right, given."""

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        found, held, right, given = self.counts
        return {
            "definition": self.definition,
            **{name: _number(getattr(self, name)) for name in ("precision", "recall", "f1")},
            "found": found,
            "to_find": held,
            "right": right,
            "given": given,
        }


@dataclass(frozen=True, slots=True)
class Recognised:
    """A row of Table 3: spans found, spans with a right concept, and the second of the first."""

    spans: Measure
    concepts: Measure
    precision: Measure

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {name: _number(getattr(self, name)) for name in ("spans", "concepts", "precision")}


@dataclass(frozen=True, slots=True)
class Volume:
    """How much a system gave: whoever gives many concepts on a span is flattered by `any`."""

    spans: int
    concepts: int
    answered: int
    """Gold spans that it gave something on exactly."""
    concepts_per_answer: float | None
    nowhere: int
    """Spans that overlap no gold span."""

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class System:
    """One system: how it did end to end, how brittle it is, and why it was wrong."""

    name: str
    volume: Volume
    panel: Mapping[str, Ratios]
    iou: Mapping[str, Measure]
    cui_less: Matched
    cui_less_by_text: Mapping[str, Matched]
    """Of texts that are `seen` in training and of those that are `unseen`, where it is known."""
    recognised: Mapping[str, Recognised]
    """By type, and `all`; the same span to the character, as the paper's Table 3."""
    recognised_by_overlap: Mapping[str, Recognised]
    compounds: Compounds
    brittleness: Brittleness
    brittleness_by_type: Brittleness
    causes: Mapping[Cause, int]
    placed: Ints = field(repr=False)
    """The cause of every gold span, as a place in `CAUSES`, or `RIGHT`."""
    overlaps: tuple[Ints, Ints] = field(repr=False)
    """Gold spans and spans of the system that overlap."""

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "volume": self.volume.to_dict(),
            "panel": {name: one.to_dict() for name, one in self.panel.items()},
            "iou": {name: _number(m) for name, m in self.iou.items()},
            "cui_less": self.cui_less.to_dict(),
            "cui_less_by_text": {
                name: one.to_dict() for name, one in self.cui_less_by_text.items()
            },
            "recognised": {name: one.to_dict() for name, one in self.recognised.items()},
            "recognised_by_overlap": {
                name: one.to_dict() for name, one in self.recognised_by_overlap.items()
            },
            "compounds": self.compounds.to_dict(),
            "brittleness": self.brittleness.to_dict(),
            "brittleness_by_type": self.brittleness_by_type.to_dict(),
            "causes": {cause.value: count for cause, count in self.causes.items()},
        }


@dataclass(frozen=True, slots=True)
class Compared:
    """One measure of two systems."""

    first: str
    second: str
    comparison: Comparison

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {**self.comparison.to_dict(), "first": self.first, "second": self.second,
                "first_value": self.comparison.first,
                "second_value": self.comparison.second}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Nearby:
    """What was given on a span that overlaps the one that was asked for."""

    begin: int
    end: int
    codes: tuple[Code, ...]

    def __str__(self) -> str:
        return f"{self.begin}-{self.end} {_codes(self.codes)}"


@dataclass(frozen=True, slots=True, repr=False)
class Wrong:
    """A gold span without a right concept on it, as the error browser shows it."""

    note_id: str
    span: int
    begin: int
    end: int
    text: str | None
    gold: tuple[Code, ...]
    given: tuple[Code, ...]
    """On exactly the span, the first first."""
    cause: Cause
    nearby: tuple[Nearby, ...] = ()
    """Where the boundary is wrong: what was given instead."""


@dataclass(frozen=True, slots=True)
class EntitiesResult:
    """Everything that was measured."""

    rule: str
    settings: Settings
    notes: int
    spans: int
    """Gold spans that are asked about."""
    several: int
    """Of these, spans with several gold concepts."""
    cui_less: int
    """Of these, spans that gold calls CUI-less."""
    subsets: Mapping[str, Row]
    types: Mapping[str, Row]
    types_from: str | None
    rules: Mapping[str, Row]
    systems: Mapping[str, System]
    compared: Mapping[str, Sequence[Compared]]
    remarks: Mapping[str, Sequence[Exclusion]]
    about: Mapping[str, Any]
    """How it came about: whose annotations of which corpora, by digest, and how many resamples."""
    gathered: Gathered = field(repr=False)

    @property
    def least_p(self) -> float | None:
        """The smallest p-value that a test could come to, by Holm's correction; None without one.

        One shuffle is the corpus itself, and of n notes two of 2ⁿ shuffles leave the difference as
        it is: swapping none of them, and all.
        """
        times, systems = int(self.about["bootstrap"]), len(self.systems)
        if not times or systems < 2:
            return None
        pairs = systems * (systems - 1) / 2
        return min(1.0, pairs * max(1 / (times + 1), 2.0 ** (1 - self.notes)))

    def wrong(self, system: str) -> Iterator[Wrong]:
        """The gold spans a system got wrong, in order."""
        bench, placed = self.gathered, self.systems[system].placed
        marked = bench.systems[system]
        near = self._nearby(system)
        given, same = marked.concepts_of(), exact(bench.gold, marked)
        code = bench.concepts.codes
        for span in np.flatnonzero(placed != RIGHT).tolist():
            on = given[same[span]] if same[span] >= 0 else ()
            yield Wrong(
                bench.note_ids[bench.gold.note[span]],
                span,
                int(bench.gold.begin[span]),
                int(bench.gold.end[span]),
                bench.texts[span],
                tuple(code[c] for c in bench.concepts_of[span]),
                tuple(code[c] for c in on),
                CAUSES[placed[span]],
                tuple(near.get(span, ())),
            )

    def _nearby(self, system: str) -> dict[int, list[Nearby]]:
        """What a system gave beside the spans whose boundary it got wrong, in order."""
        bench, one = self.gathered, self.systems[system]
        marked, code = bench.systems[system], bench.concepts.codes
        at_boundary = np.isin(one.placed, [CAUSES.index(cause) for cause in _BOUNDARIES])
        concepts = marked.concepts_of()
        found: dict[int, list[Nearby]] = {}
        for span, other in zip(*(side.tolist() for side in one.overlaps), strict=True):
            if at_boundary[span]:
                place = int(marked.begin[other]), int(marked.end[other])
                given = Nearby(*place, tuple(code[c] for c in concepts[other]))
                found.setdefault(span, []).append(given)
        return found

    def errors(self) -> pl.DataFrame:
        """A row for each wrong gold span of each system, without the text."""
        rows = [
            (name, w.note_id, w.begin, w.end, w.cause.value, _codes(w.gold), _codes(w.given),
             "; ".join(map(str, w.nearby)))
            for name in self.systems
            for w in self.wrong(name)
        ]  # fmt: skip
        columns = ("system", "note_id", "begin", "end", "cause", "gold", "given", "nearby")
        kinds = [pl.Int64 if name in ("begin", "end") else pl.String for name in columns]
        return pl.DataFrame(rows, dict(zip(columns, kinds, strict=True)), orient="row")

    def to_dict(self) -> dict[str, object]:
        """For JSON. It quotes no note."""
        return {
            "about": dict(self.about),
            "rule": self.rule,
            "settings": self.settings.to_dict(),
            "notes": self.notes,
            "spans": self.spans,
            "spans_with_several_concepts": self.several,
            "cui_less_spans": self.cui_less,
            "subsets": {name: row.to_dict() for name, row in self.subsets.items()},
            "types": {name: row.to_dict() for name, row in self.types.items()},
            "types_from": self.types_from,
            "rules": {name: row.to_dict() for name, row in self.rules.items()},
            "systems": {name: one.to_dict() for name, one in self.systems.items()},
            "least_p": self.least_p,
            "compared": {
                name: [one.to_dict() for one in pairs] for name, pairs in self.compared.items()
            },
            "remarks": {
                side: [asdict(one) for one in found] for side, found in self.remarks.items()
            },
        }


def _codes(codes: Sequence[Code]) -> str:
    return " | ".join(map(str, codes))


def _number(measure: Measure) -> dict[str, object]:
    found: dict[str, object] = {"value": measure.value, "interval": measure.interval}
    return {**found, "undefined": measure.undefined} if measure.undefined else found
