"""The results of the entity benchmark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from auscult.codes.exclusions import Exclusion
from auscult.core import Code, Metric
from auscult.core.plurals import counted
from auscult.core.results import MetricRow, Result, labeled
from auscult.evaluate.entities.brittleness import Brittleness
from auscult.evaluate.entities.causes import CAUSES, RIGHT, ErrorCause
from auscult.evaluate.entities.compounds import Compounds
from auscult.evaluate.entities.gather import EntityInputs
from auscult.evaluate.entities.marked_spans import Ints, exact
from auscult.evaluate.entities.settings import EntitySettings
from auscult.evaluate.matching import MatchMetrics
from auscult.statistics.significance import Comparison

_BOUNDARIES = (ErrorCause.BOUNDARY, ErrorCause.BOUNDARY_AND_CONCEPT)


@dataclass(frozen=True, slots=True, repr=False)
class SubsetRow(Result):
    """One subset, type or rule: the accuracy of each system, the highest, the mean, and pooled."""

    name: str
    definition: str
    n: int
    systems: Mapping[str, Metric]
    average: Metric
    pooled: Metric
    undefined: str | None = None

    @property
    def best(self) -> str | None:
        """The system with the highest accuracy, the first among equals."""
        defined = [name for name, m in self.systems.items() if m.value is not None]
        return max(defined, key=lambda name: self.systems[name].value or 0.0, default=None)

    @property
    def max(self) -> Metric:
        """The highest accuracy of any system, with the interval of that system's."""
        if self.best is None:
            return Metric("max", "highest accuracy of any system", undefined=self.average.undefined)
        found = self.systems[self.best]
        return Metric("max", "highest accuracy of any system", found.value, found.interval, self.n)

    def metric_rows(self) -> Iterator[MetricRow]:
        """The accuracy of each system; then the highest, the mean, and any system right."""
        for name, metric in self.systems.items():
            yield {"system": name}, replace(metric, name="accuracy", definition=self.definition)
        for name in ("max", "average", "pooled"):
            yield {}, replace(getattr(self, name), name=name)

    def headline(self) -> str:
        """Which spans."""
        return f"{self.name}, {counted(self.n, 'span')}"

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
    precision: Metric
    recall: Metric
    f1: Metric
    counts: tuple[int, int, int, int]
    """Found, to be found, right, predicted."""

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
class RecognitionRow:
    """A row of Table 3: spans found, spans with a right concept, and the ratio of the two."""

    spans: Metric
    concepts: Metric
    precision: Metric

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {name: _number(getattr(self, name)) for name in ("spans", "concepts", "precision")}


@dataclass(frozen=True, slots=True)
class Volume:
    """How much a system predicted: predicting many concepts on a span helps with the rule `any`."""

    spans: int
    concepts: int
    answered: int
    """Gold spans on which it predicted something exactly."""
    concepts_per_answer: float | None
    nowhere: int
    """Spans that overlap no gold span."""

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True, repr=False)
class EntitySystem(Result):
    """One system: its end-to-end metrics, its brittleness, and the causes of its errors."""

    name: str
    volume: Volume
    panel: Mapping[str, Ratios]
    iou: Mapping[str, Metric]
    cui_less: MatchMetrics
    cui_less_by_text: Mapping[str, MatchMetrics]
    """Of texts that are `seen` in training and of those that are `unseen`, where it is known."""
    recognized: Mapping[str, RecognitionRow]
    """By type, and `all`; the same span to the character, as the paper's Table 3."""
    recognized_by_overlap: Mapping[str, RecognitionRow]
    compounds: Compounds
    brittleness: Brittleness
    brittleness_by_type: Brittleness
    causes: Mapping[ErrorCause, int]
    placed: Ints = field(repr=False)
    """The cause of every gold span, as a place in `CAUSES`, or `RIGHT`."""
    overlaps: tuple[Ints, Ints] = field(repr=False)
    """Gold spans and spans of the system that overlap."""

    def metric_rows(self) -> Iterator[MetricRow]:
        """Every metric of the system; `part` names its table, `group` its row."""
        for name, one in self.panel.items():
            for ratio in ("precision", "recall", "f1"):
                metric: Metric = getattr(one, ratio)
                named = replace(metric, name=ratio, definition=one.definition)
                yield {"part": "end_to_end", "group": name}, named
        for name, metric in self.iou.items():
            yield {"part": "end_to_end", "group": name}, replace(metric, name="iou")
        yield from self.cui_less.metric_rows(part="cui_less", group="all")
        for name, found in self.cui_less_by_text.items():
            yield from found.metric_rows(part="cui_less", group=name)
        for part in ("recognized", "recognized_by_overlap"):
            for name, row in getattr(self, part).items():
                for column in ("spans", "concepts", "precision"):
                    yield {"part": part, "group": name}, replace(getattr(row, column), name=column)
        for part in ("brittleness", "brittleness_by_type"):
            yield {"part": part, "group": None}, getattr(self, part).spread

    def headline(self) -> str:
        """Whose."""
        return self.name

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
            "recognized": {name: one.to_dict() for name, one in self.recognized.items()},
            "recognized_by_overlap": {
                name: one.to_dict() for name, one in self.recognized_by_overlap.items()
            },
            "compounds": self.compounds.to_dict(),
            "brittleness": self.brittleness.to_dict(),
            "brittleness_by_type": self.brittleness_by_type.to_dict(),
            "causes": {cause.value: count for cause, count in self.causes.items()},
        }


