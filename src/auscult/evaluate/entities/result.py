"""What the benchmark found, as values that describe themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field

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
    recognised: Mapping[str, Recognised]
    """By type, and `all`; the same span to the character, as the paper's Table 3."""
    recognised_by_overlap: Mapping[str, Recognised]
    compounds: Compounds
    brittleness: Brittleness
    brittleness_by_type: Brittleness
    causes: Mapping[Cause, int]
    placed: Ints = field(repr=False)
    """The cause of every gold span, as a place in `CAUSES`, or `RIGHT`."""

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "volume": self.volume.to_dict(),
            "panel": {name: one.to_dict() for name, one in self.panel.items()},
            "iou": {name: _number(m) for name, m in self.iou.items()},
            "cui_less": self.cui_less.to_dict(),
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
    gathered: Gathered = field(repr=False)

    def wrong(self, system: str) -> Iterator[Wrong]:
        """The gold spans a system got wrong, in order."""
        bench, placed = self.gathered, self.systems[system].placed
        marked = bench.systems[system]
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
            )

    def errors(self) -> pl.DataFrame:
        """A row for each wrong gold span of each system, without the text."""
        rows = [
            (name, w.note_id, w.begin, w.end, w.cause.value, _codes(w.gold), _codes(w.given))
            for name in self.systems
            for w in self.wrong(name)
        ]
        columns = ("system", "note_id", "begin", "end", "cause", "gold", "given")
        kinds = [pl.Int64 if name in ("begin", "end") else pl.String for name in columns]
        return pl.DataFrame(rows, dict(zip(columns, kinds, strict=True)), orient="row")

    def to_dict(self) -> dict[str, object]:
        """For JSON. It quotes no note."""
        return {
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