@dataclass(frozen=True, slots=True)
class ComparedSystems:
    """One metric of two systems."""

    first: str
    second: str
    comparison: Comparison

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {**self.comparison.to_dict(), "first": self.first, "second": self.second,
                "first_value": self.comparison.first,
                "second_value": self.comparison.second}  # fmt: skip


@dataclass(frozen=True, slots=True)
class NearbyAnnotation:
    """A prediction on a span that overlaps the gold span."""

    begin: int
    end: int
    codes: tuple[Code, ...]

    def __str__(self) -> str:
        return f"{self.begin}-{self.end} {_codes(self.codes)}"


@dataclass(frozen=True, slots=True, repr=False)
class EntityMistake:
    """A gold span without a right concept on it, as the error browser shows it."""

    note_id: str
    span: int
    begin: int
    end: int
    text: str | None
    gold: tuple[Code, ...]
    given: tuple[Code, ...]
    """On exactly the span, the highest score first."""
    cause: ErrorCause
    nearby: tuple[NearbyAnnotation, ...] = ()
    """Where the boundary is wrong: what was predicted instead."""


@dataclass(frozen=True, slots=True, repr=False)
class EntitiesResult(Result):
    """The results of `evaluate_entities`."""

    rule: str
    settings: EntitySettings
    notes: int
    spans: int
    """Gold spans that are evaluated."""
    several: int
    """Of these, spans with several gold concepts."""
    cui_less: int
    """Of these, spans that gold calls CUI-less."""
    subsets: Mapping[str, SubsetRow]
    types: Mapping[str, SubsetRow]
    types_from: str | None
    rules: Mapping[str, SubsetRow]
    systems: Mapping[str, EntitySystem]
    compared: Mapping[str, Sequence[ComparedSystems]]
    remarks: Mapping[str, Sequence[Exclusion]]
    about: Mapping[str, Any]
    """Provenance: annotators and corpora with their digests, and the number of resamples."""
    gathered: EntityInputs = field(repr=False)

    @property
    def least_p(self) -> float | None:
        """The smallest p-value that a test could reach after Holm's correction, if there is one.

        One shuffle is the corpus itself, and of n notes two of 2ⁿ shuffles leave the difference as
        it is: swapping none of them, and all.
        """
        times, systems = int(self.about["bootstrap"]), len(self.systems)
        if not times or systems < 2:
            return None
        pairs = systems * (systems - 1) / 2
        return min(1.0, pairs * max(1 / (times + 1), 2.0 ** (1 - self.notes)))

    def metric_rows(self) -> Iterator[MetricRow]:
        """Accuracy on all spans, every metric of every system, accuracy by subset, type and rule.

        `part` names the table of the result, and `group` its row.
        """
        parts = {"subset": self.subsets, "type": self.types, "rule": self.rules}
        labels = {"part": "subset", "group": "all", "system": None}
        yield from labeled(labels, self.subsets["all"].metric_rows())
        for name, one in self.systems.items():
            yield from labeled({"part": None, "group": None, "system": name}, one.metric_rows())
        for part, rows in parts.items():
            for name, row in rows.items():
                if (part, name) != ("subset", "all"):
                    yield from labeled({**labels, "part": part, "group": name}, row.metric_rows())

    def headline(self) -> str:
        """How many systems, notes and spans."""
        systems = counted(len(self.systems), "system")
        return f"{systems}, {counted(self.notes, 'note')}, {counted(self.spans, 'gold span')}"

    def wrong(self, system: str) -> Iterator[EntityMistake]:
        """The gold spans a system got wrong, in order."""
        bench, placed = self.gathered, self.systems[system].placed
        marked = bench.systems[system]
        near = self._nearby(system)
        given, same = marked.concepts_of(), exact(bench.gold, marked)
        code = bench.concepts.codes
        for span in np.flatnonzero(placed != RIGHT).tolist():
            on = given[same[span]] if same[span] >= 0 else ()
            yield EntityMistake(
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

    def _nearby(self, system: str) -> dict[int, list[NearbyAnnotation]]:
        """The predictions beside the spans whose boundary a system got wrong, in order."""
        bench, one = self.gathered, self.systems[system]
        marked, code = bench.systems[system], bench.concepts.codes
        at_boundary = np.isin(one.placed, [CAUSES.index(cause) for cause in _BOUNDARIES])
        concepts = marked.concepts_of()
        found: dict[int, list[NearbyAnnotation]] = {}
        for span, other in zip(*(side.tolist() for side in one.overlaps), strict=True):
            if at_boundary[span]:
                place = int(marked.begin[other]), int(marked.end[other])
                given = NearbyAnnotation(*place, tuple(code[c] for c in concepts[other]))
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


def _number(metric: Metric) -> dict[str, object]:
    found: dict[str, object] = {"value": metric.value, "interval": metric.interval}
    return {**found, "undefined": metric.undefined} if metric.undefined else found
